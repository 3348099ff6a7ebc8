/** Looks at a folder that changes meanwhile: what is not there any more is absent, what may not be read is a skip. */

import { type FolderListing, type Fs, FsError, isFsError, type Stat } from '../../io/fs.ts';
import type { Skip } from '../../model/entries.ts';
import type { DiskPath } from '../../model/names.ts';

/** `gone`: it was no longer there, or was something else. */
export type ReadOutcome<Found> = Found | { readonly skip: Skip } | { readonly gone: true };

/** For a large folder: elsewhere than on this thread, where the machine can. */
export async function listInBackground(fs: Fs, disk: DiskPath): Promise<ReadOutcome<FolderListing>> {
  if (fs.listAside === undefined) return listFolder(fs, disk);
  try {
    return await fs.listAside(disk);
  } catch (error) {
    return absentOrUnreadable(error);
  }
}

export function listFolder(fs: Fs, disk: DiskPath): ReadOutcome<FolderListing> {
  try {
    return fs.listWithStats(disk);
  } catch (error) {
    return absentOrUnreadable(error);
  }
}

export function lstatOf(fs: Fs, disk: DiskPath): Stat | null | { readonly skip: Skip } {
  try {
    return fs.lstat(disk);
  } catch (error) {
    const why = absentOrUnreadable(error);
    return 'skip' in why ? why : null;
  }
}

export function readLinkOf(fs: Fs, disk: DiskPath): ReadOutcome<string> {
  try {
    return fs.readLink(disk);
  } catch (error) {
    return isFsError(error, 'EINVAL') ? { gone: true } : absentOrUnreadable(error);
  }
}

/** Without handles or memory nothing can be said about any path: that is a failure, not a skip. */
function absentOrUnreadable(error: unknown): { readonly skip: Skip } | { readonly gone: true } {
  if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return { gone: true };
  if (error instanceof FsError && !isFsError(error, 'EMFILE', 'ENFILE', 'ENOMEM')) {
    return { skip: { reason: 'unreadable', code: error.code } };
  }
  throw error;
}
