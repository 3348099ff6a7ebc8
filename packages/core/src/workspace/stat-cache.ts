/**
 * What the last scan saw of each file, so that an unchanged file is not read again.
 *
 * An entry is believed only if everything a stat can say is as it was (size, inode, mode, both times), and the
 * file was not young when it was recorded: a change within the clock's tick of the recording would not show.
 * The cache belongs to one checkpoint: its object ids are all reachable from that checkpoint's commit, and it is
 * worth nothing once that commit is no longer a checkpoint. It is rebuilt at will; a damaged one is no error.
 */
import { createHash } from 'node:crypto';
import { readWhole } from '../io/durable-write.ts';
import { type Fs, FsError, type Stat } from '../io/fs.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, lastName, parentPath, type TreePath } from '../model/names.ts';
import { writeCacheFile } from '../store/cache-file.ts';
import { KnownFolder } from './known-folder.ts';

/** A file touched less than this before it was recorded may change again without its times showing it. */
const YOUNG_MS = 2_000;

export class StatCache {
  /** @param commit the checkpoint whose objects this cache names, or null for one that belongs to none yet */
  constructor(
    readonly commit: ObjectId | null,
    readonly folders: Map<TreePath, KnownFolder>,
  ) {}

  static empty(): StatCache {
    return new StatCache(null, new Map());
  }

  /** Something else than this cache knows is at the path now, and in the trees of all folders above it. */
  forget(path: TreePath): void {
    const name = lastName(path);
    for (let folder = path; folder !== ''; ) {
      folder = parentPath(folder);
      const known = this.folders.get(folder);
      const isParent = folder === parentPath(path);
      if (known !== undefined) this.folders.set(folder, known.without(isParent ? name : null));
    }
  }
}

/** @param now wall clock at the beginning of the scan, milliseconds */
export function isYoung(stat: Pick<Stat, 'mtimeMs' | 'ctimeMs'>, now: number): boolean {
  return Math.max(stat.mtimeMs, stat.ctimeMs) > now - YOUNG_MS;
}

const MAGIC = Buffer.from('savepoint stat cache 2\n');
const COMMIT_BYTES = 40;
/** A multiple of 8. */
const FIRST_RECORD = 64;
const DIGEST_BYTES = 20;
const CACHE_BYTES = 1 << 30;

/** The caller holds the workspace's lock. A cache that cannot be written is no failure: the next scan reads more. */
export function saveStatCache(fs: Fs, path: DiskPath, cache: StatCache): void {
  if (cache.commit === null) return;
  writeCacheFile(fs, path, encode(cache.commit, cache.folders));
}

/**
 * The saved cache, if it is undamaged and what it names is in the store; else one that knows nothing.
 * @param isCheckpoint whether the commit is one of a checkpoint: then all that it leads to is in the store
 */
export function loadStatCache(fs: Fs, path: DiskPath, isCheckpoint: (commit: ObjectId) => boolean): StatCache {
  try {
    if (fs.lstat(path) === null) return StatCache.empty();
    return decode(readWhole(fs, path, CACHE_BYTES), isCheckpoint) ?? StatCache.empty();
  } catch (error) {
    if (error instanceof FsError || error instanceof RangeError || error instanceof SavepointError) {
      return StatCache.empty();
    }
    throw error;
  }
}

/** Makes the next scan read every file. */
export function forgetStatCache(fs: Fs, path: DiskPath): void {
  writeCacheFile(fs, path, Buffer.alloc(0));
}

/** Magic, commit, zeros up to the first record, the records, and a SHA-1 of all that. */
function encode(commit: ObjectId, folders: ReadonlyMap<TreePath, KnownFolder>): Buffer {
  let bytes = FIRST_RECORD;
  for (const { bytes: record } of folders.values()) bytes += record.length;
  const out = Buffer.allocUnsafe(bytes + DIGEST_BYTES).fill(0, 0, FIRST_RECORD);
  out.write(commit, MAGIC.copy(out), 'latin1');
  let at = FIRST_RECORD;
  for (const { bytes: record } of folders.values()) at += record.copy(out, at);
  digestOf(out.subarray(0, at)).copy(out, at);
  return out;
}

function decode(data: Buffer, isCheckpoint: (commit: ObjectId) => boolean): StatCache | null {
  const end = data.length - DIGEST_BYTES;
  if (end < FIRST_RECORD || !data.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (!digestOf(data.subarray(0, end)).equals(data.subarray(end))) return null;
  const commit = data.toString('latin1', MAGIC.length, MAGIC.length + COMMIT_BYTES) as ObjectId;
  if (!isCheckpoint(commit)) return null;
  const folders = new Map<TreePath, KnownFolder>();
  for (const known of KnownFolder.in(aligned(data), FIRST_RECORD, end)) folders.set(known.path, known);
  return new StatCache(commit, folders);
}

/** Records hold numbers that are looked at where they lie. */
function aligned(data: Buffer): Buffer {
  if (data.byteOffset % 8 === 0) return data;
  const copy = Buffer.from(new ArrayBuffer(data.length));
  data.copy(copy);
  return copy;
}

function digestOf(data: Buffer): Buffer {
  return createHash('sha1').update(data).digest();
}
