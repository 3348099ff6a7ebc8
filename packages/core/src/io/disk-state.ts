/** The current state of a path, identified by its content. */
import { createHash } from 'node:crypto';
import type { Entry } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import type { DiskPath } from '../model/names.ts';
import { type Fs, kindOf, permissions, type Stat } from './fs.ts';

export type DiskState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly id: ObjectId; readonly mode: number; readonly stamp: string | null }
  | { readonly kind: 'link'; readonly id: ObjectId }
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'special' };

const CHUNK = 1 << 20;

export function diskState(fs: Fs, path: DiskPath): DiskState {
  const stat = fs.lstat(path);
  if (stat === null) return { kind: 'absent' };
  switch (kindOf(stat)) {
    case 'folder':
      return { kind: 'folder', mode: permissions(stat) };
    case 'link':
      return { kind: 'link', id: hashBlob(Buffer.from(fs.readLink(path), 'latin1')) };
    case 'file':
      return fileState(fs, path);
    default:
      return { kind: 'special' };
  }
}

/** Compares kind and content. Permissions are compared by the code that changes them. */
export function matchesEntry(state: DiskState, entry: Entry | null): boolean {
  if (entry === null || state.kind === 'absent') return entry === null && state.kind === 'absent';
  if (state.kind !== entry.kind) return false;
  return entry.kind === 'folder' || (state as { readonly id: ObjectId }).id === entry.id;
}

export function describeState(state: DiskState): string {
  switch (state.kind) {
    case 'absent':
      return 'nothing is there';
    case 'special':
      return 'a socket, FIFO or device is there';
    default:
      return `a ${state.kind} with other content is there`;
  }
}

/** Changes if the file is written. `stamp` is null if the file's times do not guarantee that. */
export function stampOf({ size, mtimeMs, ino }: Stat): string {
  return `${size} ${mtimeMs} ${ino}`;
}

function fileState(fs: Fs, path: DiskPath): DiskState {
  const file = fs.openRead(path);
  try {
    const stat = fs.fstat(file);
    const hash = createHash('sha1').update(`blob ${stat.size}\0`);
    // One byte more than expected: if that is missing, the end was reached.
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, stat.size + 1));
    for (let at = 0; ; ) {
      const got = fs.read(file, buffer, 0, buffer.length, at);
      hash.update(buffer.subarray(0, got));
      at += got;
      if (got === 0 || (at === stat.size && got < buffer.length)) break;
    }
    const id = hash.digest('hex') as ObjectId;
    return { kind: 'file', id, mode: permissions(stat), stamp: isStampReliable(stat) ? stampOf(stat) : null };
  } finally {
    fs.close(file);
  }
}

/** File times have a resolution of some milliseconds: two writes within one step leave the same time. */
const TIMESTAMP_STEP_MS = 100;

/** Valid only for a file that was just renamed, which sets `ctime` by the file system's own clock. */
function isStampReliable({ ctimeMs, mtimeMs }: Stat): boolean {
  return ctimeMs - mtimeMs > TIMESTAMP_STEP_MS;
}

function hashBlob(data: Buffer): ObjectId {
  return createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex') as ObjectId;
}
