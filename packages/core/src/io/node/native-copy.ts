import { getSystemErrorName } from 'node:util';
import type { DiskPath, Name } from '../../model/names.ts';
import { type CopiedFile, type CopyMethod, type Fd, FsError } from '../fs.ts';
import type { Native } from './native.ts';

/** The offset in the buffer of what copy.h describes (module.c). */
const OFFSET = 8192;
/** A `struct copied` (copy.h). */
const HEADER_BYTES = 48;
const SCRATCH_BYTES = 1 << 18;
/** A `struct outcome`: result, of_copy, size, ino. */
const OUTCOME_FIELDS = 4;

/** Buffers that no task uses: allocating one costs as much as copying many files. */
const spare: Buffer<ArrayBuffer>[] = [];
const MAX_SPARE = 8;

/** Copies files on another thread. @param shown the folder of the copy, for errors */
export async function copyByNative(
  native: Native,
  { from, to }: { readonly from: Fd; readonly to: Fd },
  names: readonly Name[],
  method: CopyMethod,
  shown: DiskPath,
): Promise<readonly CopiedFile[]> {
  const text = Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1');
  const scratchAt = aligned(HEADER_BYTES + text.length);
  const outcomesAt = scratchAt + SCRATCH_BYTES;
  const bytes = takeBuffer(OFFSET + outcomesAt + names.length * OUTCOME_FIELDS * 8);
  const shares = method === 'clone' ? 1 : 0;
  const header = [names.length, shares, process.umask(), HEADER_BYTES, scratchAt, outcomesAt];
  new Float64Array(bytes.buffer, OFFSET, header.length).set(header);
  text.copy(bytes, OFFSET + HEADER_BYTES);
  const count = await native.copyAside(from, to, bytes);
  const numbers = new Float64Array(bytes.buffer, OFFSET + outcomesAt, names.length * OUTCOME_FIELDS);
  if (spare.length < MAX_SPARE) spare.push(bytes);
  if (!(count >= 0)) throw new FsError(getSystemErrorName(count), 'copyFiles', shown);
  return Array.from({ length: count }, (_, index) => outcomeAt(numbers, index * OUTCOME_FIELDS));
}

function outcomeAt(numbers: Float64Array, at: number): CopiedFile {
  const [result, ofCopy, size, ino] = [numbers[at]!, numbers[at + 1]!, numbers[at + 2]!, numbers[at + 3]!];
  if (result === 0) return { kind: 'copied', size, ino };
  return { kind: 'failed', code: getSystemErrorName(result), of: ofCopy === 0 ? 'original' : 'copy' };
}

function takeBuffer(length: number): Buffer<ArrayBuffer> {
  const found = spare.pop();
  return found !== undefined && found.length >= length
    ? found
    : Buffer.from(new ArrayBuffer(Math.max(length, 1 << 19)));
}

function aligned(length: number): number {
  return Math.ceil(length / 8) * 8;
}
