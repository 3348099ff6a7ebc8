/**
 * Puts an index in place of the one that was examined, and moves the branch, under git's own lock of the index: no other
 * git can stage anything meanwhile.
 *
 * The lock has the bytes of the old index, so that it can go back. A process that dies leaves the lock, as git does. The
 * lock has a second name, which tells whose it is, so that the next attempt can remove it. The index is complete then: the
 * old one or the new one.
 */

import { sameBytes } from '../content/same-bytes.ts';
import { problemOf, readGitFile } from '../git/file.ts';
import { type Head, readHead } from '../git/head.ts';
import type { GitState } from '../git/repository.ts';
import { durableCreate, durableWrite, syncFolder } from '../io/durable-write.ts';
import { type Fs, isFsError, permissions } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { ownerState, parseProcessName, processName, processNameText } from '../store/process-name.ts';

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
  ports: SwapPorts,
  state: GitState,
  { examined, wanted, moveBranch, commit }: IndexSwap,
): Promise<string | null> {
  const { fs } = ports;
  const index = diskChild(state.gitDir, 'index');
  const lock = diskChild(state.gitDir, LOCK);
  const stat = fs.lstat(index);
  const mode = stat === null ? INDEX_MODE : permissions(stat);
  if (!takeLock(ports, state.gitDir, examined.bytes ?? Buffer.alloc(0), mode)) {
    return `git is running there or was killed: ${lock} exists`;
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
    removeIfExists(fs, ownName(ports, state.gitDir));
    syncFolder(fs, state.gitDir);
  }
}

/**
 * Removes a lock that a dead process of Savepoint left, or an attempt of this process that failed. The caller holds the
 * store's lock.
 */
export function releaseLeftLock(ports: SwapPorts, { gitDir }: GitState): void {
  const { fs, processes } = ports;
  const self = processNameText(processName(processes.self()));
  for (const name of fs.list(gitDir)) {
    const text = OWN.exec(name)?.[1] ?? '';
    const owner = parseProcessName(text);
    if (owner === null || (text !== self && ownerState(ports, owner) !== 'dead')) continue;
    const [lock, own] = [diskChild(gitDir, LOCK), diskChild(gitDir, name)];
    const [held, known] = [fs.lstat(lock), fs.lstat(own)];
    // A lock that git has made since is another file.
    if (held !== null && known !== null && held.dev === known.dev && held.ino === known.ino) removeIfExists(fs, lock);
    removeIfExists(fs, own);
    syncFolder(fs, gitDir);
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

type SwapPorts = Pick<Ports, 'fs' | 'processes'>;

const LOCK = 'index.lock';
/** Also temporary names of it. */
const OWN = /^index\.lock-savepoint_([\w-]+)(?:\.tmp-\d+)?$/;
/** Errors of file systems without hard links. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
const INDEX_BYTES = 256 * 1024 * 1024;
const INDEX_MODE = 0o644;
const ID_DIGITS = 40;

function ownName({ processes }: SwapPorts, gitDir: DiskPath): DiskPath {
  return diskChild(gitDir, `${LOCK}-savepoint_${processNameText(processName(processes.self()))}`);
}

/** @returns false if there is a lock already */
function takeLock(ports: SwapPorts, gitDir: DiskPath, bytes: Buffer, mode: number): boolean {
  const { fs } = ports;
  const [lock, own] = [diskChild(gitDir, LOCK), ownName(ports, gitDir)];
  removeIfExists(fs, own);
  durableCreate(fs, own, bytes, mode);
  let isTaken = false;
  try {
    try {
      fs.hardLink(own, lock);
      isTaken = true;
      syncFolder(fs, gitDir);
    } catch (error) {
      if (!isFsError(error, ...NO_HARD_LINKS)) throw error;
      durableCreate(fs, lock, bytes, mode);
    }
    return true;
  } catch (error) {
    if (isTaken) removeIfExists(fs, lock);
    removeIfExists(fs, own);
    if (isFsError(error, 'EEXIST')) return false;
    throw error;
  }
}

function isAt(now: Head | null, before: Head | null): boolean {
  return now !== null && now.branch === before?.branch && now.commit === before.commit;
}
