/**
 * Puts an index in place of the one that was examined, and moves the branch, under git's own lock of the index: no other
 * git can stage anything meanwhile.
 *
 * The lock has the bytes of the old index, so that it can go back. A process that dies leaves the lock, as git does; the
 * new index is complete then.
 */

import { problemOf, readGitFile } from '../git/file.ts';
import { type Head, readHead } from '../git/head.ts';
import type { GitState } from '../git/repository.ts';
import { durableCreate, durableWrite, syncFolder } from '../io/durable-write.ts';
import { type Fs, isFsError, permissions } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import { diskChild } from '../model/names.ts';

export interface ExaminedIndex {
  /** Null: there was none. */
  readonly bytes: Buffer | null;
  readonly modifiedMs: number;
}

export interface IndexSwap {
  readonly examined: ExaminedIndex;
  readonly wanted: Buffer;
  /** Moves the branch to this commit. Returns why it could not; null: it did. */
  readonly moveBranch: () => Promise<string | null>;
  readonly commit: string;
}

/** @throws UnusableGitFile, FsError */
export function examineIndex(fs: Fs, { gitDir }: GitState): ExaminedIndex {
  const path = diskChild(gitDir, 'index');
  const modifiedMs = fs.lstat(path)?.mtimeMs ?? 0;
  return { bytes: readGitFile(fs, path, INDEX_BYTES), modifiedMs };
}

/** @returns why nothing was changed; null: it was */
export async function swapIndex(
  fs: Fs,
  state: GitState,
  { examined, wanted, moveBranch, commit }: IndexSwap,
): Promise<string | null> {
  const index = diskChild(state.gitDir, 'index');
  const lock = diskChild(state.gitDir, 'index.lock');
  const stat = fs.lstat(index);
  const mode = stat === null ? INDEX_MODE : permissions(stat);
  try {
    durableCreate(fs, lock, examined.bytes ?? Buffer.alloc(0), mode);
  } catch (error) {
    if (isFsError(error, 'EEXIST')) return `git is running there or was killed: ${lock} exists`;
    throw error;
  }
  let isSwapped = false;
  let isMoved = false;
  try {
    if (!sameBytes(examineIndex(fs, state).bytes, examined.bytes)) return 'something was staged meanwhile. Try again';
    if (!isAt(headOf(fs, state), state.head)) return 'its branch or HEAD changed meanwhile. Try again';
    isSwapped = true;
    durableWrite(fs, index, wanted, mode);
    const why = await moveBranch();
    isMoved = why === null;
    return why;
  } finally {
    // git may have moved it before it was stopped.
    if (isSwapped && !isMoved && headOf(fs, state)?.commit !== commit) {
      if (examined.bytes === null) removeIfExists(fs, index);
      else fs.rename(lock, index);
    }
    removeIfExists(fs, lock);
    syncFolder(fs, state.gitDir);
  }
}

/** Where HEAD is now; null if it cannot be read. */
export function headOf(fs: Fs, { gitDir, commonDir }: GitState): Head | null {
  try {
    return readHead(fs, gitDir, commonDir, ID_DIGITS);
  } catch (error) {
    problemOf(error);
    return null;
  }
}

const INDEX_BYTES = 256 * 1024 * 1024;
const INDEX_MODE = 0o644;
const ID_DIGITS = 40;

export function sameBytes(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function isAt(now: Head | null, before: Head | null): boolean {
  return now !== null && now.branch === before?.branch && now.commit === before.commit;
}
