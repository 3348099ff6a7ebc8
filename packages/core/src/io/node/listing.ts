import * as fs from 'node:fs';
import { type DiskPath, diskChild, type Name } from '../../model/names.ts';
import { ListingBuilder } from '../folder-listing.ts';
import type { FolderListing, FsError, ListedStat } from '../fs.ts';
import { errorCode, fsError, nativePath } from './path.ts';

const BYTES = { encoding: 'latin1' } as const;
const NULL_IF_ABSENT = { throwIfNoEntry: false } as const;
const NOT_ASCII = /[\x80-\xff]/;

/** What a listing needs to know about its folder. */
export interface OpenedFolder {
  /** A handle of the folder; null if the platform has no paths through handles. */
  readonly fd: number | null;
  /** A path to the folder without a handle; null if unknown. */
  readonly path: DiskPath | null;
  /** The path to show in errors. */
  readonly displayPath: DiskPath;
}

/**
 * Lists names and stats with node's own calls, at nearly the cost of plain `readdirSync` and `lstatSync`.
 *
 * A path through `/proc/self/fd` costs nearly twice as much as a plain one (measured), so `lstat` uses plain paths.
 * Afterwards this checks that they led through the opened folder. If not, it repeats everything through the handle.
 */
export function listByNode({ fd, path, displayPath }: OpenedFolder): FolderListing {
  const handle = fd === null ? null : (`/proc/self/fd/${fd}` as DiskPath);
  const names = fs.readdirSync(nativePath(handle ?? path!), BYTES).sort() as Name[];
  if (path === null || handle === null || fd === null) return statsOf(names, handle ?? path!, null, displayPath);
  const listing = statsOf(names, path, handle, displayPath);
  return isPathOf(path, fd) ? listing : statsOf(names, handle, null, displayPath);
}

/** @param handle used if `lstat` by plain path fails: the path may be too long, or a parent not accessible */
function statsOf(
  names: readonly Name[],
  folder: DiskPath,
  handle: DiskPath | null,
  displayPath: DiskPath,
): FolderListing {
  const plain = !NOT_ASCII.test(folder);
  const listing = new ListingBuilder(names.length);
  for (const [index, name] of names.entries()) {
    // A folder that changes while it is read may return a name twice.
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
