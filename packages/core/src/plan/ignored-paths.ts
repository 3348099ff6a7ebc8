/** Which paths of a plan a commit of it would leave out, because git ignores them. */

import { ignoredOf } from '../git/as-user.ts';
import { UnusableGitFile } from '../git/file.ts';
import { findGit, type Git } from '../git/program.ts';
import { readRepository } from '../git/repository.ts';
import { FsError } from '../io/fs.ts';
import type { RootState } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { isWithin, joinPaths, onDisk, relativePath, type TreePath } from '../model/names.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

/**
 * @param paths of files
 * @param variables the environment of the user, whose rules count as well
 * @returns those that git ignores and does not track. Where git cannot be asked, none
 */
export async function ignoredByGit(
  workspace: Workspace,
  paths: readonly TreePath[],
  variables: Readonly<Record<string, string>>,
): Promise<ReadonlySet<TreePath>> {
  const git = paths.length === 0 ? null : findGit(workspace.ports, workspace.searchPath, workspace.root);
  if (git === null) return new Set();
  const roots = workspace.timeline.latest()?.roots ?? [];
  const byRoot = new Map<TreePath, TreePath[]>();
  for (const path of paths) {
    const root = repositoryOf(roots, path);
    if (root !== null) byRoot.set(root, [...(byRoot.get(root) ?? []), relativePath(root, path)]);
  }
  const ignored = new Set<TreePath>();
  for (const [root, own] of byRoot) {
    for (const path of await ignoredIn(workspace, git, root, own, variables)) ignored.add(joinPaths(root, path));
  }
  return ignored;
}

/** The innermost root that has the path; null if that is not a repository. */
export function repositoryOf(roots: readonly RootState[], path: TreePath): TreePath | null {
  const [inner] = roots.filter((root) => isWithin(path, root.path)).sort((a, b) => b.path.length - a.path.length);
  return inner?.kind === 'repository' ? inner.path : null;
}

async function ignoredIn(
  { ports, root: workspace }: Workspace,
  git: Git,
  root: TreePath,
  paths: readonly TreePath[],
  variables: Readonly<Record<string, string>>,
): Promise<readonly TreePath[]> {
  try {
    const folder = onDisk(workspace, root);
    const state = readRepository(ports.fs, folder);
    if (state === null || 'problem' in state) return [];
    const found = await ignoredOf({ git, state, variables }, folder, paths);
    return paths.filter((path) => found.has(path));
  } catch (error) {
    // The commit will say what is wrong with the repository.
    if (error instanceof UnusableGitFile || error instanceof FsError || error instanceof SavepointError) return [];
    throw error;
  }
}
