/**
 * Decides whether the repositories of a folder are those of a bundle. A bundle records the commit of each repository at
 * each checkpoint. A repository that has one of these commits shares its history, whatever its name.
 */

import { showName } from '../../content/show-name.ts';
import { problemOf } from '../../git/file.ts';
import { GitObjects } from '../../git/objects.ts';
import { readRepository } from '../../git/repository.ts';
import type { Ports } from '../../io/ports.ts';
import type { Checkpoint, RootState } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, nameToJson, onDisk, type TreePath } from '../../model/names.ts';

/** A repository of the bundle to which the folder has no clone. */
interface Mismatch {
  readonly path: TreePath;
  readonly why: string;
}

/** Whether a checkpoint has a repository, so that a folder can have clones of them. */
export function hasRepositories({ roots }: Checkpoint): boolean {
  return roots.some(isRepository);
}

/**
 * @param rootsNow the roots that were found in the folder
 * @param target the checkpoint that is restored
 * @param bundle all checkpoints that record commits of the repositories
 * @throws SavepointError GIT_REFUSED if the folder has no clone of a repository of the target
 */
export function assertClones(
  ports: Ports,
  folder: DiskPath,
  rootsNow: readonly RootState[],
  target: Checkpoint,
  bundle: readonly Checkpoint[],
): void {
  const present = new Set(rootsNow.filter(isRepository).map(({ path }) => path));
  const mismatches: Mismatch[] = [];
  for (const { path } of target.roots.filter(isRepository)) {
    const why = present.has(path)
      ? mismatchOf(ports, onDisk(folder, path), commitsOf(path, bundle))
      : 'is not a repository';
    if (why !== null) mismatches.push({ path, why });
  }
  const [first] = mismatches;
  if (first === undefined) return;
  const more = mismatches.length === 1 ? '' : `, and ${mismatches.length - 1} more`;
  throw new SavepointError(
    'GIT_REFUSED',
    `The folder has no clone of every repository of the bundle: ${showRoot(first.path)} ${first.why}${more}.`,
    { repositories: mismatches.map(({ path, why }) => ({ path: nameToJson(path), why })) },
    {
      hint:
        'Nothing was changed. Clone each listed repository to this path, with the history of the named commit, or ' +
        'restore the bundle to an empty folder.',
    },
  );
}

function isRepository({ kind }: RootState): boolean {
  return kind === 'repository';
}

/** Returns the recorded commits of the repository at a path, newest first. */
function commitsOf(path: TreePath, bundle: readonly Checkpoint[]): readonly string[] {
  const commits = bundle.flatMap(({ roots }) => roots.find((root) => root.path === path)?.commit ?? []);
  return [...new Set(commits.reverse())];
}

/** Returns why the repository is not the one with these commits; null if it is. */
function mismatchOf(ports: Ports, folder: DiskPath, commits: readonly string[]): string | null {
  const [newest] = commits;
  if (newest === undefined) return 'cannot be recognized, because the bundle records no commit of it';
  try {
    const state = readRepository(ports.fs, folder);
    if (state === null) return 'is not a repository';
    if ('problem' in state) return `has an unusable .git: ${state.problem.detail}`;
    const objects = new GitObjects(ports, state);
    try {
      if (commits.some((commit) => objects.has(commit))) return null;
    } finally {
      objects.close();
    }
    return `has none of the commits that the bundle records, the newest being ${newest}`;
  } catch (error) {
    if (error instanceof SavepointError) return `cannot be read: ${error.message}`;
    return `cannot be read: ${problemOf(error).detail}`;
  }
}

function showRoot(path: TreePath): string {
  return path === '' ? 'the folder itself' : showName(path);
}
