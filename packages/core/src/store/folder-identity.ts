/** Whether a folder is the one that it was: by what the file system says of it. */

import type { Stat } from '../io/fs.ts';

/** Evidence that a folder is the one a store was made for. Never an identity: inodes are used again. */
export interface FolderIdentity {
  readonly device: number;
  readonly inode: number;
  /** Milliseconds since 1970; 0 where the file system does not know. */
  readonly born: number;
}

export function identityOf(stat: Stat): FolderIdentity {
  return { device: stat.dev, inode: stat.ino, born: Math.round(stat.birthtimeMs) };
}

export function sameFolder(a: FolderIdentity | null, b: FolderIdentity | null): boolean {
  return a !== null && b !== null && a.device === b.device && a.inode === b.inode && a.born === b.born;
}

/**
 * Whether what stands at a path now is the folder that stood there: some systems number devices anew at each start. Only for
 * one path at two times, because a snapshot of a file system has the same inodes and times at another path.
 */
export function stillSameFolder(before: FolderIdentity | null, now: FolderIdentity | null): boolean {
  if (before === null || now === null || before.inode !== now.inode || before.born !== now.born) return false;
  return before.device === now.device || before.born !== 0;
}
