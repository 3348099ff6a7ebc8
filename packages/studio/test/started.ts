import { type ChildProcess, spawn } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { bytesFromText, type DiskPath } from '@savepoint/core';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { main, Project, project } from '@savepoint/testkit/command';
import { onTestFinished } from 'vitest';
import { type Studio, type StudioOptions, startStudio as startServer } from '../server/index.ts';
import type { ErrorAnswer, ProofAnswer, SessionAnswer, WorkspacesAnswer } from '../server/wire.ts';

/** The real command, in its own process, with a client that sends exactly what it is given. */
export interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  readonly origin: string;
  /** The token of the address that opens the page. */
  readonly token: string;
  /** Everything that it has printed. */
  readonly printed: () => string;
  /** Resolves with the exit status when the process has ended. */
  readonly ended: Promise<number | null>;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Answered {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body as JSON; null if it is none. Each answer has some of these fields. */
  readonly json: AnyAnswer;
}

interface AnyAnswer extends SessionAnswer, ProofAnswer, WorkspacesAnswer, ErrorAnswer {
  readonly status: number;
  readonly output: Readonly<Record<string, unknown>> & { readonly checkpoints: readonly { readonly id: string }[] };
  readonly warnings: readonly string[];
}

export interface StartSettings {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly keepsRunning?: boolean;
  readonly cwd?: string;
}

/** A project with the checkpoint cp_1 of one file; it is removed with the calling test. */
export function withCheckpoint(): Project {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  return p;
}

/** Starts `savepoint studio`, and ends it with the calling test. */
export async function startStudio(
  p: Project,
  { args = [], env = {}, keepsRunning, cwd = p.dir }: StartSettings = {},
): Promise<Started> {
  const child = spawn(process.execPath, [main, 'studio', '--no-open', '--json', ...args], {
    cwd,
    env: p.environment({ env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (keepsRunning !== true) onTestFinished(() => endProcess(child));
  let printed = '';
  const line = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const end = printed.indexOf('\n');
        if (end >= 0) resolve(printed.slice(0, end));
      });
    }
    child.once('exit', (status) => reject(new Error(`it ended with ${status}: ${printed}`)));
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const said = JSON.parse(await line) as { readonly port: number; readonly open: string };
  const origin = `http://127.0.0.1:${said.port}`;
  return { child, port: said.port, origin, token: said.open.split('#token=')[1] ?? '', printed: () => printed, ended };
}

/** Starts the server in this process, and stops it with the calling test. */
export async function startHere(p: Project, times: Pick<StudioOptions, 'idleMs' | 'heartbeatMs'>): Promise<Studio> {
  const studio = await startServer({
    ...times,
    folder: bytesFromText(p.dir) as DiskPath,
    workspace: { ports: nodePorts(), places: nodePlaces(p.environment()) },
    caller: { ancestors: () => [], agent: null },
    home: p.store,
    page: fileURLToPath(new URL('../../cli/bundle/studio/', import.meta.url)),
    port: null,
    isReadOnly: false,
    version: '0.0.0',
    health: () => Promise.resolve({ agents: [], daemon: { state: 'none', since: null, events: null, medianMs: null } }),
  });
  onTestFinished(() => studio.stop());
  return studio;
}

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

/** Sends a request with exactly these headers, and Host if it is not among them. */
export function send({ port }: Pick<Started, 'port'>, path: string, sent: Sent = {}): Promise<Answered> {
  const { method = 'GET', headers = {}, body } = sent;
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(parts);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, json: jsonOrNull(bytes) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Posts JSON as the page does. */
export function post(
  started: Pick<Started, 'port' | 'origin'>,
  path: string,
  body: unknown,
  session?: string,
): Promise<Answered> {
  const headers = {
    Origin: started.origin,
    'Content-Type': 'application/json',
    'Sec-Fetch-Site': 'same-origin',
    ...bearer(session),
  };
  return send(started, path, { method: 'POST', headers, body: JSON.stringify(body) });
}

export function bearer(session: string | undefined): Readonly<Record<string, string>> {
  return session === undefined ? {} : { Authorization: `Bearer ${session}` };
}

export interface Entered {
  readonly id: string;
  readonly session: string;
  /** The id of the workspace in which the command was started. */
  readonly workspace: string | null;
}

/** Exchanges the token, as the page does when it is opened. */
export async function enter(started: Started): Promise<Entered> {
  const { json } = await post(started, '/api/session', { token: started.token });
  const listed = await send(started, '/api/workspaces', { headers: bearer(json.session) });
  return { id: json.id, session: json.session, workspace: listed.json.server.first };
}

/** A server that all tests of a file use, on a project with a checkpoint of what `prepare` wrote. */
export interface Shared {
  readonly p: Project;
  readonly studio: Started;
  readonly entered: Entered;
  /** Ends the server and removes the project. */
  remove(): Promise<void>;
}

export async function startShared(prepare: (p: Project) => void): Promise<Shared> {
  const p = new Project();
  prepare(p);
  p.checkpoint();
  const studio = await startStudio(p, { keepsRunning: true });
  const remove = async (): Promise<void> => {
    await endProcess(studio.child);
    p.remove();
  };
  return { p, studio, entered: await enter(studio), remove };
}

export function verb(
  started: Started,
  { session, workspace }: Entered,
  name: string,
  input: unknown,
): Promise<Answered> {
  return post(started, `/api/workspaces/${workspace}/verbs/${name}`, input, session);
}

/** Sends bytes and returns all that comes back until the server closes the connection. */
export function sendRaw({ port }: Pick<Started, 'port'>, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    // A server may close a connection before everything was sent.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

function jsonOrNull(bytes: Buffer): AnyAnswer {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null as never;
  }
}
