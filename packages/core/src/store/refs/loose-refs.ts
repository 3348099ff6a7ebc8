/** Refs in files of their own: `<id>` and a line end, or `ref: <name>` for one that stands for another. */
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
/** git passes over every name that ends in `.lock`. */
const TEMPORARY = /\.[0-9a-f]{16}\.lock$/;
/** What a file system answers that has no hard links. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** True for what a writer of refs leaves behind when it is cut. */
export function isTemporaryRef(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Null if there is no such file.
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
    throw error;
  }
  const id = text.slice(0, 40);
  if (isObjectId(id) && /^\s*$/.test(text.slice(40))) return { id };
  const other = /^ref: (\S+)\s*$/.exec(text)?.[1];
  if (other !== undefined && isRefName(other)) return { target: other };
  throw new FormatProblem('is not a ref');
}

/**
 * Invariants
 * L1 The file has its content, fsynced, before it has its name.
 * L2 The name is given by link(2): of any number of creators one succeeds. (Where there are no hard links it is given
 *    by rename after a look, and only the store's lock keeps two creators apart.)
 * L3 The folder is fsynced before this returns, also if it returns that the ref exists.
 * L4 A file is made only in a folder whose own entry is durable, up to the top. So a folder that has an entry is
 *    durable, and one that is empty may have been made by a process that died.
 * L5 What a crash leaves has a name that nobody reads.
 *
 * @throws FsError EEXIST if the ref's file is there
 */
export function createLooseRef(fs: Fs, random: Random, path: DiskPath, top: DiskPath, id: ObjectId): void {
  const temporary = temporaryPathOf(path, random);
  const fd = openIn(fs, temporary, top);
  try {
    try {
      fs.write(fd, Buffer.from(`${id}\n`), 0);
      fs.sync(fd);
    } finally {
      fs.close(fd);
    }
    try {
      renameIfFree(fs, temporary, path);
    } finally {
      syncFolder(fs, containingFolder(path)); // L3
    }
  } finally {
    discard(fs, temporary);
  }
}

/** A name beside `path` that nobody reads, and that is never used again. */
export function temporaryPathOf(path: DiskPath, random: Random): DiskPath {
  return withSuffix(path, `.${random.hex(NONCE_BYTES)}.lock`);
}

/** Gives a file another name, which must be free. @throws FsError EEXIST */
export function renameIfFree(fs: Fs, from: DiskPath, to: DiskPath): void {
  try {
    fs.hardLink(from, to);
  } catch (error) {
    if (!isFsError(error, ...NO_HARD_LINKS)) throw error;
    if (fs.lstat(to) !== null) throw new FsError('EEXIST', 'rename', to);
    fs.rename(from, to);
  }
}

/** Removes a file of ours if that can be; for files that do no harm, or that `collectDebris` finds. */
export function discard(fs: Fs, path: DiskPath): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}

/** A new file in a durable folder (L4). git removes folders that it emptied, so one may go again under our hands. */
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
