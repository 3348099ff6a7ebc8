/** What a store takes on disk, by what it is for. */
import { type Fs, isFsError, kindOf } from '../io/fs.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import type { StoreLayout } from './layout.ts';

/** Bytes, by the files' own sizes. */
export interface Usage {
  /** Packs with their indexes. */
  readonly packs: number;
  /** Objects in files of their own. */
  readonly loose: number;
  /** The names of checkpoints, and what else makes it a repository. */
  readonly refs: number;
  /** Plain copies of files that edits replaced. */
  readonly backups: number;
  /** May be deleted at any time. */
  readonly cache: number;
  /** Calls of agents that have begun and not ended. */
  readonly calls: number;
  /** Acts in flight. */
  readonly journal: number;
  /** The record, the lock, and what does not belong here. */
  readonly other: number;
  readonly total: number;
}

/** What comes or goes meanwhile counts or does not. @throws FsError for a folder that cannot be looked into */
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

/** By the files' own sizes; nothing for a folder that is not there. @throws FsError for one that cannot be looked into */
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
