/** Reads a folder that may change concurrently. What no longer exists is absent; what may not be read is a skip. */

import { type FolderListing, type Fs, FsError, isFsError, type Stat } from '../../io/fs.ts';
import type { Skip } from '../../model/entries.ts';
import type { DiskPath } from '../../model/names.ts';

/** `gone`: it no longer exists, or is something else. */
export type ReadOutcome<Found> = Found | { readonly skip: Skip } | { readonly gone: true };

/** For a large folder: lists it on another thread if the driver supports that. */
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

/** Running out of handles or memory says nothing about the path, so it is an error and not a skip. */
function absentOrUnreadable(error: unknown): { readonly skip: Skip } | { readonly gone: true } {
  if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return { gone: true };
  if (error instanceof FsError && !isFsError(error, 'EMFILE', 'ENFILE', 'ENOMEM')) {
    return { skip: { reason: 'unreadable', code: error.code } };
  }
  throw error;
}
