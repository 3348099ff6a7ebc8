/** The HTTP server itself: only on the loopback address, with limits, and with the checks before every request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { requestError } from './failure.ts';
import { refusalOf } from './request-checks.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';

export type Fetch = (request: Request) => Response | Promise<Response>;

/** More than browsers open, and few enough for a process. Further connections are closed at once. */
const MAX_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const KEEP_ALIVE_MS = 5000;
const CHECK_MS = 2000;

export const ADDRESS = '127.0.0.1';

/** @param fetch answers requests that passed the checks; set before the first one arrives */
export function httpServer(fetch: Fetch): Server {
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
      insecureHTTPParser: false,
    },
    (request, response) => void handle(request, response, listener),
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Without these, Node answers by itself.
  server.on('checkExpectation', (request, response) => void handle(request, response, listener));
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.on('connect', (_request, socket) => socket.destroy());
  server.on('clientError', (error, socket) => refuseBroken(error, socket as Socket));
  return server;
}

/**
 * @param port 0: any free one
 * @throws the error of the system, such as EADDRINUSE
 */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: ADDRESS, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** No request ends the process. */
async function handle(request: IncomingMessage, response: ServerResponse, listener: Listener): Promise<void> {
  try {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const { method = '', url: target = '', rawHeaders } = request;
    const port = request.socket.localPort ?? 0;
    const refusal = refusalOf({ method, target, rawHeaders }, port);
    if (refusal === null) await listener(request, response);
    else refuse(response, refusal.status, refusal.message);
  } catch {
    if (!response.headersSent) refuse(response, 500, 'The request could not be handled.');
    else response.destroy();
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  // What follows on this connection is not read.
  const headers = { ...RESPONSE_HEADERS, 'Content-Type': 'application/json', Connection: 'close' };
  response.writeHead(status, headers).end(JSON.stringify({ error: requestError(message) }));
}

/** What is not HTTP, or too large, or too slow. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  const status = STATUS_OF[error.code ?? ''] ?? '400 Bad Request';
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
