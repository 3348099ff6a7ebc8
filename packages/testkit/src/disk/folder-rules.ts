/** Which renames and removals of folders the system refuses, and with which code: rename(2), rmdir(2). */

import type { Ino, Inode, Inodes } from './inodes.ts';
import type { WalkResult } from './walk.ts';

/** @returns the error code; null if the two locations allow the rename */
export function refusalToMove(inodes: Inodes, source: WalkResult, target: WalkResult): string | null {
  if (source.name === null || target.name === null) return 'EBUSY';
  const moved = source.inode;
  if (moved === null) return 'ENOENT';
  if (moved.dev !== inodes.get(target.parent).dev) return isMountPoint(inodes, source) ? 'EBUSY' : 'EXDEV';
  if (moved.kind === 'folder' && isWithin(inodes, target.parent, moved.ino)) return 'EINVAL';
  const isInTarget = target.inode?.kind === 'folder' && isWithin(inodes, source.parent, target.inode.ino);
  return isInTarget ? 'ENOTEMPTY' : null;
}

/** @returns the error code; null if `moved` may replace `existing` */
export function refusalToReplace(existing: Inode, moved: Inode): string | null {
  if (existing.kind !== 'folder') return moved.kind === 'folder' ? 'ENOTDIR' : null;
  if (moved.kind !== 'folder') return 'EISDIR';
  return existing.entries.size > 0 ? 'ENOTEMPTY' : null;
}

/** @returns the error code; null if the folder may be removed */
export function refusalToRemove(inodes: Inodes, place: WalkResult): string | null {
  if (place.inode?.kind !== 'folder') return 'ENOTDIR';
  if (place.name === null) return 'EINVAL';
  if (isMountPoint(inodes, place)) return 'EBUSY';
  return place.inode.entries.size > 0 ? 'ENOTEMPTY' : null;
}

export function isMountPoint(inodes: Inodes, place: WalkResult): boolean {
  return place.inode !== null && place.name !== null && place.inode.dev !== inodes.get(place.parent).dev;
}

/** Whether `folder` is `other` or is below it. */
function isWithin(inodes: Inodes, folder: Ino, other: Ino): boolean {
  if (folder === other) return true;
  return [...inodes.folder(other).entries.values()].some(
    (entry) => inodes.get(entry.ino).kind === 'folder' && isWithin(inodes, folder, entry.ino),
  );
}
