import { getSystemErrorName } from 'node:util';
import { type DiskPath, diskChild, type Name } from '../../model/names.ts';
import { type FolderListing, FsError, LISTED_FIELD, LISTED_FIELDS } from '../fs.ts';
import type { Native } from './native.ts';

/** What the add-on answers when the room is too small (list.h). */
const NEEDS_MORE_ROOM = -5000;
const FIRST_ROOM = 1 << 20;
/** Of a large folder. */
const FIRST_ROOM_ASIDE = 1 << 24;
/** module.c: where the listing begins in such a room. */
const ASIDE_AT = 8192;
/** A larger room is given back after use. */
const LARGEST_KEPT = 1 << 23;
/** About eight million names. */
const LARGEST_ROOM = 1 << 30;

const THROUGH_HANDLE = /^\/proc\/self\/fd\/(\d{1,9})(?:\/+(.*))?$/s;
const NONE: ReadonlyMap<number, FsError> = new Map();

/** Used by one listing at a time, and always the same one: making room costs more than a listing. */
let room: Room | null = null;

interface Room {
  readonly bytes: Buffer<ArrayBuffer>;
  /** numbersAt, namesAt, namesLength, failed: list.h. */
  readonly head: Float64Array;
}

/**
 * A folder's names and stats by the native add-on: half of what bare `readdirSync` and `lstatSync` cost.
 *
 * @param named as errors shall tell it
 * @returns null if the folder is larger than the add-on gets room for
 * @throws FsError as `list`
 */
export function listByNative(native: Native, path: DiskPath, named: DiskPath): FolderListing | null {
  const handle = path.startsWith('/proc/self/fd/') ? THROUGH_HANDLE.exec(path) : null;
  const at = handle === null ? -1 : Number(handle[1]);
  const rest = handle === null ? path : (handle[2] ?? '');
  for (let size = FIRST_ROOM; size <= LARGEST_ROOM; size = room.bytes.length * 2) {
    room = room !== null && room.bytes.length >= size ? room : makeRoom(size);
    const count = native.listWithStats(at, rest, room.bytes);
    if (count === NEEDS_MORE_ROOM) continue;
    if (!(count >= 0)) throw new FsError(codeOf(count, handle !== null), 'listWithStats', named);
    const listing = listingIn(room, count, named);
    if (room.bytes.length > LARGEST_KEPT) room = null;
    return listing;
  }
  room = null;
  return null;
}

/** As {@link listByNative}, on another thread. */
export async function listAsideByNative(native: Native, path: DiskPath): Promise<FolderListing | null> {
  if (THROUGH_HANDLE.test(path)) return null;
  for (let size = FIRST_ROOM_ASIDE; size <= LARGEST_ROOM; size *= 2) {
    const bytes = Buffer.from(new ArrayBuffer(size));
    const count = await native.listAside(path, bytes);
    if (count === NEEDS_MORE_ROOM) continue;
    if (!(count >= 0)) throw new FsError(codeOf(count, false), 'listAside', path);
    return listingIn(roomIn(bytes, ASIDE_AT), count, path);
  }
  return null;
}

function makeRoom(size: number): Room {
  return roomIn(Buffer.from(new ArrayBuffer(size)), 0);
}

function roomIn(buffer: Buffer<ArrayBuffer>, at: number): Room {
  return { bytes: buffer.subarray(at), head: new Float64Array(buffer.buffer, at, 4) };
}

function listingIn({ bytes, head }: Room, count: number, named: DiskPath): FolderListing {
  const [numbersAt = 0, namesAt = 0, namesLength = 0, failures = 0] = head;
  const names = count === 0 ? [] : bytes.toString('latin1', namesAt, namesAt + namesLength).split('/');
  const from = bytes.byteOffset + numbersAt;
  const numbers = new Float64Array(bytes.buffer.slice(from, from + count * LISTED_FIELDS * 8));
  const failed = failures === 0 ? NONE : takeFailed(names, numbers, named);
  return { names: names as Name[], numbers, failed };
}

/** Takes the errno out of the numbers of those that could not be looked at. */
function takeFailed(names: readonly string[], numbers: Float64Array, named: DiskPath): ReadonlyMap<number, FsError> {
  const failed = new Map<number, FsError>();
  for (const [index, name] of names.entries()) {
    const at = index * LISTED_FIELDS + LISTED_FIELD.mode;
    const mode = numbers[at]!;
    if (mode >= 0) continue;
    numbers[at] = 0;
    failed.set(index, new FsError(codeOf(mode, false), 'listWithStats', diskChild(named, name)));
  }
  return failed;
}

/** A handle that is closed is, as a path, one that is not there. */
function codeOf(answer: number, throughHandle: boolean): string {
  const code = Number.isInteger(answer) && answer < 0 ? getSystemErrorName(answer) : 'EIO';
  return throughHandle && code === 'EBADF' ? 'ENOENT' : code;
}
