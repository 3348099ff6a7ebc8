import { type DiskPath, diskChild } from '../model/names.ts';
import { type Fs, FsError, isFsError, kindOf, type Stat } from './fs.ts';

/**
 * Removes a folder of our own (a staging folder, a cache) with everything in it, or a single file; nothing there is
 * fine. Never used on what belongs to the user. Links are removed, not followed, and a file system that somebody mounted
 * inside stays. Not durable by itself: sync the folder that `path` lies in if it must be.
 *
 * @throws FsError EXDEV if another file system is mounted inside; the rest may be gone by then
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
    // What was opened is what is emptied, whatever becomes of the name meanwhile.
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

/** Opens a folder, made readable and writable by its owner first if it is not. */
function openWritable(fs: Fs, path: DiskPath, stat: Stat): ReturnType<Fs['openFolder']> | null {
  try {
    if ((stat.mode & 0o700) !== 0o700) fs.chmod(path, 0o700);
    return fs.openFolder(path);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}

function ignoreAbsence(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!isFsError(error, 'ENOENT')) throw error;
  }
}
