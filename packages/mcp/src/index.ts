/** `savepoint mcp`: the verbs of Savepoint as tools of an MCP server. */

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type DiskPath, showText, WorkspaceCache } from '@savepoint/core';
import type { Exporter } from '@savepoint/core/faces';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import { readyTools, Turns } from '@savepoint/core/tools';
import { makeServer, type Setting } from './server.ts';
import { LineTransport, type Streams } from './wire/transport.ts';

export interface ServeOptions {
  /** Folders to work in, absolute; the first that will do. With none, the client is asked for its roots. */
  readonly roots: readonly DiskPath[];
  readonly version: string;
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where new checkpoints go by themselves, where the settings say so. */
  readonly exporter?: Exporter;
  /** Says something to the person who looks after the server; never on the stream of the protocol. */
  readonly log: (line: string) => void;
  /** Ends the server; what can still be stopped is stopped. */
  readonly signal: AbortSignal;
}

/**
 * Serves until the client hangs up.
 * @returns the process status: 1 where the stream to the client failed
 */
export async function serve(options: ServeOptions): Promise<0 | 1> {
  const { streams, signal, roots, version } = options;
  const log = (line: string): void => options.log(showText(line));
  const turns = new Turns();
  const ports = nodePorts();
  const watch = new WorkspaceCache();
  const setting: Setting = {
    version,
    roots,
    machine: () => ({
      ports,
      watch,
      places: nodePlaces(options.env),
      settings: nodeSettings(options.env),
      ...(options.exporter === undefined ? {} : { exporter: options.exporter }),
    }),
    turns,
    known: { folder: null },
    log,
  };
  const tools = await readyTools();
  const transport = new LineTransport(streams);
  serveStdio(() => makeServer(setting, tools), { transport, onerror: ({ message }) => log(message) });
  const stop = (): void => void transport.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const error = await transport.closed;
  signal.removeEventListener('abort', stop);
  await turns.done();
  watch.close();
  // A stream that still could be read would keep the process.
  streams.input.destroy();
  if (error === null) return 0;
  log(`The connection ended: ${error.message}`);
  return 1;
}
