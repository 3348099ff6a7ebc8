/** Determines which repository and which ignore rules apply to a folder of the walk. */

import { type GitProblem, problemOf, readGitFile } from '../../git/file.ts';
import {
  type BrokenRepository,
  findRepository,
  type GitState,
  isRepositoryTop,
  readRepository,
} from '../../git/repository.ts';
import {
  type IndexReading,
  NOTHING_TRACKED,
  readIndex,
  type TrackedPaths,
  UNKNOWN_TRACKED,
} from '../../git/tracked.ts';
import type { Fs } from '../../io/fs.ts';
import type { RootState } from '../../model/checkpoint.ts';
import {
  baseName,
  type DiskPath,
  diskChild,
  GIT_FOLDER,
  IGNORE_FILE,
  joinPaths,
  type Name,
  relativePath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../../model/names.ts';
import { IgnoreChain, type IgnoreFile } from '../rules/ignore-rules.ts';

/** Lookup in a repository's index by workspace paths. */
export interface TrackedLookup {
  has(path: TreePath): boolean;
  hasBelow(folder: TreePath): boolean;
  /** The names directly in the folder that are tracked, or have something tracked below. */
  namesIn(folder: TreePath): Iterable<Name>;
  /** The path itself is an entry. Unlike `has`, false if that is unknown. */
  hasEntry(path: TreePath): boolean;
  /** The same object means the same paths. */
  readonly names: object;
}

export interface WalkPosition {
  readonly tracked: TrackedLookup;
  /** Null above the workspace if no repository encloses it. */
  readonly chain: IgnoreChain | null;
  readonly global: IgnoreFile;
  /** The repository that encloses the workspace. */
  readonly enclosingRepository: EnteredRepository | null;
  /** State of the repository that encloses the workspace, reported as that of the workspace. */
  readonly enclosingRoot: RootState | null;
  readonly problems: readonly string[];
}

/** A repository whose folder was entered. */
export interface EnteredRepository {
  readonly state: GitState | BrokenRepository;
  readonly index: IndexReading;
  /** Path from the repository's folder to this one. '' unless a repository encloses the workspace. */
  readonly inside: TreePath;
}

/** A folder that the walk has reached. */
export interface ListedFolder {
  readonly path: TreePath;
  readonly disk: DiskPath;
  /** Its names, to avoid looking up files that do not exist. */
  readonly names: readonly Name[];
  /** The option `roots` names it, whether or not it is a repository. */
  readonly isChosen: boolean;
}

export interface EnteredFolder {
  readonly position: WalkPosition & { readonly chain: IgnoreChain };
  /** Set if the folder is a root: the workspace itself, a repository, or a chosen folder. */
  readonly root: RootState | null;
  /** The root's repository. Null for a plain folder. */
  readonly repository: EnteredRepository | null;
  /** The folder's own `.git` is one, even if it is broken. Otherwise everything here depends on the rules above. */
  readonly hasRepository: boolean;
  readonly problems: readonly string[];
}

const RULE_BYTES = 1024 * 1024;
const NONE = Buffer.alloc(0);

/**
 * Returns the position above the workspace folder. The rules of an enclosing repository apply inside it.
 * @param before an earlier result
 */
export function startingPosition(
  fs: Fs,
  root: DiskPath,
  globalIgnore: DiskPath | null,
  before: WalkPosition | null = null,
): WalkPosition {
  const problems: string[] = [];
  const global = globalIgnore === null ? null : readRules(fs, globalIgnore, problems);
  const nothing: WalkPosition = {
    tracked: NOTHING,
    chain: null,
    global,
    enclosingRepository: null,
    enclosingRoot: null,
    problems,
  };
  // The scan reads the workspace's own repository when it reaches it.
  if (isRepositoryTop(fs, root)) return nothing;
  const found = findRepository(fs, root);
  if (found === null) return nothing;
  if ('problem' in found.repository) {
    return { ...nothing, tracked: UNKNOWN, problems: [...problems, describeProblem(found.repository.problem)] };
  }
  const state = found.repository;
  const between = root.slice(found.folder.length).split('/').filter(Boolean) as Name[];
  const inside = between.join('/') as TreePath;
  let chain = startChain(fs, found.folder, state, global, problems);
  let disk = found.folder;
  for (const name of between.slice(0, -1)) {
    disk = diskChild(disk, name);
    chain = chain.enter(name, readRules(fs, diskChild(disk, '.gitignore'), problems), true);
  }
  const index = readIndex(fs, state.gitDir, state.objectFormat, before?.enclosingRepository?.index);
  if (index.problem !== null) problems.push(describeProblem(index.problem));
  const tracked = trackedBelow(index.tracked, (path) => joinPaths(inside, path));
  const around: EnteredRepository = { state, index, inside };
  return {
    tracked,
    chain,
    global,
    enclosingRepository: around,
    enclosingRoot: rootState(WORKSPACE_ITSELF, state),
    problems,
  };
}

/** Whether both positions have the same effect on everything below the workspace's folder. */
export function isSamePosition(a: WalkPosition, b: WalkPosition): boolean {
  const sameRules = a.chain?.key === b.chain?.key && Buffer.compare(a.global ?? NONE, b.global ?? NONE) === 0;
  return (
    sameRules && a.tracked.names === b.tracked.names && a.enclosingRepository?.inside === b.enclosingRepository?.inside
  );
}

/** @param before an earlier result for the folder */
export function enterFolder(
  fs: Fs,
  above: WalkPosition,
  folder: ListedFolder,
  before: EnteredFolder | null = null,
): EnteredFolder {
  const { path, disk, names, isChosen } = folder;
  const repository = names.includes(GIT_FOLDER) ? readRepository(fs, disk) : null;
  // A bare repository has no working files: its folder is treated as an ordinary one, which may contain its worktrees.
  if (repository !== null && !('bare' in repository && repository.bare))
    return enterRepository(fs, above, folder, repository, before);
  const problems = problemsAbove(above, path);
  const rules = names.includes(IGNORE_FILE) ? readRules(fs, diskChild(disk, '.gitignore'), problems) : null;
  const chain =
    above.chain === null || isChosen
      ? IgnoreChain.start({ ignoreCase: false, global: above.global, exclude: null, top: rules })
      : above.chain.enter(baseName(path === '' ? (disk as string as TreePath) : path), rules, path === '');
  problems.push(...chain.problems.map((problem) => `${disk}/.gitignore: ${problem.detail}`));
  const plain: RootState = { path, kind: 'folder', branch: null, commit: null, operation: null };
  return {
    position: { ...above, chain },
    root: path === '' ? (above.enclosingRoot ?? plain) : isChosen ? plain : null,
    repository: path === '' ? above.enclosingRepository : null,
    hasRepository: false,
    problems,
  };
}

function enterRepository(
  fs: Fs,
  above: WalkPosition,
  { path, disk }: ListedFolder,
  repository: GitState | BrokenRepository,
  before: EnteredFolder | null,
): EnteredFolder {
  const problems = problemsAbove(above, path);
  if ('problem' in repository) {
    problems.push(describeProblem(repository.problem));
    const top = readRules(fs, diskChild(disk, '.gitignore'), problems);
    const chain = IgnoreChain.start({ ignoreCase: false, global: above.global, exclude: null, top });
    const root: RootState = { path, kind: 'repository', branch: null, commit: null, operation: null };
    const index = { tracked: UNKNOWN_TRACKED, problem: null, writtenMs: null, file: null };
    const nothing = { state: repository, index, inside: WORKSPACE_ITSELF };
    const position = { ...above, chain, tracked: UNKNOWN };
    return { position, root, repository: nothing, hasRepository: true, problems };
  }
  problems.push(...repository.problems.map(describeProblem));
  const chain = startChain(fs, disk, repository, above.global, problems);
  const index = readIndex(fs, repository.gitDir, repository.objectFormat, before?.repository?.index);
  if (index.problem !== null) problems.push(describeProblem(index.problem));
  const tracked = trackedBelow(index.tracked, (inside) => relativePath(path, inside));
  const entered = { state: repository, index, inside: WORKSPACE_ITSELF };
  const position = { ...above, chain, tracked };
  return { position, root: rootState(path, repository), repository: entered, hasRepository: true, problems };
}

/** @param inIndex turns a path of the workspace into one of the repository */
function trackedBelow(paths: TrackedPaths, inIndex: (path: TreePath) => TreePath): TrackedLookup {
  return {
    has: (path) => paths.has(inIndex(path)),
    hasBelow: (folder) => paths.hasBelow(inIndex(folder)),
    namesIn: (folder) => paths.namesIn(inIndex(folder)),
    hasEntry: (path) => paths.entry(inIndex(path)) !== null,
    names: paths.names,
  };
}

const NOTHING = trackedBelow(NOTHING_TRACKED, (path) => path);
const UNKNOWN = trackedBelow(UNKNOWN_TRACKED, (path) => path);

/** Problems above the workspace are reported for the workspace itself. */
function problemsAbove(above: WalkPosition, path: TreePath): string[] {
  return path === '' ? [...above.problems] : [];
}

function startChain(fs: Fs, folder: DiskPath, state: GitState, global: IgnoreFile, problems: string[]): IgnoreChain {
  const chain = IgnoreChain.start({
    ignoreCase: state.ignoreCase,
    global,
    exclude: readRules(fs, diskChild(state.commonDir, 'info/exclude'), problems),
    top: readRules(fs, diskChild(folder, '.gitignore'), problems),
  });
  problems.push(...chain.problems.map((problem) => `${folder}: ${problem.detail}`));
  return chain;
}

function readRules(fs: Fs, path: DiskPath, problems: string[]): IgnoreFile {
  try {
    return readGitFile(fs, path, RULE_BYTES);
  } catch (error) {
    problems.push(describeProblem(problemOf(error)));
    return null;
  }
}

function rootState(path: TreePath, state: GitState): RootState {
  return {
    path,
    kind: 'repository',
    branch: state.head?.branch ?? null,
    commit: state.head?.commit ?? null,
    operation: state.operation,
  };
}

function describeProblem(problem: GitProblem): string {
  return `${problem.path}: ${problem.detail}`;
}
