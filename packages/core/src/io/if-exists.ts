import type { DiskPath } from '../model/names.ts';
import { type Fs, isFsError } from './fs.ts';

/** Removes one of Savepoint's own files. @returns false if it did not exist */
export function removeIfExists(fs: Fs, path: DiskPath): boolean {
  try {
    fs.unlink(path);
    return true;
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** Lists a folder. Returns an empty list if it does not exist. */
export function listIfExists(fs: Fs, folder: DiskPath): readonly string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return [];
    throw error;
  }
}
