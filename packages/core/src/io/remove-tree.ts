import { type DiskPath, diskChild } from '../model/names.ts';
import { type Fs, FsError, isFsError, kindOf, type Stat } from './fs.ts';

/**
 * Removes one of Savepoint's own folders (a staging folder, a cache) with its contents, or a single file. Does nothing
 * if the path does not exist. Never used on the user's files. Links are removed, not followed, and a file system
 * mounted inside is kept. Not durable by itself: if it must be, sync the parent folder.
 *
 * @throws FsError EXDEV if another file system is mounted inside; the rest may already be removed
 */
export function removeTree(fs: Fs, path: DiskPath): void {
  const stat = fs.lstat(path);
  if (stat !== null) removeEntry(fs, path, path, stat, stat.dev);
}

/** @param named the path as the caller knows it, for errors; `path` goes through a handle */
function removeEntry(fs: Fs, path: DiskPath, named: DiskPath, stat: Stat, device: number): void {
  if (kindOf(stat) !== 'folder') {
    ignoreAbsence(() => fs.unlink(path));
    return;
  }
  if (stat.dev !== device) throw new FsError('EXDEV', 'removeFolder', named);
  const folder = openWritable(fs, path, stat);
  if (folder === null) return;
  try {
    // Empty the folder that was opened, even if its name refers to something else by now.
    if (fs.fstat(folder).dev !== device) throw new FsError('EXDEV', 'removeFolder', named);
    const inside = fs.folderPath(folder, path);
    for (const name of fs.list(inside).sort()) {
      const child = diskChild(inside, name);
      const childStat = fs.lstat(child);
      if (childStat !== null) removeEntry(fs, child, diskChild(named, name), childStat, device);
    }
  } finally {
    fs.close(folder);
  }
  ignoreAbsence(() => fs.removeFolder(path));
}

/** Opens a folder. If needed, first makes it accessible to its owner. */
function openWritable(fs: Fs, path: DiskPath, stat: Stat): ReturnType<Fs['openFolder']> | null {
  try {
    if ((stat.mode & 0o700) !== 0o700) fs.chmod(path, 0o700);
    return fs.openFolder(path);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}

function ignoreAbsence(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!isFsError(error, 'ENOENT')) throw error;
  }
}
