/** Identifies a folder by its device, inode and birth time, to detect whether it was replaced. */

import type { Stat } from '../io/fs.ts';

/** Signs that a folder is the one a store was created for. Never proof: file systems reuse inodes. */
export interface FolderIdentity {
  readonly device: number;
  readonly inode: number;
  /** Milliseconds since 1970; 0 if the file system does not record it. */
  readonly born: number;
}

export function identityOf(stat: Stat): FolderIdentity {
  return { device: stat.dev, inode: stat.ino, born: Math.round(stat.birthtimeMs) };
}

export function sameFolder(a: FolderIdentity | null, b: FolderIdentity | null): boolean {
  return a !== null && b !== null && a.device === b.device && a.inode === b.inode && a.born === b.born;
}

/**
 * Returns whether the folder at a path is still the one that was there before. If both have a birth time, the device
 * may differ, because some systems renumber devices at every boot.
 * Use it only for one path at two times: a file system snapshot has the same inodes and times at another path.
 */
export function stillSameFolder(before: FolderIdentity | null, now: FolderIdentity | null): boolean {
  if (before === null || now === null || before.inode !== now.inode || before.born !== now.born) return false;
  return before.device === now.device || before.born !== 0;
}
