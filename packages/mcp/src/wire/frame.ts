/** One frame on the wire: a line that should hold one JSON-RPC message. Its content is untrusted. */

import { JsonProblem, readJson } from '@savepoint/core/ports';

/** A line that is not a message. `id`: the id of the intended request, if it can be found. */
export interface BadFrame {
  readonly code: -32700 | -32600;
  readonly message: string;
  readonly id: string | number | null;
}

export type Frame =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'empty' }
  | ({ readonly kind: 'bad' } & BadFrame);

export function readFrame(line: Uint8Array): Frame {
  if (isBlank(line)) return { kind: 'empty' };
  const bad = (code: BadFrame['code'], message: string): Frame => ({ kind: 'bad', code, message, id: idIn(line) });
  if (firstOf(line) === 0x5b) return bad(-32600, 'The message is a batch; send one message per line.');
  try {
    return { kind: 'json', value: readJson(line) };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    if (error.kind === 'meaning') return bad(-32600, `The message ${error.message}.`);
    return bad(-32700, `The message is not valid ${error.kind === 'encoding' ? 'UTF-8' : 'JSON'}.`);
  }
}

/** The number of bytes at either end of a frame that are searched for the id of the request. */
export const ID_REACH = 4096;

const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\\x00-\x1f]|\\.){0,200}")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,`);
const ID_LAST = new RegExp(String.raw`,\s*(?:${ID}\s*(?:,\s*${VERSION}\s*)?)\}\s*$`);

/**
 * Returns the id of a request that cannot be parsed, so that its sender does not wait forever. Clients write the id at
 * either end of the message. Returns null if it is not found.
 */
export function idIn(start: Uint8Array, end: Uint8Array = start): string | number | null {
  const head = Buffer.from(start.subarray(0, ID_REACH)).toString('utf8');
  const tail = Buffer.from(end.subarray(Math.max(0, end.length - ID_REACH))).toString('utf8');
  const found = ID_FIRST.exec(head)?.[1] ?? ID_LAST.exec(tail)?.[1];
  if (found === undefined) return null;
  try {
    return JSON.parse(found) as string | number;
  } catch {
    return null;
  }
}

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

function firstOf(line: Uint8Array): number | undefined {
  return line.find((byte) => byte !== SPACE && byte !== TAB && byte !== CR && byte !== LF);
}

function isBlank(line: Uint8Array): boolean {
  return firstOf(line) === undefined;
}
