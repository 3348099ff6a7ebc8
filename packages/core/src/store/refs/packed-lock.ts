/**
 * git's lock on `packed-refs`: the file `packed-refs.lock`, created by the process that is about to write. git's own
 * lock is empty. Ours has its content from the moment it exists. So a lock left by a dead Savepoint process can be
 * distinguished from one of a running git.
 */
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { discard, renameIfFree, temporaryPathOf } from './loose-refs.ts';

const OURS = Buffer.from('# savepoint\n');
const FILE_MODE = 0o600;

export function packedLockPath(folder: DiskPath): DiskPath {
  return diskChild(folder, 'packed-refs.lock');
}

/**
 * Runs `action` under the lock. The caller holds the store's lock, so an existing lock of ours belongs to a dead process.
 * @throws FsError EEXIST while git holds the lock
 */
export function withPackedLock({ fs, random }: Ports, folder: DiskPath, action: () => void): void {
  const lock = packedLockPath(folder);
  if (isOurLock(fs, lock)) fs.unlink(lock);
  const temporary = temporaryPathOf(lock, random);
  const fd = fs.openNew(temporary, FILE_MODE);
  try {
    try {
      fs.write(fd, OURS, 0);
      fs.sync(fd);
    } finally {
      fs.close(fd);
    }
    renameIfFree(fs, temporary, lock);
  } finally {
    discard(fs, temporary);
  }
  try {
    action();
  } finally {
    discard(fs, lock);
  }
}

export function isOurLock(fs: Fs, path: DiskPath): boolean {
  try {
    return readEntireFile(fs, path, OURS.length).equals(OURS);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'EFBIG', 'EINVAL', 'ELOOP')) return false;
    throw error;
  }
}
