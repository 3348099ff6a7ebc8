/** `savepoint mcp`: the verbs of Savepoint as tools of an MCP server. */

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type DiskPath, open, showText, WorkspaceCache } from '@savepoint/core';
import { type Exporter, IdleLinks } from '@savepoint/core/frontend';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import type { LoadOwnEntries } from '@savepoint/core/ports';
import { IssuedPreviews, readyTools, SerialQueue } from '@savepoint/core/tools';
import { type Machine, type SandboxesShell, usableRoot } from './roots.ts';
import { type ConnectionContext, foldersOf, makeServer } from './server.ts';
import { LineTransport, type Streams } from './wire/transport.ts';

export interface ServeOptions {
  /**
   * Folders to work in, absolute; the first usable one is taken. Without any, the server asks the client for its
   * roots.
   */
  readonly roots: readonly DiskPath[];
  readonly version: string;
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Exports new checkpoints automatically, if the settings say so. */
  readonly exporter?: Exporter;
  /** What Savepoint has in files of the user and no tool removes, such as hooks. Default: nothing. */
  readonly ownEntries?: LoadOwnEntries;
  /** Whether an agent runs its commands in a sandbox of its own, by the name of its client. Default: none does. */
  readonly sandboxesShell?: SandboxesShell;
  /** Logs a line for the person who runs the server; never on the stream of the protocol. */
  readonly log: (line: string) => void;
  /** Ends the server and aborts running work that has not been committed. */
  readonly signal: AbortSignal;
}

/** Milliseconds between looks whether there is something to do while no call is running. */
const IDLE_CHECK_MS = 2_000;

/**
 * Serves until the client disconnects.
 * @returns the exit status: 1 if the stream to the client failed
 */
export async function serve(options: ServeOptions): Promise<0 | 1> {
  const { streams, signal, roots, version } = options;
  const log = (line: string): void => options.log(showText(line));
  const turns = new SerialQueue();
  const ports = nodePorts();
  const watch = new WorkspaceCache();
  const machine = (): Machine => ({
    ports,
    watch,
    places: nodePlaces(options.env),
    settings: nodeSettings(options.env),
    ...(options.exporter === undefined ? {} : { exporter: options.exporter }),
    ...(options.ownEntries === undefined ? {} : { ownEntries: options.ownEntries }),
  });
  const clientRoot: ConnectionContext['clientRoot'] = { folder: null };
  const links = new IdleLinks(
    async (signal) => {
      const { watch: _, ...others } = machine();
      const dir = usableRoot(machine(), foldersOf({ roots, clientRoot }));
      return dir === null ? 'nothing' : open({ dir, ...others }).replaceLinks({ signal });
    },
    () => ports.clock.monotonic(),
  );
  const context: ConnectionContext = {
    version,
    roots,
    machine,
    queue: turns,
    previews: new IssuedPreviews(),
    sandboxesShell: options.sandboxesShell ?? (async () => false),
    clientRoot,
    links,
    log,
  };
  const tools = await readyTools();
  const transport = new LineTransport(streams);
  serveStdio(() => makeServer(context, tools), { transport, onerror: ({ message }) => log(message) });
  const looking = setInterval(() => {
    if (!turns.isRunning) links.look();
  }, IDLE_CHECK_MS);
  const stop = (): void => void transport.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const error = await transport.closed;
  signal.removeEventListener('abort', stop);
  clearInterval(looking);
  await links.end();
  await turns.drained();
  watch.close();
  // An open input stream would keep the process alive.
  streams.input.destroy();
  if (error === null) return 0;
  log(`The connection was closed: ${error.message}`);
  return 1;
}
