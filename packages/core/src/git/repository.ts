/**
 * Reads the state of a repository without git.
 *
 * A folder is the top of a repository if it holds a `.git` file, or a `.git` folder that git would accept. What cannot
 * be read is null and listed in `problems`: it never stops a capture, and is never guessed.
 *
 * Only the repository's own configuration is read, not its includes and not the configuration of the user or the system
 * (git-config.ts).
 */

import { type GitConfig, gitBoolean, parseGitConfig } from '../content/git-config.ts';
import { type Fs, kindOf, type Stat } from '../io/fs.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { type GitProblem, problemOf, readGitFile, readPrefix, trimTrailing, unusableGitFile } from './file.ts';
import { type Head, readHead } from './head.ts';

export type GitOperation = 'rebase' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';
export type ObjectFormat = 'sha1' | 'sha256';

export interface GitState {
  /** HEAD, the index and other data of one worktree. */
  readonly gitDir: DiskPath;
  /** Refs, objects, configuration and `info/`. Differs from `gitDir` only in a linked worktree. */
  readonly commonDir: DiskPath;
  /**
   * How the folder refers to this repository.
   * - `inside`: its own `.git` folder
   * - `worktree`, `submodule`: a `.git` file, and the repository names this folder as its own
   * - `elsewhere`: a `.git` file or link to a repository that does not name this folder. This may be intended (`git
   *   init --separate-git-dir`) or a trap: never write to it.
   */
  readonly link: 'inside' | 'worktree' | 'submodule' | 'elsewhere';
  /** Null if it could not be read; `problems` gives the reason. */
  readonly head: Head | null;
  readonly operation: GitOperation | null;
  readonly objectFormat: ObjectFormat;
  /** core.ignorecase of the repository: patterns match names case-insensitively. */
  readonly ignoreCase: boolean;
  readonly bare: boolean;
  /** The repository's own configuration: `section.key` or `section.subsection.key`. Untrusted. */
  readonly config: ReadonlyMap<string, string | true>;
  readonly problems: readonly GitProblem[];
}

/** A `.git` that does not lead to a usable repository. */
export interface BrokenRepository {
  readonly problem: GitProblem;
}

export interface FoundRepository {
  /** The folder that holds the `.git`. */
  readonly folder: DiskPath;
  readonly repository: GitState | BrokenRepository;
}

const CONFIG_BYTES = 1024 * 1024;
const POINTER_BYTES = 16 * 1024;
const TODO_BYTES = 64 * 1024;
const GITDIR = 'gitdir: ';

/**
 * Finds the nearest folder with a `.git`, from `folder` upwards. Like git, it does not cross file systems, and skips a
 * `.git` folder that is not a repository.
 * @param folder absolute, without links in it: links would be mistaken for parents
 * @returns null if there is none up to the root of the file system
 */
export function findRepository(fs: Fs, folder: DiskPath): FoundRepository | null {
  let device: number | null = null;
  for (let at: DiskPath | null = folder; at !== null; at = parentFolder(at)) {
    try {
      const stat = fs.lstat(at);
      if (stat !== null) {
        if (device !== null && stat.dev !== device) return null;
        device = stat.dev;
      }
    } catch (error) {
      return { folder: at, repository: { problem: problemOf(error) } };
    }
    const repository = readRepository(fs, at);
    if (repository !== null) return { folder: at, repository };
  }
  return null;
}

/** Whether the folder is the top of a repository, valid or not. */
export function isRepositoryTop(fs: Fs, folder: DiskPath): boolean {
  const dotGit = diskChild(folder, '.git');
  try {
    const stat = fs.lstat(dotGit);
    return stat !== null && locateGitDir(fs, folder, dotGit, stat) !== null;
  } catch (error) {
    problemOf(error);
    return true;
  }
}

/**
 * Reads the repository whose top is `folder`.
 * @returns null if the folder has no `.git`, or a `.git` folder that git treats as an ordinary one
 */
export function readRepository(fs: Fs, folder: DiskPath): GitState | BrokenRepository | null {
  const dotGit = diskChild(folder, '.git');
  try {
    const stat = fs.lstat(dotGit);
    if (stat === null) return null;
    const place = locateGitDir(fs, folder, dotGit, stat);
    return place === null ? null : readState(fs, folder, place);
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

interface GitLocation {
  readonly gitDir: DiskPath;
  readonly commonDir: DiskPath;
  /** A `.git` folder that is its own common folder. */
  readonly isSelfContained: boolean;
}

function locateGitDir(fs: Fs, folder: DiskPath, dotGit: DiskPath, stat: Stat): GitLocation | null {
  const kind = kindOf(stat);
  if (kind === 'folder') {
    const commonDir = commonDirOf(fs, dotGit);
    return isGitDir(fs, dotGit, commonDir)
      ? { gitDir: dotGit, commonDir, isSelfContained: dotGit === commonDir }
      : null;
  }
  if (kind === 'special') throw unusableGitFile(dotGit, 'damaged', 'neither a folder nor a file');
  let gitDir = realpathOrThrow(fs, dotGit, dotGit);
  if (kind === 'file' || kindOf(fs.lstat(gitDir) ?? stat) === 'file') {
    gitDir = realpathOrThrow(fs, readPointer(fs, folder, gitDir), dotGit);
  }
  const commonDir = commonDirOf(fs, gitDir);
  if (!isGitDir(fs, gitDir, commonDir))
    throw unusableGitFile(dotGit, 'damaged', `points to ${gitDir}, which is not a repository`);
  return { gitDir, commonDir, isSelfContained: false };
}

function readPointer(fs: Fs, folder: DiskPath, file: DiskPath): DiskPath {
  const text = readGitFile(fs, file, POINTER_BYTES)?.toString('latin1') ?? '';
  const target = trimTrailing(text.slice(GITDIR.length), '\r\n');
  if (!text.startsWith(GITDIR) || target === '' || target.includes('\0')) {
    throw unusableGitFile(file, 'damaged', 'does not contain `gitdir: <path>`');
  }
  return absolute(folder, target);
}

function commonDirOf(fs: Fs, gitDir: DiskPath): DiskPath {
  const file = diskChild(gitDir, 'commondir');
  const text = readGitFile(fs, file, POINTER_BYTES)?.toString('latin1');
  if (text === undefined) return gitDir;
  const target = trimTrailing(text, '\r\n');
  if (target === '' || target.includes('\0')) throw unusableGitFile(file, 'damaged', 'names no folder');
  return realpathOrThrow(fs, absolute(gitDir, target), file);
}

/** git's own test: a HEAD, and folders for objects and refs. */
function isGitDir(fs: Fs, gitDir: DiskPath, commonDir: DiskPath): boolean {
  return (
    fs.lstat(diskChild(gitDir, 'HEAD')) !== null &&
    fs.lstat(diskChild(commonDir, 'objects')) !== null &&
    fs.lstat(diskChild(commonDir, 'refs')) !== null
  );
}

function readState(fs: Fs, folder: DiskPath, place: GitLocation): GitState {
  const { gitDir, commonDir } = place;
  const problems: GitProblem[] = [];
  const orNull = <Result>(read: () => Result): Result | null => {
    try {
      return read();
    } catch (error) {
      problems.push(problemOf(error));
      return null;
    }
  };
  const config = orNull(() => readConfig(fs, gitDir, commonDir, problems)) ?? new Map<string, string | true>();
  const format = objectFormatOf(config, diskChild(commonDir, 'config'), problems);
  const head = orNull(() => {
    if (config.get('extensions.refstorage') === 'reftable' || fs.lstat(diskChild(commonDir, 'reftable')) !== null) {
      throw unusableGitFile(
        diskChild(commonDir, 'reftable'),
        'unsupported',
        'refs are stored in a reftable, which is not supported',
      );
    }
    return readHead(fs, gitDir, commonDir, format === 'sha256' ? 64 : 40);
  });
  return {
    gitDir,
    commonDir,
    link: place.isSelfContained ? 'inside' : (orNull(() => linkOf(fs, folder, place, config)) ?? 'elsewhere'),
    head,
    operation: orNull(() => operationOf(fs, gitDir)),
    objectFormat: format,
    ignoreCase: gitBoolean(config.get('core.ignorecase')) ?? false,
    // In a linked worktree the setting applies to the main repository.
    bare: gitDir === commonDir && (gitBoolean(config.get('core.bare')) ?? false),
    config,
    problems,
  };
}

function readConfig(
  fs: Fs,
  gitDir: DiskPath,
  commonDir: DiskPath,
  problems: GitProblem[],
): ReadonlyMap<string, string | true> {
  const read = (path: DiskPath): GitConfig['values'] => {
    const text = readGitFile(fs, path, CONFIG_BYTES)?.toString('latin1') ?? '';
    const { values, errorLine: brokenAt } = parseGitConfig(text);
    if (brokenAt !== null) problems.push({ path, why: 'damaged', detail: `line ${brokenAt} has a syntax error` });
    return values;
  };
  const shared = read(diskChild(commonDir, 'config'));
  if (gitBoolean(shared.get('extensions.worktreeconfig')) !== true) return shared;
  return new Map([...shared, ...read(diskChild(gitDir, 'config.worktree'))]);
}

function objectFormatOf(
  config: ReadonlyMap<string, string | true>,
  path: DiskPath,
  problems: GitProblem[],
): ObjectFormat {
  const version = config.get('core.repositoryformatversion');
  if (version !== undefined && version !== '0' && version !== '1') {
    problems.push({ path, why: 'unsupported', detail: `repository format version ${version}` });
  }
  const format = config.get('extensions.objectformat') ?? 'sha1';
  if (format === 'sha1' || format === 'sha256') return format;
  problems.push({ path, why: 'unsupported', detail: `object format ${format}` });
  return 'sha1';
}

function linkOf(
  fs: Fs,
  folder: DiskPath,
  { gitDir, commonDir }: GitLocation,
  config: ReadonlyMap<string, string | true>,
): GitState['link'] {
  if (gitDir !== commonDir) {
    // The other repository's own folder must list the worktree. A workspace from elsewhere cannot write there, so it
    // cannot make itself a worktree of that repository.
    if (parentFolder(gitDir) !== diskChild(commonDir, 'worktrees')) return 'elsewhere';
    const back = readGitFile(fs, diskChild(gitDir, 'gitdir'), POINTER_BYTES)?.toString('latin1');
    if (back === undefined) return 'elsewhere';
    return isSame(fs, absolute(gitDir, trimTrailing(back, '\r\n')), diskChild(folder, '.git'))
      ? 'worktree'
      : 'elsewhere';
  }
  const worktree = config.get('core.worktree');
  return typeof worktree === 'string' && isSame(fs, absolute(gitDir, worktree), folder) ? 'submodule' : 'elsewhere';
}

function isSame(fs: Fs, claimed: DiskPath, path: DiskPath): boolean {
  return fs.lstat(claimed) !== null && fs.realpath(claimed) === fs.realpath(path);
}

/** A rebase also leaves the files of the other operations, so it is checked first. `git am` counts as a rebase. */
function operationOf(fs: Fs, gitDir: DiskPath): GitOperation | null {
  const names = new Set<string>(fs.list(gitDir));
  if (names.has('rebase-merge') || names.has('rebase-apply')) return 'rebase';
  if (names.has('MERGE_HEAD')) return 'merge';
  if (names.has('CHERRY_PICK_HEAD')) return 'cherry-pick';
  if (names.has('REVERT_HEAD')) return 'revert';
  // Between two picks of a series there is no CHERRY_PICK_HEAD or REVERT_HEAD, only the todo list.
  const todo = names.has('sequencer') ? readPrefix(fs, diskChild(gitDir, 'sequencer/todo'), TODO_BYTES) : null;
  if (todo !== null) {
    const lines = todo.bytes.toString('latin1').split('\n');
    const next = lines.find((line) => line.trim() !== '' && !line.startsWith('#'));
    return next?.trimStart().startsWith('revert') ? 'revert' : 'cherry-pick';
  }
  return names.has('BISECT_LOG') ? 'bisect' : null;
}

function realpathOrThrow(fs: Fs, path: DiskPath, from: DiskPath): DiskPath {
  try {
    return fs.realpath(path);
  } catch (error) {
    const { why, detail } = problemOf(error);
    throw unusableGitFile(from, why === 'unreadable' ? 'damaged' : why, `leads to ${path}: ${detail}`);
  }
}

/** On Windows a folder's path does not begin with a slash. Only there may a path begin with a drive. */
function absolute(base: DiskPath, path: string): DiskPath {
  const isAbsolute = path.startsWith('/') || (!base.startsWith('/') && /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path));
  return isAbsolute ? (path as DiskPath) : diskChild(base, path);
}

function parentFolder(folder: DiskPath): DiskPath | null {
  const cut = Math.max(folder.lastIndexOf('/'), folder.startsWith('/') ? -1 : folder.lastIndexOf('\\'));
  if (cut < 0 || folder === '/') return null;
  if (cut === 0) return '/' as DiskPath;
  const parent = folder.slice(0, cut);
  return /^[A-Za-z]:$/.test(parent) ? null : (parent as DiskPath);
}
