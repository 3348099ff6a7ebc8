/**
 * Handles what interrupted writers and removers left among the objects. The caller holds the store's lock, so no writer
 * of ours is active. The work of a dead process may not be durable yet, so the folder is fsynced before anything is
 * done with its listing. No file with a final name is removed, except an index whose pack's removal had begun. A pack
 * without an index, or an index without a pack, is damage and is kept as evidence.
 */

import { syncFolder } from '../../io/durable-write.ts';
import { isFsError } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { FormatProblem } from './damage.ts';
import { readFully } from './file-handle-cache.ts';
import type { ObjectFiles } from './object-files.ts';
import { openPackIndex } from './packs/index-file.ts';
import { PACK_TRAILER_BYTES } from './packs/pack-format.ts';
import { stemBeforeRemoval, TEMPORARY_PREFIX } from './packs/pack-names.ts';
import { removeCompanions } from './packs/pack-removal.ts';

export interface CollectedDebris {
  /** Number of removed files. */
  readonly removed: number;
  /** Total size of the removed files. */
  readonly bytes: number;
  /** Complete packs and indexes that received their missing final name. */
  readonly completed: number;
}

/** Temporary files of git. Younger ones may belong to a git that a user is running on the store. */
const GIT_TEMPORARY = /^(?:tmp_(?:pack|idx|rev|obj|bitmap|mtimes)_|\.tmp-)/;
const GIT_TEMPORARY_MS = 24 * 60 * 60 * 1000;
const TEMPORARY_INDEX_BYTES = 1024 * 1024 * 1024;

export function collectDebris(files: ObjectFiles): CollectedDebris {
  const { fs, packs, loose } = files;
  syncFolder(fs, packs.folder);
  const names = fs.list(packs.folder).sort();
  const there = new Set<string>(names);
  const pathOf = (name: string): DiskPath => diskChild(packs.folder, name);
  let removed = 0;
  let bytes = 0;
  let completed = 0;

  const complete = (name: string, target: string): void => {
    fs.rename(pathOf(name), pathOf(target));
    there.add(target);
    completed++;
  };
  const remove = (path: DiskPath): void => {
    const size = fs.lstat(path)?.size ?? 0;
    if (!removeIfExists(fs, path)) return;
    removed++;
    bytes += size;
  };

  for (const name of names.filter((each) => each.startsWith(TEMPORARY_PREFIX))) {
    const stem = stemBeforeRemoval(name);
    if (stem !== null) {
      if (!there.has(`${stem}.pack`)) {
        removeCompanions(fs, pathOf(stem));
        syncFolder(fs, packs.folder); // R3
      }
      remove(pathOf(name));
      continue;
    }
    // P3: a writer was interrupted between its renames. The file that it did rename proves that this one is complete.
    const [own, other] = name.endsWith('.idx') ? (['idx', 'pack'] as const) : (['pack', 'idx'] as const);
    const checksum = own === 'idx' ? checksumInIndex(files, pathOf(name)) : checksumOfPack(files, pathOf(name));
    if (checksum !== null && there.has(`pack-${checksum}.${other}`) && !there.has(`pack-${checksum}.${own}`)) {
      complete(name, `pack-${checksum}.${own}`);
    } else {
      remove(pathOf(name));
    }
  }
  if (completed > 0) syncFolder(fs, packs.folder);

  const now = files.ports.clock.now();
  for (const { path, names: found } of [{ path: packs.folder, names }, ...loose.folders()]) {
    for (const name of found) {
      const file = diskChild(path, name);
      if (!GIT_TEMPORARY.test(name)) continue;
      const stat = fs.lstat(file);
      if (stat !== null && Math.abs(now - stat.mtimeMs) > GIT_TEMPORARY_MS) remove(file);
    }
  }
  return { removed, bytes, completed };
}

/**
 * Returns the names, without extension, of the packs that a writer or a remover is working on, or has left to be
 * completed: one of their two files may have its final name, and the other one a temporary name or none.
 */
export function unfinishedStems(files: ObjectFiles, names: readonly string[]): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const name of names.filter((each) => each.startsWith(TEMPORARY_PREFIX))) {
    const removed = stemBeforeRemoval(name);
    const path = diskChild(files.packs.folder, name);
    try {
      const stem =
        removed ?? `pack-${name.endsWith('.idx') ? checksumInIndex(files, path) : checksumOfPack(files, path)}`;
      stems.add(stem);
    } catch (error) {
      if (!isFsError(error, 'ENOENT')) throw error;
    }
  }
  return stems;
}

/** Returns the hex checksum of the pack that a complete index belongs to; null if the index is truncated or damaged. */
function checksumInIndex({ fs, handles }: ObjectFiles, path: DiskPath): string | null {
  try {
    return openPackIndex(fs, handles, path, TEMPORARY_INDEX_BYTES).packChecksum.toString('hex');
  } catch (error) {
    if (error instanceof FormatProblem || isFsError(error, 'EFBIG', 'EINVAL', 'ELOOP')) return null;
    throw error;
  } finally {
    handles.close(path);
  }
}

/** Returns the last bytes of a file in hex: in a complete pack, its checksum. */
function checksumOfPack({ fs }: ObjectFiles, path: DiskPath): string | null {
  const size = fs.lstat(path)?.size ?? 0;
  if (size < PACK_TRAILER_BYTES) return null;
  const fd = fs.openRead(path);
  try {
    const bytes = Buffer.alloc(PACK_TRAILER_BYTES);
    readFully(fs, fd, bytes, bytes.length, size - bytes.length);
    return bytes.toString('hex');
  } finally {
    fs.close(fd);
  }
}
