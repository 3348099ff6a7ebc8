import { getSystemErrorName } from 'node:util';
import { type DiskPath, diskChild, type Name } from '../../model/names.ts';
import { type FolderListing, FsError, LISTED_FIELD, LISTED_FIELD_COUNT } from '../fs.ts';
import type { Native } from './native.ts';

/** The add-on's result if the buffer is too small (list.h). */
const BUFFER_TOO_SMALL = -5000;
const INITIAL_BUFFER_BYTES = 1 << 20;
/** For large folders. */
const INITIAL_BACKGROUND_BYTES = 1 << 24;
/** The offset of the listing in a buffer for `listAside` (module.c). */
const BACKGROUND_OFFSET = 8192;
/** A larger buffer is released after use. */
const MAX_KEPT_BYTES = 1 << 23;
/** Enough for about eight million names. */
const MAX_BUFFER_BYTES = 1 << 30;

const THROUGH_HANDLE = /^\/proc\/self\/fd\/(\d{1,9})(?:\/+(.*))?$/s;
const NO_FAILURES: ReadonlyMap<number, FsError> = new Map();

/** Reused, by one listing at a time: allocating a buffer costs more than a listing. */
let buffer: ListingBuffer | null = null;

interface ListingBuffer {
  readonly bytes: Buffer<ArrayBuffer>;
  /** numbersAt, namesAt, namesLength, failed (list.h). */
  readonly head: Float64Array;
}

/**
 * Lists names and stats with the native add-on, at half the cost of plain `readdirSync` and `lstatSync`.
 *
 * @param displayPath the path to show in errors
 * @returns null if the folder needs a larger buffer than the add-on may get
 * @throws FsError as `list`
 */
export function listByNative(native: Native, path: DiskPath, displayPath: DiskPath): FolderListing | null {
  const handle = path.startsWith('/proc/self/fd/') ? THROUGH_HANDLE.exec(path) : null;
  const at = handle === null ? -1 : Number(handle[1]);
  const rest = handle === null ? path : (handle[2] ?? '');
  for (let size = INITIAL_BUFFER_BYTES; size <= MAX_BUFFER_BYTES; size = buffer.bytes.length * 2) {
    buffer = buffer !== null && buffer.bytes.length >= size ? buffer : makeBuffer(size);
    const count = native.listWithStats(at, rest, buffer.bytes);
    if (count === BUFFER_TOO_SMALL) continue;
    if (!(count >= 0)) throw new FsError(errorCodeOf(count, handle !== null), 'listWithStats', displayPath);
    const listing = listingIn(buffer, count, displayPath);
    if (buffer.bytes.length > MAX_KEPT_BYTES) buffer = null;
    return listing;
  }
  buffer = null;
  return null;
}

/** As {@link listByNative}, on another thread. */
export async function listAsideByNative(native: Native, path: DiskPath): Promise<FolderListing | null> {
  if (THROUGH_HANDLE.test(path)) return null;
  for (let size = INITIAL_BACKGROUND_BYTES; size <= MAX_BUFFER_BYTES; size *= 2) {
    const bytes = Buffer.from(new ArrayBuffer(size));
    const count = await native.listAside(path, bytes);
    if (count === BUFFER_TOO_SMALL) continue;
    if (!(count >= 0)) throw new FsError(errorCodeOf(count, false), 'listAside', path);
    return listingIn(bufferIn(bytes, BACKGROUND_OFFSET), count, path);
  }
  return null;
}

function makeBuffer(size: number): ListingBuffer {
  return bufferIn(Buffer.from(new ArrayBuffer(size)), 0);
}

function bufferIn(buffer: Buffer<ArrayBuffer>, at: number): ListingBuffer {
  return { bytes: buffer.subarray(at), head: new Float64Array(buffer.buffer, at, 4) };
}

function listingIn({ bytes, head }: ListingBuffer, count: number, displayPath: DiskPath): FolderListing {
  const [numbersAt = 0, namesAt = 0, namesLength = 0, failures = 0] = head;
  const names = count === 0 ? [] : bytes.toString('latin1', namesAt, namesAt + namesLength).split('/');
  const from = bytes.byteOffset + numbersAt;
  const numbers = new Float64Array(bytes.buffer.slice(from, from + count * LISTED_FIELD_COUNT * 8));
  const failed = failures === 0 ? NO_FAILURES : extractFailures(names, numbers, displayPath);
  return { names: names as Name[], numbers, failed };
}

/** Moves the errnos of failed names out of the numbers. */
function extractFailures(
  names: readonly string[],
  numbers: Float64Array,
  displayPath: DiskPath,
): ReadonlyMap<number, FsError> {
  const failed = new Map<number, FsError>();
  for (const [index, name] of names.entries()) {
    const at = index * LISTED_FIELD_COUNT + LISTED_FIELD.mode;
    const mode = numbers[at]!;
    if (mode >= 0) continue;
    numbers[at] = 0;
    failed.set(index, new FsError(errorCodeOf(mode, false), 'listWithStats', diskChild(displayPath, name)));
  }
  return failed;
}

/** As a path, a closed handle is one that does not exist. */
function errorCodeOf(answer: number, throughHandle: boolean): string {
  const code = Number.isInteger(answer) && answer < 0 ? getSystemErrorName(answer) : 'EIO';
  return throughHandle && code === 'EBADF' ? 'ENOENT' : code;
}
