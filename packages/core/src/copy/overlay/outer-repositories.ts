/**
 * Finds the repositories outside of a workspace that git in its folders writes to. They are covered in an overlay, because
 * nothing that is done there may change a real repository.
 */

import { findRepository, readRepository } from '../../git/repository.ts';
import type { Fs } from '../../io/fs.ts';
import { type DiskPath, diskParent, isInside, onDisk, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';

export interface OuterRepository {
  /** Resolved: there are no links on its way. */
  readonly path: DiskPath;
  /**
   * - `edit`: git in the copy changes a repository of its own
   * - `read`: git fails where it would write. The repository has files that are not in the copy. They would change for real,
   *   and what git keeps of them, for example in a stash, would be lost with the copy.
   */
  readonly access: 'edit' | 'read';
}

/**
 * @param root the folder of the workspace
 * @param folders those that may have a repository, apart from the root
 */
export function outerRepositories(fs: Fs, root: DiskPath, folders: readonly TreePath[]): readonly OuterRepository[] {
  const found: OuterRepository[] = [];
  const add = (path: DiskPath, access: OuterRepository['access']): void => {
    if (!isInside(path, root)) found.push({ path, access });
  };
  for (const folder of new Set([WORKSPACE_ITSELF, ...folders])) {
    const state = readRepository(fs, onDisk(root, folder));
    if (state === null || 'problem' in state) continue;
    // Most often the folder of the worktree is in the common one.
    add(state.commonDir, 'edit');
    add(state.gitDir, 'edit');
  }
  const parent = diskParent(root);
  const around = parent === null || readRepository(fs, root) !== null ? null : findRepository(fs, parent);
  if (around !== null && !('problem' in around.repository)) {
    add(around.repository.commonDir, 'read');
    add(around.repository.gitDir, 'read');
  }
  return outermost(found);
}

/** A cover also covers what is inside. */
function outermost(found: readonly OuterRepository[]): readonly OuterRepository[] {
  const kept: OuterRepository[] = [];
  for (const one of found.toSorted((a, b) => a.path.length - b.path.length)) {
    if (!kept.some(({ path }) => isInside(one.path, path))) kept.push(one);
  }
  return kept;
}
