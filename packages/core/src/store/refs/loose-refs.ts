/** Loose refs, one file each: `<id>` and a newline, or `ref: <name>` for a symbolic ref. */
import { containingFolder, readEntireFile, syncFolder } from '../../io/durable-write.ts';
import { type Fd, type Fs, FsError, isFsError, kindOf } from '../../io/fs.ts';
import type { Random } from '../../io/ports.ts';
import { isObjectId, type ObjectId } from '../../model/ids.ts';
import { type DiskPath, withSuffix } from '../../model/names.ts';
import { FormatProblem } from '../objects/damage.ts';
import { isRefName } from './ref-name.ts';

export type LooseRef = { readonly id: ObjectId } | { readonly target: string };

const REF_BYTES = 4096;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const NONCE_BYTES = 8;
const MAX_ATTEMPTS = 4;
/** git ignores all names that end in `.lock`. */
const TEMPORARY = /\.[0-9a-f]{16}\.lock$/;
/** Errors of file systems that do not support hard links. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Returns true for a file that an interrupted writer of refs left. */
export function isTemporaryRef(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Reads a loose ref; null if the file does not exist.
 * @throws FormatProblem
 */
export function readLooseRef(fs: Fs, path: DiskPath): LooseRef | null {
  let text: string;
  try {
    text = readEntireFile(fs, path, REF_BYTES).toString('latin1');
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return null;
    if (isFsError(error, 'EINVAL', 'EISDIR')) {
      const stat = fs.lstat(path);
      if (stat === null || kindOf(stat) === 'folder') return null;
    }
    if (isFsError(error, 'EFBIG', 'EINVAL', 'ELOOP')) throw new FormatProblem('is not a ref', { cause: error });
    if (isFsError(error, 'EIO', 'EACCES', 'EPERM'))
      throw new FormatProblem(`cannot be read (${error.code})`, { cause: error });
    throw error;
  }
  const id = text.slice(0, 40);
  if (isObjectId(id) && /^\s*$/.test(text.slice(40))) return { id };
  const other = /^ref: (\S+)\s*$/.exec(text)?.[1];
  if (other !== undefined && isRefName(other)) return { target: other };
  throw new FormatProblem('is not a ref');
}

/**
 * Creates the file of a ref. Invariants:
 * L1 The file has its content, fsynced, before it gets its name.
 * L2 The name is created by link(2), so exactly one of several concurrent creators succeeds. (Without hard links, it is
 *    created by rename after a check, and only the store's lock excludes other creators.)
 * L3 The folder is fsynced before this returns, also if it throws because the ref exists.
 * L4 A file is created only in a folder whose own entry is durable, up to the top. So a non-empty folder is durable,
 *    but an empty one may come from a process that died.
 * L5 A file left by a crash has a name that no reader uses.
 *
 * @throws FsError EEXIST if the file of the ref exists
 */
export function createLooseRef(fs: Fs, random: Random, path: DiskPath, top: DiskPath, id: ObjectId): void {
  const prepared = prepareLooseRef(fs, random, path, top, id);
  try {
    fs.sync(prepared.file); // L1
  } catch (error) {
    discardPrepared(fs, prepared);
    throw error;
  }
  placeLooseRef(fs, prepared);
}

/** The complete file of a ref under a temporary name. It is open, and not durable yet. */
export interface PreparedRef {
  readonly path: DiskPath;
  readonly temporary: DiskPath;
  readonly file: Fd;
}

/** Does the first part of {@link createLooseRef}, so that the caller can sync the file together with others. */
export function prepareLooseRef(fs: Fs, random: Random, path: DiskPath, top: DiskPath, id: ObjectId): PreparedRef {
  const temporary = temporaryPathOf(path, random);
  const file = openIn(fs, temporary, top);
  try {
    fs.write(file, Buffer.from(`${id}\n`), 0);
  } catch (error) {
    discardPrepared(fs, { path, temporary, file });
    throw error;
  }
  return { path, temporary, file };
}

/**
 * Does the second part of {@link createLooseRef}, and closes the file, which must be synced (L1).
 * @throws FsError EEXIST if the file of the ref exists
 */
export function placeLooseRef(fs: Fs, prepared: PreparedRef): void {
  const { path, temporary, file } = prepared;
  fs.close(file);
  try {
    try {
      renameIfFree(fs, temporary, path);
    } finally {
      syncFolder(fs, containingFolder(path)); // L3
    }
  } finally {
    discard(fs, temporary);
  }
}

export function discardPrepared(fs: Fs, { temporary, file }: PreparedRef): void {
  fs.close(file);
  discard(fs, temporary);
}

/** Replaces the file of a damaged ref. After a crash, it is the old file or the new one (L1). Durable on return. */
export function replaceLooseRef(fs: Fs, random: Random, path: DiskPath, top: DiskPath, id: ObjectId): void {
  const temporary = temporaryPathOf(path, random);
  const fd = openIn(fs, temporary, top);
  try {
    writeAndClose(fs, fd, id);
    fs.rename(temporary, path);
    syncFolder(fs, containingFolder(path));
  } catch (error) {
    discard(fs, temporary);
    throw error;
  }
}

/** Returns a unique name next to `path` that no reader uses. */
export function temporaryPathOf(path: DiskPath, random: Random): DiskPath {
  return withSuffix(path, `.${random.hex(NONCE_BYTES)}.lock`);
}

/** Renames a file to a name that must be free. @throws FsError EEXIST */
export function renameIfFree(fs: Fs, from: DiskPath, to: DiskPath): void {
  try {
    fs.hardLink(from, to);
  } catch (error) {
    if (!isFsError(error, ...NO_HARD_LINKS)) throw error;
    if (fs.lstat(to) !== null) throw new FsError('EEXIST', 'rename', to);
    fs.rename(from, to);
  }
}

/** Removes one of our files, best effort. A leftover is harmless, or `collectDebris` finds it. */
export function discard(fs: Fs, path: DiskPath): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}

/** Returns false if there is no file of a ref at the path. */
export function removeRefFile(fs: Fs, path: DiskPath): boolean {
  try {
    fs.unlink(path);
    return true;
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return false;
    const stat = isFsError(error, 'EISDIR', 'EPERM') ? fs.lstat(path) : null;
    if (stat !== null && kindOf(stat) === 'folder') return false;
    throw error;
  }
}

/** Creates a file in a durable folder (L4). It retries, because git may remove an empty folder at any time. */
function openIn(fs: Fs, path: DiskPath, top: DiskPath): Fd {
  for (let attempt = 1; ; attempt++) {
    try {
      prepareFolder(fs, containingFolder(path), top);
      return fs.openNew(path, FILE_MODE);
    } catch (error) {
      if (!isFsError(error, 'ENOENT') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Writes the content of a ref (L1). */
function writeAndClose(fs: Fs, fd: Fd, id: ObjectId): void {
  try {
    fs.write(fd, Buffer.from(`${id}\n`), 0);
    fs.sync(fd);
  } finally {
    fs.close(fd);
  }
}

function prepareFolder(fs: Fs, folder: DiskPath, top: DiskPath): void {
  if (folder === top) return;
  if (fs.lstat(folder) === null) {
    prepareFolder(fs, containingFolder(folder), top);
    try {
      fs.makeFolder(folder, FOLDER_MODE);
    } catch (error) {
      if (!isFsError(error, 'EEXIST')) throw error;
    }
  }
  if (fs.list(folder).length > 0) return;
  for (let above = containingFolder(folder); ; above = containingFolder(above)) {
    syncFolder(fs, above);
    if (above === top) return;
  }
}
