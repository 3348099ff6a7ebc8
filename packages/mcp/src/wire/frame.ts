/** One frame of the wire: a line that should hold one JSON-RPC message. Everything in it comes from outside. */

/** A line that is no message. `id`: of the request that it was meant to be, where that can still be told. */
export interface BadFrame {
  readonly code: -32700 | -32600;
  readonly message: string;
  readonly id: string | number | null;
}

export type Frame =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'empty' }
  | ({ readonly kind: 'bad' } & BadFrame);

/** Deeper than any message of the protocol; what reads values later goes down by recursion. */
const DEEPEST = 200;

export function readFrame(line: Uint8Array): Frame {
  if (isBlank(line)) return { kind: 'empty' };
  const bad = (code: BadFrame['code'], message: string): Frame => ({ kind: 'bad', code, message, id: idIn(line) });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    return bad(-32700, 'The message is no valid UTF-8.');
  }
  const problem = structureProblem(line);
  if (problem !== null) return bad(-32600, `The message ${problem}.`);
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return bad(-32700, 'The message is no valid JSON.');
  }
}

/** How much of either end of a frame is looked at to find the id of its request. */
export const ID_REACH = 4096;

const ID = String.raw`"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\\x00-\x1f]|\\.){0,200}")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,`);
const ID_LAST = new RegExp(String.raw`,\s*(?:${ID}\s*(?:,\s*${VERSION}\s*)?)\}\s*$`);

/**
 * The id of a request that cannot be read as a whole, so that its sender need not wait for ever: clients write it at
 * either end of the message. Null where it is not there.
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

const [TAB, LF, CR, SPACE, QUOTE, COLON, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x20, 0x22, 0x3a, 0x5c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === SPACE || byte === TAB || byte === CR || byte === LF);
}

/** One pass over texts and brackets, without recursion; what is no JSON at all is left to the parser. */
function structureProblem(line: Uint8Array): string | null {
  const first = line.find((byte) => byte !== SPACE && byte !== TAB && byte !== CR);
  if (first === 0x5b) return 'is a batch; one message a line is wanted';
  /** For each open bracket: the keys seen in it, or null for a list. */
  const open: (Set<string> | null)[] = [];
  let text: readonly [start: number, end: number] = [0, 0];
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] as number;
    if (byte === QUOTE) {
      const start = at;
      for (at++; at < line.length && line[at] !== QUOTE; at++) if (line[at] === BACKSLASH) at++;
      text = [start, at + 1];
    } else if (OPENING.has(byte)) {
      open.push(byte === 0x7b ? new Set() : null);
      if (open.length > DEEPEST) return `is nested more than ${DEEPEST} levels deep`;
    } else if (CLOSING.has(byte)) open.pop();
    else if (byte === COLON) {
      // Readers differ in which of the two they take.
      const key = keyIn(line.subarray(...text));
      const keys = open.at(-1);
      // What copies the message later would change an object's ancestor with it, or lose it.
      if (key === '__proto__') return 'has a key named __proto__';
      if (keys?.has(key)) return `has the key ${JSON.stringify(key.slice(0, 80))} twice in one object`;
      keys?.add(key);
    }
  }
  return null;
}

/** Two spellings of one key are one key. */
function keyIn(token: Uint8Array): string {
  const text = Buffer.from(token).toString('utf8');
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
