/** Reads the body of a request, up to a limit, as strict JSON. */
import type { IncomingMessage } from 'node:http';
import { JsonProblem, readJson } from '@savepoint/core/ports';

/** A request that cannot be handled. `status` is that of the response. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';

  constructor(
    readonly status: 400 | 404 | 413,
    message: string,
  ) {
    super(message);
  }
}

/**
 * @param maxBytes the request is refused as soon as more has arrived
 * @throws RequestProblem
 */
export async function jsonBody(incoming: IncomingMessage, maxBytes: number): Promise<unknown> {
  const bytes = await bytesOf(incoming, maxBytes);
  try {
    return readJson(bytes);
  } catch (error) {
    if (error instanceof JsonProblem) throw new RequestProblem(400, `The body of the request ${error.message}.`);
    throw error;
  }
}

function bytesOf(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      incoming.pause();
      reject(new RequestProblem(413, `The request is larger than ${maxBytes} bytes.`));
    };
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
      tooLarge();
      return;
    }
    const parts: Buffer[] = [];
    let length = 0;
    incoming.on('data', (part: Buffer) => {
      length += part.length;
      if (length > maxBytes) tooLarge();
      else parts.push(part);
    });
    incoming.once('end', () => resolve(Buffer.concat(parts)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new RequestProblem(400, 'The request was not complete.')));
  });
}
