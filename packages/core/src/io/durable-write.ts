import { type DiskPath, withSuffix } from '../model/names.ts';
import { type Fd, type Fs, FsError, isFsError, kindOf } from './fs.ts';

/** More than can accumulate: each power cut in the middle of a write leaves one file. */
const MAX_TEMPORARY_NAMES = 16;
const TEMPORARY = /\.tmp-\d{1,2}$/;
/** Error codes of file systems without hard links. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Returns true for temporary names of {@link durableWrite} and {@link durableCreate}, which remain after a crash. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Writes `bytes` to `path`, replacing an existing file. After a crash at any moment, the file has the old bytes or the
 * new ones; after this returns, the new ones. The caller must hold the lock that guards `path`. Of two concurrent
 * writers, one wins and the other may fail with ENOENT, but their bytes are never mixed.
 *
 * @param mode permission bits of the file, regardless of the umask
 * @throws FsError of the step that failed. Before the rename, nothing has changed. If syncing the folder failed, the
 *   new bytes are in place but may be lost in a power cut.
 */
export function durableWrite(fs: Fs, path: DiskPath, bytes: Uint8Array, mode: number): void {
  const temporary = writeTemporary(fs, path, bytes, mode);
  try {
    // Atomic for readers and crashes: the name refers to the old file or to the new one.
    fs.rename(temporary.path, path);
  } catch (error) {
    discard(fs, temporary.path);
    throw error;
  }
  // Without this, a power cut could undo the rename after this function reported success.
  syncFolder(fs, containingFolder(path));
  for (const leftover of temporary.leftovers) discard(fs, leftover);
}

/**
 * Like {@link durableWrite}, but never replaces: if several processes create `path`, exactly one succeeds.
 *
 * If the file system has no hard links, this creates an empty file to reserve the name, and renames the complete file
 * over it. A crash in between leaves the file empty, so readers there must treat an empty file as unwritten.
 *
 * @throws FsError EEXIST if the path already exists
 */
export function durableCreate(fs: Fs, path: DiskPath, bytes: Uint8Array, mode: number): void {
  const temporary = writeTemporary(fs, path, bytes, mode);
  try {
    try {
      // link(2) gives the name to a file that is already complete, and fails if the name exists.
      fs.hardLink(temporary.path, path);
    } catch (error) {
      if (!isFsError(error, ...NO_HARD_LINKS)) throw error;
      fs.close(fs.openNew(path, 0o600));
      fs.rename(temporary.path, path);
    }
    syncFolder(fs, containingFolder(path));
  } finally {
    // The temporary name is no longer needed. If a crash keeps it, it is an ordinary leftover.
    discard(fs, temporary.path);
  }
  for (const leftover of temporary.leftovers) discard(fs, leftover);
}

/**
 * Reads a whole regular file.
 *
 * @param maxBytes a longer file is refused, so that no file on disk can exhaust the memory
 * @throws FsError EFBIG if it is longer, EINVAL if it is not a regular file, ENOENT if it does not exist
 */
export function readEntireFile(fs: Fs, path: DiskPath, maxBytes: number): Buffer {
  const fd = fs.openRead(path);
  try {
    const stat = fs.fstat(fd);
    if (kindOf(stat) !== 'file') throw new FsError('EINVAL', 'openRead', path);
    if (stat.size > maxBytes) throw new FsError('EFBIG', 'read', path);
    // One byte more than expected, to detect the end of the file, or that it grew meanwhile.
    let buffer = Buffer.allocUnsafe(stat.size + 1);
    let length = 0;
    for (;;) {
      const got = fs.read(fd, buffer, length, buffer.length - length, length);
      length += got;
      if (length > maxBytes) throw new FsError('EFBIG', 'read', path);
      if (got === 0 || (length === stat.size && length < buffer.length)) return buffer.subarray(0, length);
      if (length === buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(buffer.length * 2, maxBytes + 1));
        buffer.copy(larger);
        buffer = larger;
      }
    }
  } finally {
    fs.close(fd);
  }
}

/** Makes the entries of a folder durable: everything created, renamed or removed in it so far. */
export function syncFolder(fs: Fs, folder: DiskPath): void {
  const fd = fs.openFolder(folder);
  try {
    fs.sync(fd);
  } finally {
    fs.close(fd);
  }
}

/** Returns the folder of a disk path. If it has backslashes and does not start with `/`, both separators count. */
export function containingFolder(path: DiskPath): DiskPath {
  const windows = /^(?:[A-Za-z]:)?[\\/]/.exec(path)?.[0] !== '/' && path.includes('\\');
  const cut = windows ? Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) : path.lastIndexOf('/');
  const top = windows && /^[A-Za-z]:[\\/]/.test(path) ? 3 : 1;
  return path.slice(0, Math.max(cut, top)) as DiskPath;
}

interface TemporaryFile {
  readonly path: DiskPath;
  /** Leftovers of interrupted writers of the same path. */
  readonly leftovers: readonly DiskPath[];
}

/** Writes a complete, durable file in the same folder, because a rename cannot cross file systems. */
function writeTemporary(fs: Fs, path: DiskPath, bytes: Uint8Array, mode: number): TemporaryFile {
  const leftovers: DiskPath[] = [];
  for (;;) {
    const temporary = withSuffix(path, `.tmp-${leftovers.length}`);
    let fd: Fd;
    try {
      // Never open an existing file: it could be a link, or open elsewhere. Private until the file is complete.
      fd = fs.openNew(temporary, 0o600);
    } catch (error) {
      if (!isFsError(error, 'EEXIST')) throw error;
      leftovers.push(temporary);
      if (leftovers.length < MAX_TEMPORARY_NAMES) continue;
      // This many must be old. Without removing them, the path would be unwritable. Fail if one cannot be removed.
      for (const leftover of leftovers.splice(0)) fs.unlink(leftover);
      continue;
    }
    try {
      writeAndSync(fs, fd, bytes, mode);
    } catch (error) {
      discard(fs, temporary);
      throw error;
    }
    return { path: temporary, leftovers };
  }
}

function writeAndSync(fs: Fs, fd: Fd, bytes: Uint8Array, mode: number): void {
  try {
    fs.write(fd, bytes, 0);
    fs.fchmod(fd, mode);
    // Sync before the rename. Otherwise a power cut could leave an empty file under the new name.
    fs.sync(fd);
  } catch (error) {
    closeQuietly(fs, fd);
    throw error;
  }
  fs.close(fd);
}

function closeQuietly(fs: Fs, fd: Fd): void {
  try {
    fs.close(fd);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}

/** Removes one of Savepoint's own files if possible. A file that remains does no harm. */
function discard(fs: Fs, path: DiskPath): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}
