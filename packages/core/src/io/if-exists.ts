import type { DiskPath } from '../model/names.ts';
import { type Fs, isFsError } from './fs.ts';

/** A file of our own. @returns false if it was not there */
export function removeIfExists(fs: Fs, path: DiskPath): boolean {
  try {
    fs.unlink(path);
    return true;
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** Nothing is in a folder that is not there. */
export function listIfExists(fs: Fs, folder: DiskPath): readonly string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return [];
    throw error;
  }
}
