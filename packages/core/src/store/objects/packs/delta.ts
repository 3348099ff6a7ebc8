/** git's deltas: instructions to create one object from another. Savepoint reads them and never writes them. */
import { FormatProblem } from '../damage.ts';
import { MAX_READ_BYTES } from '../limits.ts';

export interface DeltaSizes {
  readonly base: number;
  readonly result: number;
  /** Where the instructions begin. */
  readonly start: number;
}

const COPY_WITHOUT_SIZE = 0x10000;

/**
 * @param delta at least its first bytes (20 are enough)
 * @throws FormatProblem
 */
export function deltaSizes(delta: Buffer): DeltaSizes {
  const base = readSize(delta, 0);
  const result = readSize(delta, base.end);
  if (result.value > MAX_READ_BYTES) throw new FormatProblem(`is a delta for ${result.value} bytes`);
  return { base: base.value, result: result.value, start: result.end };
}

/**
 * Returns the object that `delta` creates from `base`. Allocates nothing until the instructions have been validated.
 * @throws FormatProblem
 */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const sizes = deltaSizes(delta);
  if (sizes.base !== base.length) throw new FormatProblem('is a delta against another object');
  const check = run(base, delta, sizes.start, null);
  if (check !== sizes.result) throw new FormatProblem('is a delta whose result has another size');
  const result = Buffer.allocUnsafe(sizes.result);
  run(base, delta, sizes.start, result);
  return result;
}

/** Executes the instructions and returns the size of the result. If `into` is null, only validates and counts. */
function run(base: Buffer, delta: Buffer, start: number, into: Buffer | null): number {
  let at = start;
  let made = 0;
  while (at < delta.length) {
    const op = delta[at++]!;
    if (op === 0) throw new FormatProblem('is a delta with an unknown instruction');
    let from: Buffer;
    let offset: number;
    let size: number;
    if ((op & 0x80) === 0) {
      from = delta;
      offset = at;
      size = op;
      at += size;
    } else {
      from = base;
      offset = 0;
      size = 0;
      // Bits of the instruction select the bytes of offset (little-endian) and size that follow. A missing byte reads
      // as NaN.
      if ((op & 0x01) !== 0) offset = byteAt(delta, at++);
      if ((op & 0x02) !== 0) offset += byteAt(delta, at++) * 0x100;
      if ((op & 0x04) !== 0) offset += byteAt(delta, at++) * 0x10000;
      if ((op & 0x08) !== 0) offset += byteAt(delta, at++) * 0x1000000;
      if ((op & 0x10) !== 0) size = byteAt(delta, at++);
      if ((op & 0x20) !== 0) size += byteAt(delta, at++) * 0x100;
      if ((op & 0x40) !== 0) size += byteAt(delta, at++) * 0x10000;
      if (size === 0) size = COPY_WITHOUT_SIZE;
    }
    if (!(offset + size <= from.length)) throw new FormatProblem('is a delta that copies from beyond the end');
    if (into !== null) from.copy(into, made, offset, offset + size);
    made += size;
  }
  return made;
}

function byteAt(bytes: Buffer, at: number): number {
  return bytes[at] ?? Number.NaN;
}

function readSize(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let scale = 1;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (value > Number.MAX_SAFE_INTEGER) break;
    if ((byte & 0x80) === 0) return { value, end: at + 1 };
  }
  throw new FormatProblem('is a delta without sizes');
}
