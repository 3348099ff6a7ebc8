/** Finds commits that were made in a copy. Only files are applied to the workspace, so they exist nowhere else. */

import { problemOf } from '../git/file.ts';
import { readHead } from '../git/head.ts';
import { readRepository } from '../git/repository.ts';
import type { Fs } from '../io/fs.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { type DiskPath, isInside, onDisk, type TreePath } from '../model/names.ts';
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
  copy: Pick<OpenCopy, 'files' | 'find'>,
  base: Checkpoint,
): readonly CopyCommit[] {
  return base.roots.flatMap(({ path, kind, commit: before }) => {
    if (kind !== 'repository') return [];
    const commit = headInCopy(fs, copy, path);
    return commit === null || commit === before || commit === headOf(fs, onDisk(root, path)) ? [] : [{ path, commit }];
  });
}

function headInCopy(fs: Fs, { files, find }: Pick<OpenCopy, 'files' | 'find'>, path: TreePath): string | null {
  const found = readRepository(fs, onDisk(files, path));
  if (found === null || 'problem' in found) return null;
  const { gitDir, commonDir, objectFormat, head } = found;
  if (isInside(gitDir, files)) return head?.commit ?? null;
  // Outside, that path leads to the real repository.
  try {
    return readHead(fs, find(gitDir), find(commonDir), objectFormat === 'sha256' ? 64 : 40).commit;
  } catch (error) {
    problemOf(error);
    return null;
  }
}

/** Null if it is unborn or cannot be read. */
function headOf(fs: Fs, folder: DiskPath): string | null {
  const found = readRepository(fs, folder);
  return found === null || 'problem' in found ? null : (found.head?.commit ?? null);
}
