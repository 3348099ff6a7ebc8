/** What copies take on disk: the sums of file sizes, without what a copy shares with others or with the workspace. */

import { type Fs, isFsError, kindOf } from '../io/fs.ts';
import { listIfExists } from '../io/if-exists.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { bytesIn } from '../store/usage.ts';
import type { CopyRecord } from './copy.ts';
import { treeIn } from './folder/folder-copy.ts';

/**
 * Measures a copy with everything that was written in it, and the kept output of its commands. Files that a clone shares
 * count once they are written. What is below an overlay does not count: see {@link bytesBelow}.
 * @throws FsError
 */
export function bytesOfCopy(fs: Fs, record: CopyRecord): number {
  const { place, rung, created } = record;
  // Nothing changes the folder below an overlay.
  if (rung === 'overlay') return leastBytesOfCopy(fs, record);
  const tree = treeIn(place);
  return bytesBeside(fs, place) + (rung === 'reflink' ? bytesSince(fs, tree, created) : bytesIn(fs, tree));
}

/** The same without a walk through a folder with all files: what was copied to make it, and what is beside the folder. */
export function leastBytesOfCopy(fs: Fs, { place, below, bytes }: CopyRecord): number {
  return (below === null ? bytes : 0) + bytesBeside(fs, place);
}

/** What was copied to be below overlays. Each counts once, whatever number of copies share it. */
export function bytesBelow(records: readonly CopyRecord[]): number {
  const bytes = new Map(records.flatMap((one) => (one.below === null ? [] : [[one.below, one.bytes] as const])));
  return [...bytes.values()].reduce((sum, one) => sum + one, 0);
}

function bytesBeside(fs: Fs, place: DiskPath): number {
  const tree = treeIn(place);
  let bytes = 0;
  for (const name of listIfExists(fs, place)) {
    const path = diskChild(place, name);
    if (path !== tree) bytes += sizeOf(fs, path, bytesIn);
  }
  return bytes;
}

function bytesSince(fs: Fs, folder: DiskPath, time: number): number {
  let bytes = 0;
  for (const name of listIfExists(fs, folder)) {
    const path = diskChild(folder, name);
    const changed = fs.lstat(path);
    if (changed === null) continue;
    if (kindOf(changed) === 'folder') bytes += bytesSince(fs, path, time);
    else if (changed.ctimeMs > time) bytes += changed.size;
  }
  return bytes;
}

/** Commands may remove what is measured. */
function sizeOf(fs: Fs, path: DiskPath, measure: (fs: Fs, folder: DiskPath) => number): number {
  const stat = fs.lstat(path);
  if (stat === null) return 0;
  if (kindOf(stat) !== 'folder') return stat.size;
  try {
    return measure(fs, path);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return 0;
    throw error;
  }
}
