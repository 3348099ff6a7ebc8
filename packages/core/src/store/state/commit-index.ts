/** Temporary files of commits: the index from which git makes a tree, and what hooks see. */

import { durableWrite } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import { removeTree } from '../../io/remove-tree.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { ownerState, parseProcessName, processName, processNameText } from '../process-name.ts';

const NAME = 'commit.index';
/** The name of the process, and a random part. */
const HOOK_FOLDER = /^commit-hooks_([\w-]+)\.[0-9a-f]{8}$/;

/** The index is only used while the store's lock is held. @returns its path, where nothing is */
export function newCommitIndex(fs: Fs, layout: StoreLayout): DiskPath {
  removeCommitIndex(fs, layout);
  return diskChild(layout.cache, NAME);
}

/** @param modifiedMs when the index was written: git compares files that changed at that time @returns its path */
export function copiedCommitIndex(fs: Fs, layout: StoreLayout, bytes: Buffer, modifiedMs: number): DiskPath {
  const path = newCommitIndex(fs, layout);
  durableWrite(fs, path, bytes, 0o600);
  fs.touch(path, Math.floor(modifiedMs));
  return path;
}

/** Also removes what a git that was killed left. */
export function removeCommitIndex(fs: Fs, { cache }: StoreLayout): void {
  for (const name of [NAME, `${NAME}.lock`]) removeIfExists(fs, diskChild(cache, name));
}

/**
 * Makes a folder for what the hooks of one commit see. They run without the store's lock. Removes those of processes that
 * died. The caller holds the lock, and removes the folder afterwards.
 */
export function newHookFolder({ fs, processes, random }: Ports, { cache }: StoreLayout): DiskPath {
  for (const name of listIfExists(fs, cache)) {
    const owner = parseProcessName(HOOK_FOLDER.exec(name)?.[1] ?? '');
    if (owner !== null && ownerState({ processes }, owner) === 'dead') removeTree(fs, diskChild(cache, name));
  }
  const own = processNameText(processName(processes.self()));
  const folder = diskChild(cache, `commit-hooks_${own}.${random.hex(4)}`);
  fs.makeFolder(folder, 0o700);
  return folder;
}

/** Writes the index and the message that the hooks of one repository see. @param index null: there is none */
export function writeHookFiles(
  fs: Fs,
  folder: DiskPath,
  place: number,
  { index, message }: { readonly index: Buffer | null; readonly message: string },
): { readonly index: DiskPath; readonly message: DiskPath } {
  const paths = { index: diskChild(folder, `${place}.index`), message: diskChild(folder, `${place}.message`) };
  if (index !== null) durableWrite(fs, paths.index, index, 0o600);
  durableWrite(fs, paths.message, Buffer.from(message), 0o600);
  return paths;
}

/** If it cannot be removed, a later commit does it. */
export function removeHookFolder(fs: Fs, folder: DiskPath): void {
  try {
    removeTree(fs, folder);
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}
