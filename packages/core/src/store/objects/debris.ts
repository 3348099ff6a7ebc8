/**
 * What interrupted writers and removers left among the objects. The caller holds the store's lock, so that no writer
 * of ours is at work. What a dead process did may not be durable yet: the folder is fsynced before anything is made of
 * what is seen in it. Nothing that has a name which counts is removed here, save an index whose pack's removal had
 * begun: a pack without an index, or an index without a pack, is damage and stays as evidence.
 */

import { readEntireFile, syncFolder } from '../../io/durable-write.ts';
import { isFsError } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { FormatProblem } from './damage.ts';
import { readFully } from './file-handle-cache.ts';
import type { ObjectFiles } from './object-files.ts';
import { PACK_TRAILER_BYTES } from './packs/pack-format.ts';
import { PackIndex } from './packs/pack-index.ts';
import { stemBeforeRemoval, TEMPORARY_PREFIX } from './packs/pack-names.ts';
import { removeCompanions } from './packs/pack-removal.ts';

export interface CollectedDebris {
  /** Files that were removed. */
  readonly removed: number;
  /** Their bytes. */
  readonly bytes: number;
  /** Packs and indexes that were complete and were given the name that they lacked. */
  readonly completed: number;
}

/** git's own leftovers; a git that somebody runs on the store may be using younger ones. */
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
    // P3: a writer was cut between its renames, and the file that it had renamed shows that this one is complete.
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

/** The checksum, in hex, of the pack that a whole index is of; null where it is cut or damaged. */
function checksumInIndex({ fs }: ObjectFiles, path: DiskPath): string | null {
  try {
    return new PackIndex(readEntireFile(fs, path, TEMPORARY_INDEX_BYTES)).packChecksum.toString('hex');
  } catch (error) {
    if (error instanceof FormatProblem || isFsError(error, 'EFBIG', 'EINVAL', 'ELOOP')) return null;
    throw error;
  }
}

/** The last bytes of a file, in hex: a whole pack's checksum. */
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
