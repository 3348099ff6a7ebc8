/** The format of pack files (version 2): header, entries, and the SHA-1 of everything before it. */
import { FormatProblem } from '../damage.ts';
import { KEY_BYTES } from '../object-hash.ts';
import type { ObjectType } from '../object-reader.ts';

export const PACK_HEADER_BYTES = 12;
export const PACK_TRAILER_BYTES = KEY_BYTES;
/** Upper limit for an entry's header: 10 bytes of type and size, 20 of the delta's base. */
export const MAX_ENTRY_HEADER_BYTES = 32;

const PACK_MAGIC = 0x5041434b;
const OFFSET_DELTA = 6;
const KEY_DELTA = 7;
const TYPE_CODES: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const TYPES: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob', 'tag'];

export type EntryHeader =
  /** `size` is that of the object. */
  { readonly kind: 'whole'; readonly type: ObjectType; readonly size: number; readonly length: number } | DeltaHeader;

export type DeltaHeader =
  /** `size` is that of the delta; `distance` leads back to the entry of the base. */
  | { readonly kind: 'offset-delta'; readonly distance: number; readonly size: number; readonly length: number }
  | { readonly kind: 'key-delta'; readonly base: Buffer; readonly size: number; readonly length: number };

export function encodePackHeader(count: number): Buffer {
  const header = Buffer.allocUnsafe(PACK_HEADER_BYTES);
  header.writeUInt32BE(PACK_MAGIC, 0);
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(count, 8);
  return header;
}

/**
 * Returns the number of objects that a pack claims to have.
 * @throws FormatProblem
 */
export function decodePackHeader(header: Buffer): number {
  if (header.length < PACK_HEADER_BYTES || header.readUInt32BE(0) !== PACK_MAGIC) {
    throw new FormatProblem('does not start like a pack');
  }
  const version = header.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw new FormatProblem(`has pack version ${version}`);
  return header.readUInt32BE(8);
}

export function encodeEntryHeader(type: ObjectType, size: number): Buffer {
  const head = Buffer.allocUnsafe(MAX_ENTRY_HEADER_BYTES);
  let rest = Math.floor(size / 16);
  head[0] = (rest > 0 ? 0x80 : 0) | (TYPE_CODES[type] << 4) | (size % 16);
  let at = 1;
  while (rest > 0) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    head[at++] = (rest > 0 ? 0x80 : 0) | low;
  }
  return head.subarray(0, at);
}

/**
 * @param bytes the beginning of an entry: {@link MAX_ENTRY_HEADER_BYTES}, or the whole entry if it is shorter
 * @throws FormatProblem
 */
export function decodeEntryHeader(bytes: Buffer): EntryHeader {
  let at = 0;
  const next = (): number => {
    const byte = bytes[at++];
    if (byte === undefined) throw new FormatProblem('has an entry with an incomplete header');
    return byte;
  };
  let byte = next();
  const code = (byte >> 4) & 7;
  let size = byte & 15;
  for (let scale = 16; (byte & 0x80) !== 0; scale *= 128) {
    byte = next();
    size += (byte & 0x7f) * scale;
    if (size > Number.MAX_SAFE_INTEGER) throw new FormatProblem('has an entry of impossible size');
  }
  if (code === OFFSET_DELTA) {
    byte = next();
    let distance = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = next();
      distance = (distance + 1) * 128 + (byte & 0x7f);
      if (distance > Number.MAX_SAFE_INTEGER) throw new FormatProblem('has a delta with an invalid base');
    }
    return { kind: 'offset-delta', distance, size, length: at };
  }
  if (code === KEY_DELTA) {
    if (bytes.length < at + KEY_BYTES) throw new FormatProblem('has an entry with an incomplete header');
    const base = Buffer.from(bytes.subarray(at, at + KEY_BYTES));
    return { kind: 'key-delta', base, size, length: at + KEY_BYTES };
  }
  const type = TYPES[code];
  if (type === undefined) throw new FormatProblem(`has an entry of unknown type ${code}`);
  return { kind: 'whole', type, size, length: at };
}
