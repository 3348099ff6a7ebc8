/**
 * Surveys the current roots of a workspace: which repositories and plain folders there are, on which branch, and how
 * dirty. It captures and writes nothing. It finds the same roots as a scan.
 */
import { showName } from '../../content/show-name.ts';
import type { GitState } from '../../git/repository.ts';
import { type FileKind, FsError, isFsError, kindOf, type Stat } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import type { CaptureRules, RootState } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import {
  ATTRIBUTES_FILE,
  childPath,
  type DiskPath,
  diskChild,
  type Name,
  nameToJson,
  relativePath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../../model/names.ts';
import type { PathSet } from '../../model/path-set.ts';
import type { OwnPaths } from '../../store/own-paths.ts';
import { chosenRoots, dependencySkip } from '../rules/capture-rules.ts';
import { ChosenPaths } from '../rules/chosen-paths.ts';
import {
  type EnteredFolder,
  type EnteredRepository,
  enterFolder,
  startingPosition,
  type WalkPosition,
} from '../scan/position.ts';
import { problemText, WorkComparison, type WorkState } from './work-state.ts';

export interface SurveyInput {
  readonly ports: Ports;
  /** The workspace's folder. */
  readonly root: DiskPath;
  readonly rules: CaptureRules;
  /** The user's global git ignore file. */
  readonly globalIgnore: DiskPath | null;
  readonly own: OwnPaths;
  readonly pace: Pace;
  /** List each untracked file, instead of folders with everything in them. Folders of dependencies are not opened. */
  readonly eachUntracked?: boolean;
}

export interface SurveyedRoot {
  readonly root: RootState;
  /**
   * How the folder refers to its repository. `around`: the repository encloses the workspace. Null for a plain folder.
   */
  readonly link: GitState['link'] | 'around' | null;
  readonly detached: boolean;
  readonly unborn: boolean;
  readonly work: WorkState;
  /** Null for a plain folder, or if the folder's repository cannot be read. */
  readonly git: GitState | null;
  /** The rules in effect in the root's folder. */
  readonly position: EnteredFolder['position'];
}

export interface Survey {
  /** Ordered by path. The workspace itself comes first. */
  readonly roots: readonly SurveyedRoot[];
  /** Folders that could not be read. */
  readonly unreadable: readonly { readonly path: TreePath; readonly code: string }[];
  /** Folders that the option `roots` names but that do not exist. */
  readonly missing: readonly TreePath[];
}

/** @throws SavepointError CAPTURE_FAILED if the workspace's folder cannot be read */
export async function survey(input: SurveyInput): Promise<Survey> {
  const { fs } = input.ports;
  const stat = fs.lstat(input.root);
  if (stat === null || kindOf(stat) !== 'folder') throw unreadableWorkspace(input.root, 'ENOENT');
  const walk = new SurveyWalk(input);
  await walk.surveyFolder({
    path: WORKSPACE_ITSELF,
    disk: input.root,
    device: stat.dev,
    above: startingPosition(fs, input.root, input.globalIgnore),
    ignored: false,
    isInDependency: false,
    within: null,
    untracked: null,
    around: null,
  });
  const unreadable = walk.unreadable.find(({ path }) => path === '');
  if (unreadable !== undefined) throw unreadableWorkspace(input.root, unreadable.code);
  const roots: SurveyedRoot[] = [];
  for (const found of walk.found) roots.push({ ...found.surveyed, work: await found.work() });
  roots.sort((a, b) => (a.root.path < b.root.path ? -1 : 1));
  const there = new Set(roots.map(({ root }) => root.path));
  const missing = walk.chosenRoots.filter((path) => !there.has(path));
  return { roots, unreadable: walk.unreadable, missing };
}

interface SurveyTask {
  readonly path: TreePath;
  readonly disk: DiskPath;
  readonly device: number;
  readonly above: WalkPosition;
  readonly ignored: boolean;
  /** In a dependency folder only paths in the index are examined. */
  readonly isInDependency: boolean;
  /** The enclosing repository. */
  readonly within: EnclosingRepository | null;
  /** The topmost enclosing folder without tracked files, relative to the repository's folder. */
  readonly untracked: TreePath | null;
  /**
   * Set in a plain root, where the rules of the enclosing repository are not applied. `ignored`: that repository
   * ignores the whole root. `unknown`: it may ignore parts of it.
   */
  readonly around: 'ignored' | 'unknown' | null;
}

/** A repository whose files are being compared. */
interface EnclosingRepository {
  readonly comparison: WorkComparison;
  /** The repository's folder, relative to the workspace. */
  readonly top: TreePath;
}

interface SurveyedFolder {
  readonly surveyed: Omit<SurveyedRoot, 'work'>;
  readonly work: () => Promise<WorkState>;
}

class SurveyWalk {
  readonly found: SurveyedFolder[] = [];
  readonly unreadable: { readonly path: TreePath; readonly code: string }[] = [];
  readonly #chosen: ChosenPaths;
  readonly #roots: PathSet;

  constructor(private readonly input: SurveyInput) {
    this.#chosen = new ChosenPaths(input.rules);
    this.#roots = chosenRoots(input.rules);
  }

  get chosenRoots(): readonly TreePath[] {
    return this.#roots.paths;
  }

  async surveyFolder(task: SurveyTask): Promise<void> {
    const { fs } = this.input.ports;
    const { path, disk } = task;
    const names = this.#list(task);
    if (names === null) return;
    const isChosen = this.#roots.has(path);
    const here = enterFolder(fs, task.above, { path, disk, names, isChosen });
    const within = this.#enclosingRepository(task, here);
    const ignored = task.ignored && here.root === null;
    const isDependency = !isChosen && (task.isInDependency || this.#isDependency(path, disk, names, ignored));
    const inside = within === null ? path : relativePath(within.top, path);
    if (within !== null && names.includes(ATTRIBUTES_FILE)) within.comparison.addAttributesIn(inside, disk);
    const untracked = this.#untrackedFolder(task, here, within, inside);
    const isPlain = here.root?.kind === 'folder' && path !== '';
    const around = isPlain ? (task.ignored ? 'ignored' : 'unknown') : here.root === null ? task.around : null;
    if (isDependency && !here.position.tracked.hasBelow(path) && !this.#roots.hasAtOrBelow(path)) {
      if (this.#holdsFile(path, disk, within)) this.#addUntracked({ ...task, within, untracked }, path, ignored);
      return;
    }
    for (const name of names) {
      if (this.input.pace.isDue())
        await this.input.pace.yieldNow({ phase: 'scan', done: this.found.length, total: null });
      await this.#surveyName({ ...task, ignored, within, untracked, around, isInDependency: isDependency }, here, name);
    }
  }

  async #surveyName(task: SurveyTask, here: EnteredFolder, name: Name): Promise<void> {
    const path = childPath(task.path, name);
    const disk = diskChild(task.disk, name);
    if (name === '.git' || this.input.own.has(path, disk)) return;
    const stat = this.#stat(path, disk, task.within);
    if (stat === null) return;
    const kind = kindOf(stat);
    if (kind !== 'folder') return this.#compareFile(task, here, { name, path, disk, stat, kind });
    const isLeftOut =
      stat.dev !== task.device && !this.#roots.has(path) && this.#stat(path, diskChild(disk, '.git'), null) === null;
    if (isLeftOut || this.#chosen.excludes(path, true)) {
      task.within?.comparison.addUnknown(relativePath(task.within.top, path));
      return;
    }
    const byRules = task.ignored || here.position.chain.isIgnored(name, true);
    const ignored = byRules && !this.#chosen.includes(path, true);
    if (task.isInDependency && !here.position.tracked.hasBelow(path) && !this.#roots.hasAtOrBelow(path)) {
      if (this.#holdsFile(path, disk, task.within)) this.#addUntracked(task, path, ignored);
      return;
    }
    await this.surveyFolder({ ...task, path, disk, device: stat.dev, above: here.position, ignored });
  }

  async #compareFile(
    task: SurveyTask,
    here: EnteredFolder,
    file: { name: Name; path: TreePath; disk: DiskPath; stat: Stat; kind: FileKind },
  ): Promise<void> {
    const { within } = task;
    if (within === null) return;
    const inside = relativePath(within.top, file.path);
    if (await within.comparison.compareFile(inside, file.disk, file.stat)) return;
    if (file.kind === 'special') return;
    this.#addUntracked(task, file.path, task.ignored || here.position.chain.isIgnored(file.name, false), file.kind);
  }

  #addUntracked(
    { within, untracked, around }: SurveyTask,
    path: TreePath,
    ignored: boolean,
    kind: FileKind = 'folder',
  ): void {
    if (within === null || ignored) return;
    const inside = relativePath(within.top, path);
    const reportedPath = untracked ?? (kind === 'folder' ? withTrailingSlash(inside) : inside);
    if (around === 'unknown') within.comparison.addUnknown(reportedPath);
    if (around === null) within.comparison.addUntracked(reportedPath);
  }

  /** Returns the repository to compare the folder's files with: its own or the enclosing one. */
  #enclosingRepository(task: SurveyTask, here: EnteredFolder): EnclosingRepository | null {
    const { path, disk, within } = task;
    if (here.root === null) {
      return within?.comparison.isEmptySubmodule(relativePath(within.top, path)) ? null : within;
    }
    const { repository } = here;
    const git = repository === null || 'problem' in repository.state ? null : repository.state;
    if (here.root.kind === 'repository') within?.comparison.addRepository(relativePath(within.top, path), git);
    const comparison =
      repository === null || git === null
        ? null
        : new WorkComparison(this.input.ports, disk, git, repository, this.input.pace);
    this.found.push({
      surveyed: {
        root: here.root,
        link: here.root.kind === 'folder' ? null : linkOf(repository),
        detached: git?.head?.detached ?? false,
        unborn: git?.head?.unborn ?? false,
        git,
        position: here.position,
      },
      work: async () => (comparison === null ? unknownState(here) : withProblems(await comparison.result(), git)),
    });
    if (comparison !== null) return { comparison, top: path };
    return here.root.kind === 'folder' ? within : null;
  }

  #untrackedFolder(
    task: SurveyTask,
    here: EnteredFolder,
    within: EnclosingRepository | null,
    inside: TreePath,
  ): TreePath | null {
    if (within === null || here.root?.kind === 'repository' || this.input.eachUntracked === true) return null;
    if (task.untracked !== null) return task.untracked;
    return within.comparison.hasBelow(inside) ? null : withTrailingSlash(inside);
  }

  #list({ path, disk, above, ignored, isInDependency, within }: SurveyTask): Name[] | null {
    const { fs } = this.input.ports;
    try {
      const isWanted =
        above.tracked.hasBelow(path) || this.#roots.hasAtOrBelow(path) || this.#chosen.includes(path, true);
      const isUnlisted = !isInDependency && !isWanted;
      if (isUnlisted && dependencySkip(fs, path, disk, null, ignored) !== null) {
        // A repository is a root, whatever its name.
        if (fs.lstat(diskChild(disk, '.git')) === null) {
          if (!ignored && this.#holdsFile(path, disk, within))
            within?.comparison.addUntracked(withTrailingSlash(relativePath(within.top, path)));
          return null;
        }
      }
      return fs.list(disk).sort();
    } catch (error) {
      this.#addUnreadable(path, error, within);
      return null;
    }
  }

  /**
   * git does not see folders that contain only folders. The search is cheap: a skipped folder either has a file near
   * its top or is almost empty.
   */
  #holdsFile(path: TreePath, disk: DiskPath, within: EnclosingRepository | null): boolean {
    if (within === null) return false;
    const open = [disk];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const name of this.#names(path, folder, within)) {
        const inner = diskChild(folder, name);
        const stat = this.#stat(path, inner, within);
        if (stat !== null && kindOf(stat) !== 'folder') return true;
        if (stat !== null) open.push(inner);
      }
    }
    return false;
  }

  #names(path: TreePath, disk: DiskPath, within: EnclosingRepository): readonly Name[] {
    try {
      return this.input.ports.fs.list(disk);
    } catch (error) {
      this.#addUnreadable(path, error, within);
      return [];
    }
  }

  #isDependency(path: TreePath, disk: DiskPath, names: readonly Name[], ignored: boolean): boolean {
    if (this.#chosen.includes(path, true)) return false;
    return dependencySkip(this.input.ports.fs, path, disk, names, ignored) !== null;
  }

  #stat(path: TreePath, disk: DiskPath, within: EnclosingRepository | null): Stat | null {
    try {
      return this.input.ports.fs.lstat(disk);
    } catch (error) {
      this.#addUnreadable(path, error, within);
      return null;
    }
  }

  /** EMFILE, ENFILE and ENOMEM are not about the path, so they fail the survey. */
  #addUnreadable(path: TreePath, error: unknown, within: EnclosingRepository | null): void {
    if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return;
    if (!(error instanceof FsError) || isFsError(error, 'EMFILE', 'ENFILE', 'ENOMEM')) throw error;
    this.unreadable.push({ path, code: error.code });
    within?.comparison.addUnknown(relativePath(within.top, path));
  }
}

function linkOf(repository: EnteredRepository | null): SurveyedRoot['link'] {
  if (repository === null || 'problem' in repository.state) return 'elsewhere';
  return repository.inside === '' ? repository.state.link : 'around';
}

function unknownState({ root, repository }: EnteredFolder): WorkState {
  const problems =
    root?.kind === 'repository' && repository !== null && 'problem' in repository.state
      ? [`its .git cannot be used: ${problemText(repository.state.problem)}`]
      : [];
  return { state: 'unknown', changes: [], problems };
}

function withProblems(work: WorkState, git: GitState | null): WorkState {
  return { ...work, problems: [...(git?.problems.map(problemText) ?? []), ...work.problems] };
}

/** git's notation for a whole folder. */
function withTrailingSlash(path: TreePath): TreePath {
  return `${path}/` as TreePath;
}

function unreadableWorkspace(root: DiskPath, code: string): SavepointError {
  const what = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
  const message = `The workspace folder ${showName(root)} ${what}.`;
  return new SavepointError('CAPTURE_FAILED', message, { path: nameToJson(root), code });
}
