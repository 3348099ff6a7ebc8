/** Finds commits that were made in a copy. Only files are applied to the workspace, so they exist nowhere else. */

import { showName } from '../content/show-name.ts';
import { problemOf } from '../git/file.ts';
import { GitObjects } from '../git/objects.ts';
import { listRefs, type RefList, reftableOf } from '../git/ref-list.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, isInside, onDisk, type TreePath } from '../model/names.ts';
import type { OpenCopy } from './copy.ts';

/** A commit, or a tag with a text, that a ref of a copy leads to and that the repository of the workspace does not have. */
export interface CopyCommit {
  readonly path: TreePath;
  /** In hex. */
  readonly commit: string;
  /** The full name of the ref, one character per byte; `HEAD` if no other one leads there. */
  readonly ref: string;
}

export interface CommitsOfCopy {
  readonly commits: readonly CopyCommit[];
  /** What could not be read in the copy, although it can be in the workspace, for display. */
  readonly problems: readonly string[];
}

/** What was fetched can be fetched again. */
const FETCHED = /^refs\/(?:remotes|prefetch)\//;
/** The first one that leads to a commit names it. */
const NAMED_FIRST = ['refs/heads/', 'refs/stash', 'refs/tags/', 'refs/'];

/**
 * @param repositories those of the copy, and those that the workspace had when it was made
 * @param started the commits of HEAD then
 */
export function commitsOfCopy(
  ports: Ports,
  root: DiskPath,
  copy: Pick<OpenCopy, 'files' | 'find'>,
  repositories: Iterable<TreePath>,
  started: ReadonlySet<string | null>,
): CommitsOfCopy {
  const commits: CopyCommit[] = [];
  const problems: string[] = [];
  for (const path of new Set(repositories)) {
    const found = commitsIn(ports, onDisk(root, path), { ...copy, folder: onDisk(copy.files, path) }, started);
    commits.push(...found.commits.map((one) => ({ path, ...one })));
    problems.push(...found.problems.map((why) => `${path === '' ? '.' : showName(path)}: ${why}`));
  }
  return { commits, problems };
}

function commitsIn(
  ports: Ports,
  folder: DiskPath,
  copy: Pick<OpenCopy, 'files' | 'find'> & { readonly folder: DiskPath },
  started: ReadonlySet<string | null>,
): { readonly commits: readonly Omit<CopyCommit, 'path'>[]; readonly problems: readonly string[] } {
  const own = usable(readRepository(ports.fs, copy.folder));
  const real = usable(readRepository(ports.fs, folder));
  if (own === null) return { commits: [], problems: [] };
  // Outside of the copy, that path leads to the real repository.
  const find = (path: DiskPath): DiskPath => (isInside(path, copy.files) ? path : copy.find(path));
  const refs = refsOf(ports, own, find);
  const known = real === null ? NO_REFS : refsOf(ports, real, (path) => path);
  const problems = [...refs.unreadable]
    .filter(([name]) => !known.unreadable.has(name))
    .map(([name, why]) => `the ref ${showName(name)} cannot be read: ${why}`);
  if (refs.tables !== known.tables) problems.push('refs in a reftable were changed, so it may have commits of its own');
  const fetched = [...refs.ids].filter(([name]) => FETCHED.test(name)).map(([, id]) => id);
  const expected = new Set([...started, ...known.ids.values(), ...fetched]);
  const isNew = new Map<string, string>();
  for (const [ref, commit] of [...refs.ids].sort(([a], [b]) => rank(a) - rank(b))) {
    if (!expected.has(commit) && !isNew.has(commit)) isNew.set(commit, ref);
  }
  if (isNew.size > 0 && real !== null) for (const id of objectsIn(ports, real, [...isNew.keys()])) isNew.delete(id);
  return { commits: [...isNew].map(([commit, ref]) => ({ commit, ref })), problems };
}

type Refs = RefList & { readonly tables: string };
const NO_REFS: Refs = { ids: new Map(), unreadable: new Map(), tables: '' };

function refsOf(
  { fs }: Ports,
  { gitDir, commonDir, objectFormat }: GitState,
  find: (path: DiskPath) => DiskPath,
): Refs {
  const [own, common] = [find(gitDir), find(commonDir)];
  const refs = listRefs(fs, own, common, objectFormat);
  try {
    return { ...refs, tables: [common, own].map((folder) => reftableOf(fs, folder) ?? '').join('') };
  } catch (error) {
    return { ...refs, tables: problemOf(error).detail };
  }
}

/** Which of the ids the repository has. None if that is not known: then it is safe to keep the copy. */
function objectsIn(ports: Ports, repository: GitState, ids: readonly string[]): readonly string[] {
  let objects: GitObjects | null = null;
  try {
    objects = new GitObjects(ports, repository);
    return ids.filter((id) => objects?.has(id));
  } catch (error) {
    if (!(error instanceof SavepointError)) problemOf(error);
    return [];
  } finally {
    objects?.close();
  }
}

function usable(found: ReturnType<typeof readRepository>): GitState | null {
  return found === null || 'problem' in found ? null : found;
}

function rank(ref: string): number {
  const index = NAMED_FIRST.findIndex((start) => ref.startsWith(start));
  return index < 0 ? NAMED_FIRST.length : index;
}
