/** The files of a project, as a folder on disk or a snapshot has them. */

import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, isFsError, kindOf, statOf } from '../../io/fs.ts';
import type { FileEntry, Snapshot } from '../../model/entries.ts';
import { baseName, type DiskPath, isWithin, type Name, onDisk, parentPath, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { folderAt, readBlob, readFolder } from '../../store/snapshot/snapshot.ts';
import { type FolderNames, TreeListings } from './tree-listings.ts';

export interface ProjectFiles {
  /** Returns null if there is no regular file of at most {@link MAX_PROJECT_FILE} bytes. */
  read(path: TreePath): Buffer | null;
  /** Whether something is there that `read` gives nothing of, and that a program may read: a link, or a larger file. */
  isUnknown(path: TreePath): boolean;
  /** Returns the names of the regular files and of the folders in a folder. Empty if it does not exist. */
  list(folder: TreePath): FolderNames;
}

export const MAX_PROJECT_FILE = 1024 * 1024;

/** The files with some of their paths as in another place. */
export function filesWith(files: ProjectFiles, other: ProjectFiles, changed: ReadonlySet<TreePath>): ProjectFiles {
  return {
    read: (path) => (changed.has(path) ? other : files).read(path),
    isUnknown: (path) => (changed.has(path) ? other : files).isUnknown(path),
    list: (folder) => {
      const [own, from] = [files.list(folder), other.list(folder)];
      const names = new Set<Name>();
      const above = new Set<Name>();
      for (const path of changed) {
        if (!isWithin(path, folder) || path === folder) continue;
        const [name = '', ...more] = path.slice(folder === '' ? 0 : folder.length + 1).split('/');
        (more.length === 0 ? names : above).add(name as Name);
      }
      const isComing = (name: Name): boolean => from.folders.includes(name) && !own.folders.includes(name);
      const coming = [...new Set([...names, ...above])].filter(isComing);
      return {
        files: new Set([
          ...[...own.files].filter((name) => !names.has(name)),
          ...[...from.files].filter((name) => names.has(name)),
        ]),
        folders: [...own.folders.filter((name) => !names.has(name) || from.folders.includes(name)), ...coming].sort(),
      };
    },
  };
}

export interface CapturedFiles {
  readonly objects: ObjectReader;
  readonly snapshot: Snapshot;
}

const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR', 'EFBIG'] as const;

/** @throws FsError if something cannot be read */
export function filesOfFolder(fs: Fs, root: DiskPath): ProjectFiles {
  return {
    read: (path) => unlessAbsent(null, () => readEntireFile(fs, onDisk(root, path), MAX_PROJECT_FILE)),
    isUnknown: (path) =>
      unlessAbsent(false, () => {
        const stat = fs.lstat(onDisk(root, path));
        if (stat === null || kindOf(stat) === 'folder') return false;
        return kindOf(stat) !== 'file' || stat.size > MAX_PROJECT_FILE;
      }),
    list: (folder) =>
      unlessAbsent({ files: new Set(), folders: [] }, () => {
        const files = new Set<Name>();
        const folders: Name[] = [];
        const listing = fs.listWithStats(onDisk(root, folder));
        for (const [index, name] of listing.names.entries()) {
          const failure = listing.failed.get(index);
          if (failure !== undefined) throw failure;
          const kind = kindOf(statOf(listing, index));
          if (kind === 'file') files.add(name);
          else if (kind === 'folder') folders.push(name);
        }
        return { files, folders };
      }),
  };
}

/**
 * The files of a folder that a snapshot describes. The snapshot says what exists, because a look into each folder costs far
 * more in a large workspace; the contents are those on disk. Paths that are not captured define no checks.
 * @throws FsError, and SavepointError STORE_DAMAGED
 */
export function filesOfCaptured(
  fs: Fs,
  root: DiskPath,
  { objects, snapshot }: CapturedFiles,
  listings: TreeListings,
): ProjectFiles {
  return { ...filesOfFolder(fs, root), list: (folder) => listings.at(objects, snapshot, folder) };
}

/** @throws SavepointError STORE_DAMAGED */
export function filesOfSnapshot(
  objects: ObjectReader,
  snapshot: Snapshot,
  listings: TreeListings = new TreeListings(),
): ProjectFiles {
  const entryAt = (path: TreePath) => {
    const folder = folderAt(objects, snapshot, parentPath(path));
    return folder === null ? undefined : readFolder(objects, folder).entries.get(baseName(path));
  };
  const isLarge = ({ id }: FileEntry): boolean => (objects.info(id)?.size ?? 0) > MAX_PROJECT_FILE;
  return {
    read: (path) => {
      const entry = entryAt(path);
      return entry?.kind !== 'file' || isLarge(entry) ? null : readBlob(objects, entry.id);
    },
    isUnknown: (path) => {
      const entry = entryAt(path);
      return entry?.kind === 'link' || (entry?.kind === 'file' && isLarge(entry));
    },
    list: (folder) => listings.at(objects, snapshot, folder),
  };
}

function unlessAbsent<T>(absent: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isFsError(error, ...ABSENT)) return absent;
    throw error;
  }
}
