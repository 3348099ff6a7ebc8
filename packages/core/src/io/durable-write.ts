import { type DiskPath, withSuffix } from '../model/names.ts';
import { type Fd, type Fs, FsError, isFsError, kindOf } from './fs.ts';

/** More than anybody leaves behind: one file per power cut in the middle of a write. */
const MAX_TEMPORARY_NAMES = 16;
const TEMPORARY = /\.tmp-\d{1,2}$/;
/** What a file system answers that has no hard links. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** True for the names that {@link durableWrite} and {@link durableCreate} use while they work, and leave behind if cut. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Makes `path` hold exactly `bytes`, replacing what is there. After a crash at any moment it holds the old bytes
 * or the new ones; when this returns, the new ones. The caller holds whatever lock guards `path`: of two at once, one
 * wins and the other may fail with ENOENT, but no mixture can come of it.
 *
 * @param mode permission bits of the file, whatever the umask
 * @throws FsError of the step that failed. Before the rename nothing has changed; if syncing the folder failed, the new
 *   bytes are there but may be gone after a power cut.
 */
export function durableWrite(fs: Fs, path: DiskPath, bytes: Uint8Array, mode: number): void {
  const temporary = writeTemporary(fs, path, bytes, mode);
  try {
    // One step for every reader, and for every crash: the name has the old file or the new one.
    fs.rename(temporary.path, path);
  } catch (error) {
    discard(fs, temporary.path);
    throw error;
  }
  // Without it a power cut could take the rename back after we said that it is done.
  syncFolder(fs, containingFolder(path));
  for (const leftover of temporary.leftovers) discard(fs, leftover);
}

/**
 * Like {@link durableWrite}, but never replaces: of any number of processes that create `path`, one succeeds.
 *
 * Where the file system has no hard links, the name is first taken by an empty file and the bytes are renamed over it:
 * a crash in between leaves it empty, so readers there must take an empty file for one that was never written.
 *
 * @throws FsError EEXIST if something is there already
 */
export function durableCreate(fs: Fs, path: DiskPath, bytes: Uint8Array, mode: number): void {
  const temporary = writeTemporary(fs, path, bytes, mode);
  try {
    try {
      // link(2) gives the name to a file that is complete already, and fails if the name is taken.
      fs.hardLink(temporary.path, path);
    } catch (error) {
      if (!isFsError(error, ...NO_HARD_LINKS)) throw error;
      fs.close(fs.openNew(path, 0o600));
      fs.rename(temporary.path, path);
    }
    syncFolder(fs, containingFolder(path));
  } finally {
    // The second name is of no more use; if a crash keeps it, it is a leftover like any other.
    discard(fs, temporary.path);
  }
  for (const leftover of temporary.leftovers) discard(fs, leftover);
}

/**
 * All of a regular file.
 *
 * @param maxBytes a longer file is refused, so that nothing on disk can make us fill the memory
 * @throws FsError EFBIG if it is longer, EINVAL if it is no regular file, ENOENT if nothing is there
 */
export function readEntireFile(fs: Fs, path: DiskPath, maxBytes: number): Buffer {
  const fd = fs.openRead(path);
  try {
    const stat = fs.fstat(fd);
    if (kindOf(stat) !== 'file') throw new FsError('EINVAL', 'openRead', path);
    if (stat.size > maxBytes) throw new FsError('EFBIG', 'read', path);
    // One byte more than there should be, to see the end, or that the file grew meanwhile.
    let buffer = Buffer.allocUnsafe(stat.size + 1);
    let length = 0;
    for (;;) {
      const got = fs.read(fd, buffer, length, buffer.length - length, length);
      length += got;
      if (length > maxBytes) throw new FsError('EFBIG', 'read', path);
      if (got === 0) return buffer.subarray(0, length);
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

/** Makes the entries of a folder durable: what was created, renamed or removed in it so far. */
export function syncFolder(fs: Fs, folder: DiskPath): void {
  const fd = fs.openFolder(folder);
  try {
    fs.sync(fd);
  } finally {
    fs.close(fd);
  }
}

/** The folder that a path on disk lies in. Both separators count where a drive letter says that it is Windows. */
export function containingFolder(path: DiskPath): DiskPath {
  const windows = /^(?:[A-Za-z]:)?[\\/]/.exec(path)?.[0] !== '/' && path.includes('\\');
  const cut = windows ? Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) : path.lastIndexOf('/');
  const top = windows && /^[A-Za-z]:[\\/]/.test(path) ? 3 : 1;
  return path.slice(0, Math.max(cut, top)) as DiskPath;
}

interface TemporaryFile {
  readonly path: DiskPath;
  /** Files of earlier writers of the same path that were cut. */
  readonly leftovers: readonly DiskPath[];
}

/** A complete, durable file in the same folder, so that a rename can move it (never across file systems). */
function writeTemporary(fs: Fs, path: DiskPath, bytes: Uint8Array, mode: number): TemporaryFile {
  const leftovers: DiskPath[] = [];
  for (;;) {
    const temporary = withSuffix(path, `.tmp-${leftovers.length}`);
    let fd: Fd;
    try {
      // Never an existing file: it could be a link, or open elsewhere. Private until it has its bytes.
      fd = fs.openNew(temporary, 0o600);
    } catch (error) {
      if (!isFsError(error, 'EEXIST')) throw error;
      leftovers.push(temporary);
      if (leftovers.length < MAX_TEMPORARY_NAMES) continue;
      // So many that they can only be old: else a path could become unwritable for ever. What stays, fails here.
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
    // Before the rename: else the new name can be durable and its bytes not (an empty file after a power cut).
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

/** Removes a file of our own if it can be removed; one that stays does no harm. */
function discard(fs: Fs, path: DiskPath): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}
