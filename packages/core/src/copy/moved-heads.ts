/** Finds commits that were made in a copy. Only files are applied to the workspace, so they exist nowhere else. */

import { readRepository } from '../git/repository.ts';
import type { Fs } from '../io/fs.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { type DiskPath, onDisk, type TreePath } from '../model/names.ts';
import type { OpenCopy } from './copy.ts';

/** A repository whose HEAD in the copy is a commit that it was not before, and is not in the workspace. */
export interface CopyCommit {
  readonly path: TreePath;
  /** In hex. */
  readonly commit: string;
}

export function commitsOfCopy(
  fs: Fs,
  root: DiskPath,
  copy: Pick<OpenCopy, 'files'>,
  base: Checkpoint,
): readonly CopyCommit[] {
  return base.roots.flatMap(({ path, kind, commit: before }) => {
    if (kind !== 'repository') return [];
    const commit = headOf(fs, onDisk(copy.files, path));
    return commit === null || commit === before || commit === headOf(fs, onDisk(root, path)) ? [] : [{ path, commit }];
  });
}

/** Null if it is unborn or cannot be read. */
function headOf(fs: Fs, folder: DiskPath): string | null {
  const found = readRepository(fs, folder);
  return found === null || 'problem' in found ? null : (found.head?.commit ?? null);
}
