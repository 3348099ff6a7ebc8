import { type Fs, FsError } from '../io/fs.ts';
import type { DiskPath } from '../model/names.ts';

/**
 * Replaces a file of the cache folder. Nothing is synced: what it holds must tell by itself whether it is whole, and
 * must not be missed. A cache that cannot be written is left out.
 */
export function writeCacheFile(fs: Fs, path: DiskPath, bytes: Buffer): void {
  const temporary = `${path}.new` as DiskPath;
  try {
    if (fs.lstat(temporary) !== null) fs.unlink(temporary);
    const file = fs.openNew(temporary, 0o600);
    try {
      fs.write(file, bytes, 0);
    } finally {
      fs.close(file);
    }
    fs.rename(temporary, path);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}
