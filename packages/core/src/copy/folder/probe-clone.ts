/** Finds out whether files can be cloned to the place of a copy. Only trying it tells: the plain flag falls back silently. */

import { type Fs, FsError, isFsError } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';

/** Cloned in whole blocks; less might be stored without blocks of its own. */
const PROBE_BYTES = 1 << 16;
const PROBE = 'probe';

/**
 * Tries it with files of its own inside `place`. That the original is on another file system shows only when the first
 * of its files is cloned, which then is copied.
 * @param place an empty folder of Savepoint's own
 */
export async function canClone(fs: Fs, from: DiskPath, place: DiskPath): Promise<boolean> {
  if (fs.lstat(from)?.dev !== fs.lstat(place)?.dev) return false;
  const [source, clone] = [diskChild(place, PROBE), diskChild(place, `${PROBE}-clone`)];
  try {
    const file = fs.openNew(source, 0o600);
    try {
      fs.write(file, Buffer.alloc(PROBE_BYTES, PROBE), 0);
    } finally {
      fs.close(file);
    }
    const opened = fs.openRead(source);
    try {
      fs.close(await fs.copyFile(opened, clone, 0o600, 'clone'));
    } finally {
      fs.close(opened);
    }
    return true;
  } catch (error) {
    if (error instanceof FsError && !isFsError(error, 'ENOSPC', 'EDQUOT', 'EROFS')) return false;
    throw error;
  } finally {
    for (const path of [source, clone]) removeIfExists(fs, path);
  }
}
