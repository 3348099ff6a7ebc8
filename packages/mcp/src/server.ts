/** The server of one connection: lists tools and calls them, and has prompts for users. It serves both generations of the protocol. */

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type DiskPath, SavepointError } from '@savepoint/core';
import { asFailure, type IssuedPreviews, type ReadyTool, type SerialQueue } from '@savepoint/core/tools';
import { failedResult, performCall, type ToolCallContext } from './call.ts';
import { listingOf } from './listing.ts';
import { completionsOf, promptListings, promptText } from './prompts.ts';
import { chooseRoot, foldersOfRoots, type Machine, type SandboxesShell } from './roots.ts';

export interface ConnectionContext {
  readonly version: string;
  /** From the command line. If there are any, the client is not asked for roots. */
  readonly roots: readonly DiskPath[];
  readonly machine: () => Machine;
  readonly queue: SerialQueue;
  readonly previews: IssuedPreviews;
  readonly sandboxesShell: SandboxesShell;
  /** The root that the client reported; null until then. */
  readonly clientRoot: { folder: DiskPath | null };
  /** What is done between calls. */
  readonly links: { used(): void };
  readonly log: (line: string) => void;
}

const INSTRUCTIONS =
  'Savepoint keeps checkpoints of the entire workspace. Call checkpoint_create before risky changes. ' +
  'checkpoint_restore, rollback, undo and redo first return a preview; call them again with its preview_id to proceed. ' +
  'history, blame and rollback tell your own changes from those of others. guard takes your own steps back if they break ' +
  'checks.';

export function makeServer(setting: ConnectionContext, tools: ReadonlyMap<string, ReadyTool>): Server {
  const { version } = setting;
  const server = new Server(
    { name: 'savepoint', title: 'Savepoint', version },
    {
      capabilities: { tools: { listChanged: false }, prompts: { listChanged: false }, completions: {} },
      instructions: INSTRUCTIONS,
    },
  );
  const listing = [...tools.values()].map(listingOf);
  server.setRequestHandler('tools/list', () => ({ tools: listing }));
  server.setRequestHandler('prompts/list', () => ({ prompts: promptListings() }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const text = promptText(params.name, params.arguments ?? {});
    if (text === null) throw unknownName('prompt', params.name);
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
    const values = ref.type === 'ref/prompt' ? completionsOf(ref.name, argument.name, argument.value) : [];
    return { completion: { values, total: values.length, hasMore: false } };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const ready = tools.get(params.name);
    if (ready === undefined) throw unknownName('tool', params.name);
    const call = callOf(server, context);
    try {
      if (setting.roots.length === 0 && setting.clientRoot.folder === null && mayAskForRoots(server, context)) {
        const asked = context.mcpReq.inputResponses?.['roots'];
        if (asked === undefined && context.mcpReq.envelope !== undefined) {
          return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
        }
        const answer = asked ?? (await askForRoots(context, setting.log));
        setting.clientRoot.folder = chooseRoot(setting.machine(), foldersOfRoots(answer));
      }
      return await setting.queue.run(call.signal, () => {
        const machine = setting.machine();
        return performCall(
          ready,
          params.arguments,
          chooseRoot(machine, foldersOf(setting)),
          { machine, previews: setting.previews, sandboxesShell: setting.sandboxesShell },
          call,
        );
      });
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code === 'INTERNAL') setting.log(failure.message);
      return failedResult(failure);
    } finally {
      setting.links.used();
    }
  });
  return server;
}

/** Where calls work, the first usable one. */
export function foldersOf({
  roots,
  clientRoot: { folder },
}: Pick<ConnectionContext, 'roots' | 'clientRoot'>): readonly DiskPath[] {
  return folder === null ? roots : [folder];
}

function unknownName(what: 'tool' | 'prompt', name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown ${what} ${JSON.stringify(name.slice(0, 100))}.`);
}

function mayAskForRoots(server: Server, { mcpReq }: ServerContext): boolean {
  const own = envelopeOf(mcpReq)[CLIENT_CAPABILITIES_META_KEY] as { readonly roots?: unknown } | undefined;
  return (own ?? server.getClientCapabilities())?.roots !== undefined;
}

const ROOTS_WAIT_MS = 10_000;

async function askForRoots({ mcpReq }: ServerContext, log: (line: string) => void): Promise<unknown> {
  try {
    return await mcpReq.send({ method: 'roots/list' }, { timeout: ROOTS_WAIT_MS, signal: mcpReq.signal });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log(`The client did not report its roots: ${why}`);
    throw new SavepointError(
      'USAGE',
      `This server has no folder to work in, and the client did not report its roots: ${why}`,
      { argument: '--root' },
      {
        hint: "Nothing was changed. Start the server with `savepoint mcp --root DIR`, where DIR is the project's folder.",
      },
    );
  }
}

/**
 * Returns what a client of protocol 2026-07-28 sends with each request. Empty for an older client, which sends it only
 * once.
 */
function envelopeOf({ envelope }: ServerContext['mcpReq']): Readonly<Record<string, unknown>> {
  return (envelope ?? {}) as Readonly<Record<string, unknown>>;
}

interface ClientInfo {
  readonly name?: unknown;
  readonly version?: unknown;
}

const MAX_LABEL_LENGTH = 200;
const PROGRESS_EVERY_MS = 200;

function callOf(server: Server, { mcpReq }: ServerContext): ToolCallContext {
  const meta = mcpReq._meta;
  const info = (envelopeOf(mcpReq)[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as ClientInfo | undefined;
  const token = meta?.progressToken;
  return {
    signal: mcpReq.signal,
    client: info === undefined ? null : { name: label(info.name) ?? 'mcp', version: label(info.version) },
    toolUseId: label(meta?.['claudecode/toolUseId']),
    progress: token === undefined ? null : progressTo(mcpReq, token),
  };
}

function label(given: unknown): string | null {
  return typeof given === 'string' && given !== '' ? given.slice(0, MAX_LABEL_LENGTH) : null;
}

/** Each phase restarts its count, but progress must only grow. So `progress` is the number of notifications sent. */
function progressTo(mcpReq: ServerContext['mcpReq'], progressToken: string | number): (message: string) => void {
  let sent = 0;
  let last = Number.NEGATIVE_INFINITY;
  return (message) => {
    const now = performance.now();
    if (now - last < PROGRESS_EVERY_MS) return;
    last = now;
    sent++;
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress: sent, message } })
      .catch(() => undefined);
  };
}
