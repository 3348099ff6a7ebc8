import * as fs from 'node:fs';
import { type DiskPath, diskChild, type Name } from '../../model/names.ts';
import { ListingBuilder } from '../folder-listing.ts';
import type { FolderListing, FsError, ListedStat } from '../fs.ts';
import { errorCode, fsError, nativePath } from './path.ts';

const BYTES = { encoding: 'latin1' } as const;
const NULL_IF_ABSENT = { throwIfNoEntry: false } as const;
const NOT_ASCII = /[\x80-\xff]/;

/** What a listing needs to know of the folder. */
export interface OpenedFolder {
  /** A handle on the folder, or null where the platform has none that leads to its children. */
  readonly fd: number | null;
  /** A path that leads to it without a handle, or null where that is not known. */
  readonly path: DiskPath | null;
  /** As errors shall tell it. */
  readonly displayPath: DiskPath;
}

/**
 * A folder's names and stats by node's own calls, as near to a bare `readdirSync` and `lstatSync` as it gets.
 *
 * A path through `/proc/self/fd` costs nearly twice as much as a plain one (measured), so files are looked at by their
 * plain paths. That these led through the opened folder is made sure of afterwards; if not, all is done again by the handle.
 */
export function listByNode({ fd, path, displayPath }: OpenedFolder): FolderListing {
  const handle = fd === null ? null : (`/proc/self/fd/${fd}` as DiskPath);
  const names = fs.readdirSync(nativePath(handle ?? path!), BYTES).sort() as Name[];
  if (path === null || handle === null || fd === null) return statsOf(names, handle ?? path!, null, displayPath);
  const listing = statsOf(names, path, handle, displayPath);
  return isPathOf(path, fd) ? listing : statsOf(names, handle, null, displayPath);
}

/** @param handle asked where a name cannot be looked at by its plain path: it may be too long, or its parents be closed */
function statsOf(
  names: readonly Name[],
  folder: DiskPath,
  handle: DiskPath | null,
  displayPath: DiskPath,
): FolderListing {
  const plain = !NOT_ASCII.test(folder);
  const listing = new ListingBuilder(names.length);
  for (const [index, name] of names.entries()) {
    // A folder that changes while it is read may tell a name twice.
    if (index > 0 && name === names[index - 1]) continue;
    try {
      const path = `${folder}/${name}`;
      const stat = fs.lstatSync(plain && !NOT_ASCII.test(name) ? path : nativePath(path), NULL_IF_ABSENT);
      if (stat !== undefined) listing.add(name, stat);
    } catch (error) {
      addByHandle(listing, name, handle, displayPath, error);
    }
  }
  return listing.build();
}

function addByHandle(
  listing: ListingBuilder,
  name: Name,
  handle: DiskPath | null,
  displayPath: DiskPath,
  first: unknown,
): void {
  let failure = first;
  if (handle !== null) {
    try {
      const stat = fs.lstatSync(nativePath(`${handle}/${name}`), NULL_IF_ABSENT);
      if (stat !== undefined) listing.add(name, stat);
      return;
    } catch (error) {
      failure = error;
    }
  }
  listing.addFailed(name, asFsError(failure, diskChild(displayPath, name)));
}

function asFsError(error: unknown, path: DiskPath): FsError {
  return fsError(error, errorCode(error), 'listWithStats', path);
}

function isPathOf(path: DiskPath, fd: number): boolean {
  try {
    const opened: ListedStat = fs.fstatSync(fd);
    const found = fs.lstatSync(nativePath(path));
    return found.ino === opened.ino && found.dev === opened.dev && found.isDirectory();
  } catch {
    return false;
  }
}
