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
import type { DiskPath, Name, TreePath } from '../model/names.ts';
import { writeCacheFile } from '../store/cache-file.ts';

/** A file touched less than this before it was recorded may change again without its times showing it. */
const YOUNG_MS = 2_000;

export interface CachedFile {
  readonly size: number;
  readonly inode: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly id: ObjectId;
  /** An ignore rule of the folder's chain covers it. */
  readonly ignored: boolean;
}

export interface CachedFolder {
  /** The key of the ignore chain that `ignored` was judged by. */
  readonly rules: string;
  readonly files: Map<Name, CachedFile>;
}

export class StatCache {
  /** @param commit the checkpoint whose objects this cache names, or null for a cache that knows nothing */
  constructor(
    readonly commit: ObjectId | null,
    readonly folders: Map<TreePath, CachedFolder>,
  ) {}

  static empty(): StatCache {
    return new StatCache(null, new Map());
  }
}

/** The id recorded for a file, if the stat proves that it is still the same. */
export function provenId(cached: CachedFile | undefined, stat: Stat): ObjectId | null {
  return cached !== undefined &&
    cached.size === stat.size &&
    cached.mtimeMs === stat.mtimeMs &&
    cached.ctimeMs === stat.ctimeMs &&
    cached.inode === stat.ino &&
    cached.mode === stat.mode
    ? cached.id
    : null;
}

/** @param now wall clock at the beginning of the scan, milliseconds */
export function isYoung(stat: Stat, now: number): boolean {
  return Math.max(stat.mtimeMs, stat.ctimeMs) > now - YOUNG_MS;
}

const MAGIC = Buffer.from('savepoint stat cache 1\n');
const DIGEST_BYTES = 20;
const CACHE_BYTES = 1 << 30;
const ENTRY_NUMBERS = 5;

/** The caller holds the workspace's lock. A cache that cannot be written is no failure: the next scan reads more. */
export function saveStatCache(fs: Fs, path: DiskPath, cache: StatCache): void {
  if (cache.commit === null) return;
  writeCacheFile(fs, path, encode(cache));
}

/** The saved cache, if it belongs to `commit` and is undamaged; else one that knows nothing. */
export function loadStatCache(fs: Fs, path: DiskPath, commit: ObjectId | null): StatCache {
  if (commit === null) return StatCache.empty();
  try {
    if (fs.lstat(path) === null) return StatCache.empty();
    return decode(readWhole(fs, path, CACHE_BYTES), commit) ?? StatCache.empty();
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

function encode(cache: StatCache): Buffer {
  let bytes = MAGIC.length + 40;
  for (const [path, folder] of cache.folders) {
    bytes += 4 + path.length + 2 + folder.rules.length + 4;
    for (const name of folder.files.keys()) bytes += 2 + name.length + ENTRY_NUMBERS * 8 + 20 + 1;
  }
  const out = Buffer.allocUnsafe(bytes + DIGEST_BYTES);
  let at = MAGIC.copy(out);
  at += out.write(cache.commit as string, at, 'latin1');
  for (const [path, folder] of cache.folders) {
    at = out.writeUInt32LE(path.length, at);
    at += out.write(path, at, 'latin1');
    at = out.writeUInt16LE(folder.rules.length, at);
    at += out.write(folder.rules, at, 'latin1');
    at = out.writeUInt32LE(folder.files.size, at);
    for (const [name, file] of folder.files) {
      at = out.writeUInt16LE(name.length, at);
      at += out.write(name, at, 'latin1');
      at = out.writeDoubleLE(file.size, at);
      at = out.writeDoubleLE(file.inode, at);
      at = out.writeDoubleLE(file.mode, at);
      at = out.writeDoubleLE(file.mtimeMs, at);
      at = out.writeDoubleLE(file.ctimeMs, at);
      at += out.write(file.id, at, 'hex');
      at = out.writeUInt8(file.ignored ? 1 : 0, at);
    }
  }
  createHash('sha1').update(out.subarray(0, at)).digest().copy(out, at);
  return out.subarray(0, at + DIGEST_BYTES);
}

function decode(data: Buffer, commit: ObjectId): StatCache | null {
  const end = data.length - DIGEST_BYTES;
  if (end < MAGIC.length + 40 || !data.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (data.toString('latin1', MAGIC.length, MAGIC.length + 40) !== commit) return null;
  if (!createHash('sha1').update(data.subarray(0, end)).digest().equals(data.subarray(end))) return null;
  const folders = new Map<TreePath, CachedFolder>();
  let at = MAGIC.length + 40;
  const text = (length: number): string => {
    at += length;
    return data.toString('latin1', at - length, at);
  };
  while (at < end) {
    at += 4;
    const path = text(data.readUInt32LE(at - 4)) as TreePath;
    at += 2;
    const rules = text(data.readUInt16LE(at - 2));
    const count = data.readUInt32LE(at);
    at += 4;
    const files = new Map<Name, CachedFile>();
    for (let left = count; left > 0; left--) {
      at += 2;
      const name = text(data.readUInt16LE(at - 2)) as Name;
      files.set(name, {
        size: data.readDoubleLE(at),
        inode: data.readDoubleLE(at + 8),
        mode: data.readDoubleLE(at + 16),
        mtimeMs: data.readDoubleLE(at + 24),
        ctimeMs: data.readDoubleLE(at + 32),
        id: data.toString('hex', at + 40, at + 60) as ObjectId,
        ignored: data[at + 60] === 1,
      });
      at += 61;
    }
    folders.set(path, { rules, files });
  }
  return new StatCache(commit, folders);
}
