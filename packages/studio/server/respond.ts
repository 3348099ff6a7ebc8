/** Passes a request of Node's server to the routes, and their response back. Prints nothing, whatever happens. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RESPONSE_HEADERS } from './response-headers.ts';

/** What the routes get with a request. They read its body from `incoming`. */
export interface NodeParts {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Ends when the client is gone. */
  readonly signal: AbortSignal;
  /** Set by a route whose response has no other body: what is sent, part by part. */
  stream: AsyncIterable<string | Uint8Array> | null;
}

export type Fetch = (request: Request, parts: NodeParts) => Response | Promise<Response>;

/** The headers that the routes read. */
const PASSED_ON = ['accept', 'authorization', 'if-range', 'last-event-id', 'range'];

/** @param url absolute */
export async function respond(
  url: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fetch: Fetch,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const headers = PASSED_ON.flatMap((name): [string, string][] => {
    const value = incoming.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const parts: NodeParts = { incoming, outgoing, signal: gone.signal, stream: null };
  const { method = 'GET' } = incoming;
  const response = await fetch(new Request(url, { method, headers }), parts);
  if (outgoing.destroyed) return;
  outgoing.writeHead(response.status, { ...RESPONSE_HEADERS, ...Object.fromEntries(response.headers) });
  if (parts.stream === null) {
    outgoing.end(Buffer.from(await response.arrayBuffer()));
    return;
  }
  // A stream of events is there before its first event.
  outgoing.flushHeaders();
  await pipeline(Readable.from(parts.stream, { objectMode: false }), outgoing);
}
