/** The HTTP server itself: only on the loopback address, with limits, and with the checks before every request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { requestError } from './failure.ts';
import { originOf, refusalOf } from './request-checks.ts';
import { type Fetch, respond } from './respond.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';

/** More than browsers open, and few enough for a process. Further connections are closed at once. */
const MAX_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Without any byte in either direction. Does not apply to clients that are let in. */
const SILENCE_MS = 60_000;
const KEEP_ALIVE_MS = 5000;
const CHECK_MS = 2000;

const ADDRESS = '127.0.0.1';

export interface StudioServer {
  readonly http: Server;
  /** Closes all connections, and waits for the work that they had asked for. */
  close(): Promise<void>;
}

/** @param fetch answers the requests that pass the checks */
export function httpServer(fetch: Fetch): StudioServer {
  const running = new Set<Promise<void>>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const handled = handle(request, response, fetch).finally(() => running.delete(handled));
    running.add(handled);
  };
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
      insecureHTTPParser: false,
    },
    answer,
  );
  server.timeout = SILENCE_MS;
  server.maxConnections = MAX_CONNECTIONS;
  // Without these, Node would answer some requests by itself.
  server.on('checkContinue', answer);
  server.on('checkExpectation', answer);
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('clientError', (error, socket) => refuseBroken(error, socket as Socket));
  return {
    http: server,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all(running);
    },
  };
}

/**
 * @param port 0: any free one
 * @throws the error of the system, such as EADDRINUSE
 */
export function listen({ http: server }: StudioServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: ADDRESS, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** No request ends the process. */
async function handle(incoming: IncomingMessage, outgoing: ServerResponse, fetch: Fetch): Promise<void> {
  incoming.on('error', () => undefined);
  outgoing.on('error', () => undefined);
  try {
    const { method = '', url: target = '', rawHeaders } = incoming;
    const port = incoming.socket.localPort ?? 0;
    const refusal = refusalOf({ method, target, rawHeaders }, port);
    if (refusal === null) await respond(`${originOf(port)}${target}`, incoming, outgoing, fetch);
    else refuse(outgoing, refusal.status, refusal.message);
  } catch {
    // Usually the client is gone. The routes answer their own errors.
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 400, 'The request cannot be read.');
  }
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
  // What follows on this connection is not read.
  const headers = { ...RESPONSE_HEADERS, 'Content-Type': 'application/json', Connection: 'close' };
  outgoing.writeHead(status, headers).end(JSON.stringify({ error: requestError(message) }));
}

/** What is not HTTP, or too large, or too slow. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
