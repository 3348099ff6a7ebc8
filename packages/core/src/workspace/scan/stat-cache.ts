/**
 * Remembers the stat data of each file in the last scan, so that unchanged files are not read again.
 *
 * An entry is trusted only if all stat data is unchanged: size, inode, mode, both times. The file must also not have
 * been too recent when it was recorded, or a change within the same clock tick would go unnoticed. The cache belongs to
 * one checkpoint: its object ids are all reachable from that checkpoint's commit. It is worthless once that commit is
 * no longer a checkpoint. It can be rebuilt at any time, so a damaged cache is not an error.
 */
import { createHash } from 'node:crypto';
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, FsError, type Stat } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import { baseName, type Name, parentPath, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { ensureCache, type StoreLayout } from '../../store/layout.ts';
import { writeCacheFile } from '../../store/state/cache-file.ts';
import { KnownFolder } from './known-folder.ts';
import { spaceOf } from './record-space.ts';
import type { RecalledScan, ScanDependencies, ScanMemory, VisitedFolder } from './scan-memory.ts';

/** If a file changed less than this before it was recorded, it may change again without its times showing it. */
const YOUNG_MS = 2_000;

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

/** A scan memory in a file of the store's cache. */
export class StatCache implements ScanMemory {
  constructor(
    private readonly ports: Ports,
    private readonly layout: StoreLayout,
  ) {}

  recall({ isCheckpoint }: Pick<ScanDependencies, 'isCheckpoint'>): SavedFolders {
    return this.load(isCheckpoint) ?? new SavedFolders(this.ports.fs, null, new Map());
  }

  /** @param unvisited records of other folders that are in the trees of the commit as well */
  keep(
    commit: ObjectId,
    recalled: RecalledScan,
    visited: ReadonlyMap<TreePath, VisitedFolder>,
    changedSince: readonly TreePath[],
    unvisited: ReadonlyMap<TreePath, KnownFolder> = new Map(),
  ): void {
    const folders = new Map(unvisited);
    let isNew = changedSince.length > 0;
    for (const [path, { written }] of visited) {
      folders.set(path, written.known);
      isNew ||= recalled.known(path) !== written.known;
    }
    forgetPaths(folders, changedSince);
    const { commit: savedCommit, size } = recalled as SavedFolders;
    if (isNew || savedCommit !== commit || size !== folders.size) this.save(commit, folders);
  }

  /** The file belongs to a captured scan. */
  keepUncaptured(): void {}

  /** Failing to write the cache is not an error: the next scan reads more. */
  save(commit: ObjectId, folders: ReadonlyMap<TreePath, KnownFolder>): void {
    ensureCache(this.ports, this.layout);
    writeCacheFile(this.ports.fs, this.layout.statCache, encode(commit, folders));
  }

  /** Returns null if the file is missing or damaged, or its commit is no longer a checkpoint. */
  load(isCheckpoint: ScanDependencies['isCheckpoint']): SavedFolders | null {
    const { fs } = this.ports;
    try {
      if (fs.lstat(this.layout.statCache) === null) return null;
      return decode(fs, readEntireFile(fs, this.layout.statCache, CACHE_BYTES), isCheckpoint);
    } catch (error) {
      if (error instanceof FsError || error instanceof RangeError || error instanceof SavepointError) return null;
      throw error;
    }
  }

  forget(): void {
    writeCacheFile(this.ports.fs, this.layout.statCache, Buffer.alloc(0));
  }
}

export class SavedFolders implements RecalledScan {
  constructor(
    private readonly fs: Fs,
    /** The checkpoint that has the objects. Null if nothing is known. */
    readonly commit: ObjectId | null,
    readonly folders: ReadonlyMap<TreePath, KnownFolder>,
  ) {}

  get size(): number {
    return this.folders.size;
  }

  known(path: TreePath): KnownFolder | undefined {
    return this.folders.get(path);
  }

  unchangedFolder(): null {
    return null;
  }

  watch(): boolean {
    return true;
  }

  isQuiet(): boolean {
    return false;
  }

  still<Result>(_key: string, make: (fs: Fs, before: Result | null) => Result): Result {
    return make(this.fs, null);
  }

  /** Every scan visits all folders anyway. */
  mustRescan(): boolean {
    return false;
  }
}

/** Returns all folders above the paths, each with the names of those paths that are directly in it. */
export function foldersAbove(paths: readonly TreePath[]): ReadonlyMap<TreePath, ReadonlySet<Name>> {
  const folders = new Map<TreePath, Set<Name>>();
  const namesIn = (folder: TreePath): Set<Name> => {
    let names = folders.get(folder);
    if (names === undefined) {
      names = new Set();
      folders.set(folder, names);
      if (folder !== WORKSPACE_ITSELF) namesIn(parentPath(folder));
    }
    return names;
  };
  for (const path of paths) if (path !== WORKSPACE_ITSELF) namesIn(parentPath(path)).add(baseName(path));
  return folders;
}

/** Something else is at the paths now, so the written trees above them no longer match. */
function forgetPaths(folders: Map<TreePath, KnownFolder>, paths: readonly TreePath[]): void {
  for (const [folder, names] of foldersAbove(paths)) {
    const known = folders.get(folder);
    if (known !== undefined) folders.set(folder, known.without(names));
  }
}

/**
 * Magic, commit, zeros up to the first record, the records, and a SHA-1 of everything before it. The records are then used
 * in place, so that nothing keeps the memory in which they were collected over hours.
 */
function encode(commit: ObjectId, folders: ReadonlyMap<TreePath, KnownFolder>): Buffer {
  let bytes = FIRST_RECORD;
  for (const { length } of folders.values()) bytes += length;
  const out = Buffer.from(new ArrayBuffer(bytes + DIGEST_BYTES));
  out.write(commit, MAGIC.copy(out), 'latin1');
  const space = spaceOf(out);
  let at = FIRST_RECORD;
  for (const known of folders.values()) {
    known.moveTo(space, at);
    at += known.length;
  }
  digestOf(out.subarray(0, at)).copy(out, at);
  return out;
}

function decode(fs: Fs, data: Buffer, isCheckpoint: ScanDependencies['isCheckpoint']): SavedFolders | null {
  const end = data.length - DIGEST_BYTES;
  if (end < FIRST_RECORD || !data.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (!digestOf(data.subarray(0, end)).equals(data.subarray(end))) return null;
  const commit = data.toString('latin1', MAGIC.length, MAGIC.length + COMMIT_BYTES) as ObjectId;
  if (!isCheckpoint(commit)) return null;
  const folders = new Map<TreePath, KnownFolder>();
  for (const known of KnownFolder.in(data, FIRST_RECORD, end)) folders.set(known.path, known);
  return new SavedFolders(fs, commit, folders);
}

function digestOf(data: Buffer): Buffer {
  return createHash('sha1').update(data).digest();
}
