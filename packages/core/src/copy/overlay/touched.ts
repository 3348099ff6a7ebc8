import { type Fs, isFsError, kindOf, permissions } from '../../io/fs.ts';
import { childPath, type DiskPath, type Name, onDisk, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';

/** The folders of an overlay, as processes outside of it see them. */
export interface OverlayFolders {
  /** What was written. */
  readonly upper: DiskPath;
  /** What is below it, topmost first; the last one is the folder itself. */
  readonly lower: readonly DiskPath[];
  /** What commands in the overlay see. */
  readonly merged: DiskPath;
}

/**
 * Returns the paths that commands in an overlay may have changed. Nothing below the set was changed.
 *
 * A deleted path is a device in `upper`. A folder that replaced another one has a mark there that node cannot read.
 * But it hides names of the folder below, and `merged` shows which.
 * @throws FsError if a folder cannot be read
 */
export function touchedPaths(fs: Fs, folders: OverlayFolders): PathSet {
  const touched: TreePath[] = [];
  collect(fs, folders, WORKSPACE_ITSELF, touched);
  return new PathSet(touched);
}

function collect(fs: Fs, folders: OverlayFolders, folder: TreePath, into: TreePath[]): void {
  for (const name of namesIn(fs, onDisk(folders.upper, folder))) {
    const path = childPath(folder, name);
    const stat = fs.lstat(onDisk(folders.upper, path));
    if (stat === null) continue;
    const below = folders.lower.map((lower) => fs.lstat(onDisk(lower, path))).find((one) => one !== null);
    const isMerged = kindOf(stat) === 'folder' && below !== undefined && kindOf(below) === 'folder';
    if (!isMerged || permissions(stat) !== permissions(below) || hidesNames(fs, folders, path)) into.push(path);
    else collect(fs, folders, path, into);
  }
}

/** Whether names below the folder are not visible, although nothing of them was deleted one by one. */
function hidesNames(fs: Fs, { upper, lower, merged }: OverlayFolders, path: TreePath): boolean {
  const visible = new Set([...namesIn(fs, onDisk(merged, path)), ...namesIn(fs, onDisk(upper, path))]);
  return lower.some((layer) => namesIn(fs, onDisk(layer, path)).some((name) => !visible.has(name)));
}

/** Returns none if it is not a folder. */
function namesIn(fs: Fs, path: DiskPath): readonly Name[] {
  try {
    return fs.list(path);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
