/** Reads the body of a request, up to a limit, as strict JSON. */
import { JsonProblem, readJson } from '@savepoint/core/ports';

/** A request that cannot be handled. `status` is that of the response. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';

  constructor(
    readonly status: 400 | 413,
    message: string,
  ) {
    super(message);
  }
}

/**
 * @param maxBytes the request is refused as soon as more has arrived
 * @throws RequestProblem
 */
export async function jsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await bytesOf(request, maxBytes);
  try {
    return readJson(bytes);
  } catch (error) {
    if (error instanceof JsonProblem) throw new RequestProblem(400, `The body of the request ${error.message}.`);
    throw error;
  }
}

async function bytesOf(request: Request, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): RequestProblem => new RequestProblem(413, `The request is larger than ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}
