/** Disk usage of a store, by purpose. */
import { type Fs, isFsError, kindOf } from '../io/fs.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import type { StoreLayout } from './layout.ts';

/** In bytes: the sum of file sizes. */
export interface Usage {
  /** Packs with their indexes. */
  readonly packs: number;
  /** Loose objects. */
  readonly loose: number;
  /** The refs of checkpoints, and the other files of the git repository. */
  readonly refs: number;
  /** Plain copies of files that edits replaced. */
  readonly backups: number;
  /** May be deleted at any time. */
  readonly cache: number;
  /** Open calls of agents. */
  readonly calls: number;
  /** Transactions in progress. */
  readonly journal: number;
  /** Everything else: records, session states, the lock, and files that do not belong in a store. */
  readonly other: number;
  readonly total: number;
}

/**
 * Measures a store. Files that are created or removed meanwhile may or may not be counted.
 * @throws FsError if a folder cannot be listed
 */
export function storeUsage(fs: Fs, layout: StoreLayout): Usage {
  const objects = diskChild(layout.objects, 'objects');
  const total = bytesIn(fs, layout.path);
  const packs = bytesIn(fs, diskChild(objects, 'pack'));
  const loose = bytesIn(fs, objects) - packs;
  const refs = bytesIn(fs, layout.objects) - packs - loose;
  const [backups, cache] = [bytesIn(fs, layout.backups), bytesIn(fs, layout.cache)];
  const [calls, journal] = [bytesIn(fs, layout.calls), bytesIn(fs, layout.journal)];
  const other = Math.max(0, total - packs - loose - refs - backups - cache - calls - journal);
  return { packs, loose, refs, backups, cache, calls, journal, other, total };
}

/**
 * Returns the sum of file sizes below a folder; 0 if it does not exist. @throws FsError if a folder cannot be listed
 */
export function bytesIn(fs: Fs, folder: DiskPath): number {
  let names: readonly string[];
  try {
    names = fs.list(folder);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return 0;
    throw error;
  }
  let bytes = 0;
  for (const name of names) {
    const path = diskChild(folder, name);
    const stat = fs.lstat(path);
    if (stat === null) continue;
    bytes += kindOf(stat) === 'folder' ? bytesIn(fs, path) : stat.size;
  }
  return bytes;
}
