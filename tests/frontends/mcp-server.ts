import { spawn } from 'node:child_process';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { main, type Project } from '@savepoint/testkit/command';
import { onTestFinished } from 'vitest';

/** The protocol revisions that current clients speak. */
export const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;
/** One revision of each era, for tests that depend on nothing else. */
export const ERAS = ['2025-06-18', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface ServerOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

function environment(p: Project, { env = {} }: ServerOptions): Record<string, string> {
  return p.environment({ env }) as Record<string, string>;
}

/** A client of the official SDK, connected to its own server. */
export async function connect(
  p: Project,
  revision: Revision,
  options: ServerOptions & {
    readonly name?: string;
    readonly capabilities?: ClientOptions['capabilities'];
    readonly before?: (client: Client) => void;
  } = {},
): Promise<Client> {
  const isModern = revision === '2026-07-28';
  const client = new Client(
    { name: options.name ?? 'test-client', version: '1.2.3' },
    {
      capabilities: options.capabilities ?? {},
      ...(isModern ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] }),
    },
  );
  options.before?.(client);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', ...(options.args ?? ['--root', p.dir])],
    cwd: options.cwd ?? p.home,
    env: environment(p, options),
    stderr: 'ignore',
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

export interface Answer {
  readonly isError?: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
  /** The error in an answer. */
  readonly error: { readonly code: string; readonly message: string; readonly data: unknown; readonly hint: string };
}

export async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  return answerOf(await client.callTool({ name, arguments: args }));
}

export function answerOf(result: unknown): Answer {
  const { content, structuredContent, isError } = result as {
    readonly content: readonly { readonly type: string; readonly text: string }[];
    readonly structuredContent?: Record<string, unknown>;
    readonly isError?: boolean;
  };
  const text = content.map((part) => part.text).join('\n');
  const error = isError === true ? (JSON.parse(text) as { error: Answer['error'] }).error : (null as never);
  return { ...(isError === undefined ? {} : { isError }), text, data: structuredContent ?? {}, error };
}

/** Fields whose value the text says in other words. */
const IN_OTHER_WORDS = new Set(['outcome', 'origin', 'patch', 'diff']);

/** What the structured part of an answer says and its text does not. */
export function missingInText({ text, data }: Answer): readonly string[] {
  const valuesOf = (value: unknown): string[] => {
    if (typeof value === 'string' || typeof value === 'number') return [String(value)];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, field]) => (IN_OTHER_WORDS.has(key) ? [] : valuesOf(field)));
  };
  return valuesOf(data).filter((value) => !text.includes(value.trim()));
}

export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server that the test talks to byte by byte. Everything that it sends must be a frame. */
export function rawServer(p: Project, options: ServerOptions = {}) {
  const child = spawn(process.execPath, [main, 'mcp', ...(options.args ?? ['--root', p.dir])], {
    cwd: options.cwd ?? p.home,
    env: environment(p, options),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let stderr = '';
  let failed: Error | null = null;
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      messages.push(...lines.map((line) => JSON.parse(line) as Message));
    } catch (error) {
      failed = error as Error;
    }
    for (const look of waiting) look();
  });
  const exit = new Promise<{ status: number | null; signal: NodeJS.Signals | null; rest: string }>((resolve) => {
    child.on('close', (status, signal) => resolve({ status, signal, rest }));
  });
  return {
    child,
    messages,
    exit,
    stderr: () => stderr,
    send: (...frames: (string | Buffer | object)[]): void => {
      for (const frame of frames) {
        child.stdin.write(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
        child.stdin.write('\n');
      }
    },
    /** Returns the first matching message, including those already received. */
    until: (fits: (message: Message) => boolean): Promise<Message> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (failed !== null) reject(failed);
          const found = messages.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        void exit.then(() => reject(new Error(`the server ended: ${stderr}`)));
      }),
  };
}

export const INITIALIZE: object = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

export function toolCall(id: number, name: string, args: object = {}, meta?: object): object {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}
