/** The temporary index from which git makes the tree of a commit. Only used while the store's lock is held. */

import { durableWrite } from '../../io/durable-write.ts';
import type { Fs } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';

const NAME = 'commit.index';

/** @returns its path, where nothing is */
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
