/**
 * The roots of a workspace as they are now: which repositories and plain folders, on what branch, how dirty. Nothing
 * is captured and nothing written. Roots are where a scan finds them.
 */
import { showName } from '../content/show-name.ts';
import { type FileKind, FsError, isFsError, kindOf, type Stat } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { CaptureRules, RootState } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { childPath, type DiskPath, type Name, nameToJson, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { dependencySkip } from './capture-rules.ts';
import { ChosenPaths } from './chosen-paths.ts';
import type { GitState } from './git-state.ts';
import { type Entered, type EnteredRepository, type Position, startingPosition, stepInto } from './position.ts';
import { problemText, WorkComparison, type WorkState } from './work-state.ts';

export interface SurveyInput {
  readonly ports: Ports;
  /** The workspace's folder. */
  readonly root: DiskPath;
  readonly rules: CaptureRules;
  /** The person's own git ignore file. */
  readonly globalIgnore: DiskPath | null;
  readonly own: OwnPaths;
  readonly pace: Pace;
}

export interface SurveyedRoot {
  readonly root: RootState;
  /** How the folder comes to its repository; `around`: the repository encloses the workspace. Null for a plain folder. */
  readonly link: GitState['link'] | 'around' | null;
  readonly detached: boolean;
  readonly unborn: boolean;
  readonly work: WorkState;
  /** Null where the folder's repository could not be made out; of a plain folder, too. */
  readonly git: GitState | null;
  /** The rules that hold in its folder. */
  readonly position: Entered['position'];
}

export interface Survey {
  /** In order of their paths; the workspace itself is the first. */
  readonly roots: readonly SurveyedRoot[];
  /** Folders that could not be looked into. */
  readonly unreadable: readonly { readonly path: TreePath; readonly code: string }[];
}

/** @throws SavepointError CAPTURE_FAILED when the workspace's folder cannot be read */
export async function survey(input: SurveyInput): Promise<Survey> {
  const { fs } = input.ports;
  const stat = fs.lstat(input.root);
  if (stat === null || kindOf(stat) !== 'folder') throw unreadableWorkspace(input.root, 'ENOENT');
  const walk = new Walk(input, stat.dev);
  await walk.folder({
    path: WORKSPACE_ITSELF,
    disk: input.root,
    above: startingPosition(fs, input.root, input.globalIgnore),
    ignored: false,
    onlyNamed: false,
    within: null,
    untracked: null,
  });
  const unreadable = walk.unreadable.find(({ path }) => path === '');
  if (unreadable !== undefined) throw unreadableWorkspace(input.root, unreadable.code);
  const roots: SurveyedRoot[] = [];
  for (const found of walk.found) roots.push({ ...found.told, work: await found.work() });
  roots.sort((a, b) => (a.root.path < b.root.path ? -1 : 1));
  return { roots, unreadable: walk.unreadable };
}

interface Task {
  readonly path: TreePath;
  readonly disk: DiskPath;
  readonly above: Position;
  readonly ignored: boolean;
  /** In a dependency folder only what the index names is looked at. */
  readonly onlyNamed: boolean;
  /** The repository that the folder lies in. */
  readonly within: Within | null;
  /** The topmost folder around this one of which nothing is tracked, from the repository's folder. */
  readonly untracked: TreePath | null;
}

/** A repository whose files are being compared. */
interface Within {
  readonly comparison: WorkComparison;
  /** The repository's folder in the workspace. */
  readonly top: TreePath;
}

interface Found {
  readonly told: Omit<SurveyedRoot, 'work'>;
  readonly work: () => Promise<WorkState>;
}

class Walk {
  readonly found: Found[] = [];
  readonly unreadable: { readonly path: TreePath; readonly code: string }[] = [];
  readonly #chosen: ChosenPaths;

  constructor(
    private readonly input: SurveyInput,
    private readonly device: number,
  ) {
    this.#chosen = new ChosenPaths(input.rules);
  }

  async folder(task: Task): Promise<void> {
    const { fs } = this.input.ports;
    const { path, disk } = task;
    const names = this.#list(task);
    if (names === null) return;
    const here = stepInto(fs, task.above, path, disk, names);
    const within = this.#within(task, here);
    const ignored = task.ignored && here.root === null;
    const isDependency = here.root === null && (task.onlyNamed || this.#isDependency(path, disk, names, ignored));
    const inside = within === null ? path : from(within.top, path);
    if (within !== null && names.includes('.gitattributes' as Name)) within.comparison.attributesIn(inside, disk);
    const untracked = this.#untrackedFolder(task, here, within, inside);
    if (isDependency && !here.position.tracked.hasBelow(path)) {
      if (names.length > 0 && !ignored) within?.comparison.untracked(untracked ?? (`${inside}/` as TreePath));
      return;
    }
    for (const name of names) {
      if (this.input.pace.due()) await this.input.pace.breathe({ phase: 'scan', done: this.found.length, total: null });
      await this.#name({ ...task, ignored, within, untracked, onlyNamed: isDependency }, here, name);
    }
  }

  async #name(task: Task, here: Entered, name: Name): Promise<void> {
    const path = childPath(task.path, name);
    const disk = `${task.disk === '/' ? '' : task.disk}/${name}` as DiskPath;
    if (name === '.git' || this.input.own.has(path, disk)) return;
    const stat = this.#stat(path, disk, task.within);
    if (stat === null) return;
    const kind = kindOf(stat);
    if (kind !== 'folder') return this.#file(task, here, { name, path, disk, stat, kind });
    if (stat.dev !== this.device || this.#chosen.excludes(path, true)) {
      task.within?.comparison.unseen(from(task.within.top, path));
      return;
    }
    const byRules = task.ignored || here.position.chain.isIgnored(name, true);
    const ignored = byRules && !this.#chosen.includes(path, true);
    await this.folder({ ...task, path, disk, above: here.position, ignored });
  }

  async #file(
    task: Task,
    here: Entered,
    file: { name: Name; path: TreePath; disk: DiskPath; stat: Stat; kind: FileKind },
  ): Promise<void> {
    const { within } = task;
    if (within === null) return;
    const inside = from(within.top, file.path);
    if (await within.comparison.file(inside, file.disk, file.stat)) return;
    if (file.kind === 'special' || task.ignored || here.position.chain.isIgnored(file.name, false)) return;
    within.comparison.untracked(task.untracked ?? inside);
  }

  /** What the folder's files are compared with: its own repository, or the one around it. */
  #within(task: Task, here: Entered): Within | null {
    const { path, disk, within } = task;
    if (here.root === null) {
      return within?.comparison.isEmptySubmodule(from(within.top, path)) ? null : within;
    }
    const { repository } = here;
    const git = repository === null || 'problem' in repository.state ? null : repository.state;
    if (here.root.kind === 'repository') within?.comparison.repository(from(within.top, path), git);
    const comparison =
      repository === null || git === null
        ? null
        : new WorkComparison(this.input.ports, disk, git, repository, this.input.pace);
    this.found.push({
      told: {
        root: here.root,
        link: here.root.kind === 'folder' ? null : linkOf(repository),
        detached: git?.head?.detached ?? false,
        unborn: git?.head?.unborn ?? false,
        git,
        position: here.position,
      },
      work: async () => (comparison === null ? nothingKnown(here) : withProblems(await comparison.outcome(), git)),
    });
    if (comparison !== null) return { comparison, top: path };
    return null;
  }

  #untrackedFolder(task: Task, here: Entered, within: Within | null, inside: TreePath): TreePath | null {
    if (within === null || here.root !== null) return null;
    if (task.untracked !== null) return task.untracked;
    return within.comparison.hasBelow(inside) ? null : (`${inside}/` as TreePath);
  }

  #list({ path, disk, above, ignored, onlyNamed, within }: Task): Name[] | null {
    const { fs } = this.input.ports;
    try {
      const isUnlisted = !onlyNamed && !above.tracked.hasBelow(path) && !this.#chosen.includes(path, true);
      if (isUnlisted && dependencySkip(fs, path, disk, null, ignored) !== null) {
        // A repository is a root of its own, whatever its name.
        if (fs.lstat(`${disk}/.git` as DiskPath) === null) {
          if (!ignored) within?.comparison.untracked(`${from(within.top, path)}/` as TreePath);
          return null;
        }
      }
      return fs.list(disk).sort();
    } catch (error) {
      this.#unreadable(path, error, within);
      return null;
    }
  }

  #isDependency(path: TreePath, disk: DiskPath, names: readonly Name[], ignored: boolean): boolean {
    if (this.#chosen.includes(path, true)) return false;
    return dependencySkip(this.input.ports.fs, path, disk, names, ignored) !== null;
  }

  #stat(path: TreePath, disk: DiskPath, within: Within | null): Stat | null {
    try {
      return this.input.ports.fs.lstat(disk);
    } catch (error) {
      this.#unreadable(path, error, within);
      return null;
    }
  }

  /** Without handles or memory nothing can be said about any path: that is a failure. */
  #unreadable(path: TreePath, error: unknown, within: Within | null): void {
    if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return;
    if (!(error instanceof FsError) || isFsError(error, 'EMFILE', 'ENFILE', 'ENOMEM')) throw error;
    this.unreadable.push({ path, code: error.code });
    within?.comparison.unseen(from(within.top, path));
  }
}

function linkOf(repository: EnteredRepository | null): SurveyedRoot['link'] {
  if (repository === null || 'problem' in repository.state) return 'elsewhere';
  return repository.inside === '' ? repository.state.link : 'around';
}

function nothingKnown({ root, repository }: Entered): WorkState {
  const problems =
    root?.kind === 'repository' && repository !== null && 'problem' in repository.state
      ? [`its .git cannot be used: ${problemText(repository.state.problem)}`]
      : [];
  return { state: 'unknown', changes: [], problems };
}

function withProblems(work: WorkState, git: GitState | null): WorkState {
  return { ...work, problems: [...(git?.problems.map(problemText) ?? []), ...work.problems] };
}

function from(top: TreePath, path: TreePath): TreePath {
  return (top === '' ? path : path.slice(top.length + 1)) as TreePath;
}

function unreadableWorkspace(root: DiskPath, code: string): SavepointError {
  const what = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
  const message = `The workspace folder ${showName(root)} ${what}.`;
  return new SavepointError('CAPTURE_FAILED', message, { path: nameToJson(root), code });
}
