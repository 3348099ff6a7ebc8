import { createHash } from 'node:crypto';
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, FsError, isFsError } from '../../io/fs.ts';
import { type DiskPath, diskChild, withSuffix } from '../../model/names.ts';

/**
 * Replaces a file of the cache folder, best effort. Nothing is synced: a reader must be able to detect an incomplete
 * file, and to do without the file. Failure to write a cache is ignored.
 */
export function writeCacheFile(fs: Fs, path: DiskPath, bytes: Buffer): void {
  try {
    replaceFile(fs, path, bytes);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}

/** The same for a file whose failure matters. @throws FsError */
export function replaceFile(fs: Fs, path: DiskPath, bytes: Buffer): void {
  const temporary = withSuffix(path, '.new');
  if (fs.lstat(temporary) !== null) fs.unlink(temporary);
  const file = fs.openNew(temporary, 0o600);
  try {
    fs.write(file, bytes, 0);
  } finally {
    fs.close(file);
  }
  fs.rename(temporary, path);
}

/** Returns a distinct text for each key, for file names. Keys may contain any characters. */
export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Returns a distinct file name for each key. */
export function fileForKey(folder: DiskPath, key: string): DiskPath {
  return diskChild(folder, `${hashOfKey(key)}.json`);
}

export function makeFolderIfMissing(fs: Fs, folder: DiskPath): void {
  try {
    fs.makeFolder(folder, 0o700);
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
}

/** Writes a JSON file, creating the folder if it is missing. */
export function writeCacheJson(fs: Fs, folder: DiskPath, key: string, json: unknown): void {
  makeFolderIfMissing(fs, folder);
  writeCacheFile(fs, fileForKey(folder, key), Buffer.from(JSON.stringify(json)));
}

/** Returns null if the file is missing, damaged or longer than `maxBytes`. */
export function readCacheJson<J, T>(fs: Fs, path: DiskPath, maxBytes: number, parse: (json: J) => T): T | null {
  try {
    return parse(JSON.parse(readEntireFile(fs, path, maxBytes).toString()) as J);
  } catch (error) {
    if (error instanceof FsError || error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}
