/** HTTP over the socket, so that curl can use it. Requests are untrusted, and no request can crash the daemon. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Build } from './build.ts';
import { BUILD_HEADER, handshake, isHandshake } from './build.ts';
import { COMMAND_ROUTE } from './command-request.ts';
import { UNCHANGED_ROUTE } from './unchanged-request.ts';

/** The answer to a request. For any status but 200, the hook's script runs the command itself. */
export interface DaemonResponse {
  readonly status: 200 | 400 | 404 | 409 | 413 | 421 | 500 | 503;
  readonly body: string;
}

export interface Routes {
  /** @param arrived time of arrival in milliseconds, by a monotonic clock */
  hook(agent: string, event: string | null, body: Buffer, arrived: number): Promise<DaemonResponse>;
  /** Which folders of a workspace have not changed. */
  unchanged(body: Buffer): Promise<DaemonResponse>;
  /** Writes lines of JSON; the last one is the answer. @param signal the caller has gone */
  command(body: Buffer, write: (line: object) => void, signal: AbortSignal): Promise<void>;
  status(): Promise<DaemonResponse>;
  stop(): Promise<DaemonResponse>;
  /** Whether new requests are accepted; checked before each request. */
  isAccepting(): boolean;
  /** Called if another build sent a request. */
  onOtherBuild(): void;
}

/** Maximum size of a request in bytes: the largest event plus its environment. */
const MAX_BODY_BYTES = 129 * 1024 * 1024;
/** Maximum total size of all requests in progress, in bytes. */
const MAX_TOTAL_BYTES = 384 * 1024 * 1024;
const MAX_CONNECTIONS = 64;
const READ_TIMEOUT_MS = 10_000;
/** How often a command learns that its work goes on. */
const ALIVE_MS = 500;

const SHUTTING_DOWN: DaemonResponse = { status: 409, body: 'steps down\n' };

export function serve(own: Build, routes: Routes, now: () => number): Server {
  let held = 0;
  const server = createServer(
    {
      headersTimeout: READ_TIMEOUT_MS,
      requestTimeout: READ_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 8_192,
    },
    (request, response) => {
      const arrived = now();
      let size = 0;
      const grow = (bytes: number): boolean => {
        size += bytes;
        held += bytes;
        return size <= MAX_BODY_BYTES && held <= MAX_TOTAL_BYTES;
      };
      void answer(request, response, grow, arrived)
        .catch((): DaemonResponse => ({ status: 500, body: 'failed\n' }))
        .then((said) => {
          if (said !== null) sendResponse(response, said);
        })
        .finally(() => {
          held -= size;
        });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    grow: (bytes: number) => boolean,
    arrived: number,
  ): Promise<DaemonResponse | null> {
    const build = request.headers[BUILD_HEADER];
    if (typeof build !== 'string' || !isHandshake(build)) return { status: 400, body: 'says no build\n' };
    if (build !== handshake(own)) {
      routes.onOtherBuild();
      return SHUTTING_DOWN;
    }
    if (!routes.isAccepting()) return SHUTTING_DOWN;
    const [, what, agent, event] = (request.url ?? '').split('/');
    if (what === 'status' && request.method === 'GET') return routes.status();
    if (request.method !== 'POST') return { status: 404, body: 'unknown\n' };
    if (what === 'stop') return routes.stop();
    const isCommand = what === COMMAND_ROUTE;
    const isQuestion = what === UNCHANGED_ROUTE;
    if (!isCommand && !isQuestion && (what !== 'hook' || agent === undefined || agent === ''))
      return { status: 404, body: 'unknown\n' };
    const body = await readBody(request, grow);
    if (typeof body === 'number') return { status: body, body: 'too large, or incomplete\n' };
    if (isQuestion) return routes.unchanged(body);
    if (isCommand || agent === undefined) {
      await sendLines(response, (write, signal) => routes.command(body, write, signal));
      return null;
    }
    return routes.hook(agent, event ?? null, body, arrived);
  }
}

async function readBody(request: IncomingMessage, grow: (bytes: number) => boolean): Promise<Buffer | 400 | 413> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      if (!grow(part.length)) return 413;
      parts.push(part);
    }
  } catch {
    return 400;
  }
  return request.complete ? Buffer.concat(parts) : 400;
}

/** Sends lines as they come, and in between, that the work goes on. */
async function sendLines(
  response: ServerResponse,
  work: (write: (line: object) => void, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const gone = new AbortController();
  const write = (line: object): void => void response.write(`${JSON.stringify(line)}\n`);
  response.on('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'application/x-ndjson', connection: 'close' });
  const ticking = setInterval(() => write({ progress: null }), ALIVE_MS);
  try {
    await work(write, gone.signal);
  } finally {
    clearInterval(ticking);
    response.end();
  }
}

function sendResponse(response: ServerResponse, { status, body }: DaemonResponse): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}
