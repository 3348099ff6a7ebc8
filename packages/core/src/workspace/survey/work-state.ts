/**
 * Compares a repository's working files with its index and its commit, without git:
 * - each tracked path with the index, by stat data if that is proof, otherwise by content
 * - the index with the tree of HEAD's commit
 * - the files on disk with the index and the ignore rules, to find untracked ones
 *
 * A path that cannot be compared counts as unknown, never as unchanged.
 */

import { gitBoolean } from '../../content/git-config.ts';
import { showName, showText } from '../../content/show-name.ts';
import { Attributes } from '../../git/attributes.ts';
import { ContentComparer, type ContentRules } from '../../git/content.ts';
import { type GitProblem, problemOf } from '../../git/file.ts';
import { GitObjects } from '../../git/objects.ts';
import { type GitState, readRepository } from '../../git/repository.ts';
import { stagedPaths } from '../../git/staged.ts';
import type { IndexEntry, TrackedPaths } from '../../git/tracked.ts';
import { FsError, kindOf, type Stat } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import {
  baseName,
  type DiskPath,
  diskChild,
  joinPaths,
  parentPath,
  relativePath,
  type TreePath,
  textFromBytes,
  WORKSPACE_ITSELF,
} from '../../model/names.ts';
import type { EnteredRepository } from '../scan/position.ts';

/**
 * How a path differs. `conflict`: a merge conflict. `added`, `modified` and `deleted` are relative to the commit or the
 * index. An `untracked` folder includes everything in it, and ends in `/`.
 */
export type PathStatus = 'conflict' | 'untracked' | 'added' | 'modified' | 'deleted';

export interface ChangedPath {
  /** Relative to the repository's folder. */
  readonly path: TreePath;
  readonly how: PathStatus;
}

export interface WorkState {
  /** `unknown`: no difference was found, but not everything could be compared. */
  readonly state: 'clean' | 'dirty' | 'unknown';
  /** Ordered by path. Incomplete if `problems` is not empty. */
  readonly changes: readonly ChangedPath[];
  /** Why some paths could not be compared. */
  readonly problems: readonly string[];
}

const SUBMODULE = 0o160000;
const SHOWN = 3;

/** Collects what a walk finds, then computes the work state. */
export class WorkComparison {
  readonly #tracked: TrackedPaths;
  readonly #state: GitState;
  readonly #inside: TreePath;
  /** Entries that the walk has not reached, except paths in conflict. */
  readonly #remaining = new Map<TreePath, IndexEntry>();
  readonly #conflicts = new Set<TreePath>();
  readonly #changes = new Map<TreePath, PathStatus>();
  readonly #unknown = new Set<TreePath>();
  readonly #problems: string[] = [];
  readonly #attributes = new Attributes();
  readonly #contents: ContentComparer;
  readonly #sparse: boolean;
  readonly #folders = new Map<TreePath, boolean>();

  /** @param top the workspace's folder if a repository encloses it, otherwise the repository's own */
  constructor(
    private readonly ports: Ports,
    private readonly top: DiskPath,
    state: GitState,
    entered: EnteredRepository,
    private readonly pace: Pace,
  ) {
    this.#state = state;
    this.#tracked = entered.index.tracked;
    this.#inside = entered.inside;
    if (entered.index.problem !== null)
      this.#problems.push(`the index cannot be read: ${problemText(entered.index.problem)}`);
    const { config } = state;
    if (state.link === 'inside' && typeof config.get('core.worktree') === 'string') {
      this.#problems.push('its configuration says that its files are elsewhere (core.worktree)');
    }
    this.#sparse = gitBoolean(config.get('core.sparsecheckout')) === true;
    const rules: ContentRules = {
      objectFormat: state.objectFormat,
      trustsModes: (gitBoolean(config.get('core.filemode')) ?? true) && ports.platform !== 'win32',
      hasLinks: gitBoolean(config.get('core.symlinks')) ?? true,
      indexTime: this.#indexTime(),
    };
    this.#contents = new ContentComparer(ports.fs, rules, pace);
    for (const entry of this.#tracked.entries()) {
      const path = this.#inward(entry.path);
      if (path === null) continue;
      if (entry.stage > 0) this.#conflicts.add(path);
      else this.#remaining.set(path, entry);
    }
    this.#addAttributes();
  }

  /** Compares a file or link that the walk has reached. @returns false if it is not in the index */
  async compareFile(path: TreePath, disk: DiskPath, stat: Stat): Promise<boolean> {
    if (this.#conflicts.has(path)) return true;
    const entry = this.#remaining.get(path);
    if (entry === undefined) return this.#isInSparse(path);
    this.#remaining.delete(path);
    await this.#compare(path, entry, disk, stat);
    return true;
  }

  /** Records a nested repository. @returns false if the index does not have it as a submodule */
  addRepository(path: TreePath, nested: GitState | null): boolean {
    const entry = this.#remaining.get(path);
    if (entry?.mode !== SUBMODULE) return false;
    this.#remaining.delete(path);
    this.#compareSubmodule(path, entry, nested);
    return true;
  }

  /** Whether the folder is a submodule that has not been checked out. Its contents are not compared. */
  isEmptySubmodule(path: TreePath): boolean {
    return this.#remaining.get(path)?.mode === SUBMODULE;
  }

  hasBelow(folder: TreePath): boolean {
    return this.#tracked.hasBelow(this.#outward(folder));
  }

  /** @param path of a file, or of a folder with everything in it; a folder ends in `/` */
  addUntracked(path: TreePath): void {
    this.#changes.set(path, 'untracked');
  }

  /** Records a path that was not examined. */
  addUnknown(path: TreePath): void {
    this.#unknown.add(path);
  }

  addAttributesIn(folder: TreePath, disk: DiskPath): void {
    this.#attributes.add(this.ports.fs, diskChild(disk, '.gitattributes'), folder);
  }

  async result(): Promise<WorkState> {
    await this.#compareRemaining();
    for (const path of this.#conflicts) this.#changes.set(path, 'conflict');
    await this.#compareWithCommit();
    for (const path of this.#changes.keys()) {
      // If a folder replaced a file, report the path only once.
      if (path.endsWith('/') && this.#changes.has(path.slice(0, -1) as TreePath)) this.#changes.delete(path);
    }
    const unknown = [...this.#unknown].filter((path) => !this.#changes.has(path));
    const problems = [...this.#problems];
    if (unknown.length > 0) {
      const names =
        unknown
          .slice(0, SHOWN)
          .map((path) => showName(path))
          .join(', ') + (unknown.length > SHOWN ? ', …' : '');
      problems.push(`${unknown.length} paths cannot be compared without git (${names})`);
    }
    const changes = [...this.#changes].map(([path, how]) => ({ path, how })).sort((a, b) => (a.path < b.path ? -1 : 1));
    return { state: changes.length > 0 ? 'dirty' : problems.length > 0 ? 'unknown' : 'clean', changes, problems };
  }

  async #compare(path: TreePath, entry: IndexEntry, disk: DiskPath, stat: Stat): Promise<void> {
    if (entry.intentToAdd) {
      this.#changes.set(path, 'added');
      return;
    }
    if (entry.assumeUnchanged || (entry.skipWorktree && !this.#sparse)) return;
    if (entry.mode === SUBMODULE) {
      this.#changes.set(path, 'modified');
      return;
    }
    const conversion = () => this.#attributes.of(this.#outward(path));
    const found = await this.#contents.compare(disk, stat, entry, conversion);
    if (found === 'differs') this.#changes.set(path, 'modified');
    if (found === 'unknown') this.#unknown.add(path);
  }

  #compareSubmodule(path: TreePath, entry: IndexEntry, nested: GitState | null): void {
    if (nested === null || nested.head === null) this.#unknown.add(path);
    else if (nested.head.commit !== null && nested.head.commit !== entry.id) this.#changes.set(path, 'modified');
  }

  /** Compares the entries that the walk did not reach: they are deleted, or are in folders that it does not enter. */
  async #compareRemaining(): Promise<void> {
    for (const [path, entry] of this.#remaining) {
      if (this.pace.isDue()) await this.pace.yieldNow();
      if (entry.skipWorktree && !this.#sparse) continue;
      const disk = this.#diskOf(path);
      const stat = this.#statOf(path, disk);
      if (stat === 'unknown') this.#unknown.add(path);
      else if (stat === null) {
        if (!entry.skipWorktree && !entry.assumeUnchanged) this.#changes.set(path, 'deleted');
      } else if (entry.mode === SUBMODULE && kindOf(stat) === 'folder') {
        const nested = readRepository(this.ports.fs, disk);
        if (nested !== null) this.#compareSubmodule(path, entry, 'problem' in nested ? null : nested);
      } else if (kindOf(stat) === 'folder') this.#changes.set(path, 'deleted');
      else await this.#compare(path, entry, disk, stat);
    }
  }

  /** Null if nothing exists at the path. A path beyond a symbolic link counts as absent, as in git. */
  #statOf(path: TreePath, disk: DiskPath): Stat | null | 'unknown' {
    try {
      return this.#isFolder(parentPath(path)) ? this.ports.fs.lstat(disk) : null;
    } catch (error) {
      if (error instanceof FsError) return 'unknown';
      throw error;
    }
  }

  #isFolder(path: TreePath): boolean {
    if (path === '') return true;
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const stat = this.#isFolder(parentPath(path)) ? this.ports.fs.lstat(this.#diskOf(path)) : null;
    const is = stat !== null && kindOf(stat) === 'folder';
    this.#folders.set(path, is);
    return is;
  }

  async #compareWithCommit(): Promise<void> {
    const { head } = this.#state;
    if (head === null) {
      this.#problems.push('the commit of its HEAD is unknown');
      return;
    }
    let objects: GitObjects | null = null;
    try {
      const opened = () => {
        objects ??= new GitObjects(this.ports, this.#state);
        return objects;
      };
      const staged = await stagedPaths(opened, head.commit, this.#tracked, this.pace);
      if (staged.paths === null) this.#problems.push(`the index was not compared with the commit: ${staged.problem}`);
      for (const [path, how] of staged.paths ?? []) {
        const inward = this.#inward(path);
        if (inward !== null && !this.#changes.has(inward)) this.#changes.set(inward, how);
      }
    } catch (error) {
      this.#problems.push(`the index was not compared with the commit: ${errorText(error)}`);
    } finally {
      (objects as GitObjects | null)?.close();
    }
  }

  #addAttributes(): void {
    const { fs } = this.ports;
    this.#attributes.add(fs, diskChild(this.#state.commonDir, 'info/attributes'), WORKSPACE_ITSELF);
    // Attributes may also come from core.attributesFile, from above the workspace, or from the index. These are too
    // rare to be worth reading.
    const isElsewhere = this.#state.config.has('core.attributesfile') || this.#inside !== '';
    const isHidden = [...this.#remaining].some(
      ([path, entry]) => baseName(path) === '.gitattributes' && this.#isMissing(path, entry),
    );
    if (isElsewhere || isHidden) this.#attributes.addUnknown();
  }

  #isMissing(path: TreePath, { skipWorktree }: IndexEntry): boolean {
    const stat = skipWorktree ? null : this.#statOf(path, this.#diskOf(path));
    return stat === null || stat === 'unknown';
  }

  #isInSparse(path: TreePath): boolean {
    if (this.#tracked.sparseFolders.length === 0 || !this.#tracked.has(this.#outward(path))) return false;
    this.#unknown.add(path);
    return true;
  }

  #indexTime(): number {
    try {
      const stat = this.ports.fs.lstat(diskChild(this.#state.gitDir, 'index'));
      return stat === null ? 0 : Math.floor(stat.mtimeMs / 1000);
    } catch (error) {
      if (error instanceof FsError) return 0;
      throw error;
    }
  }

  #diskOf(path: TreePath): DiskPath {
    return diskChild(this.top, path);
  }

  /** Converts an index path to one relative to `top`. Null if it is outside `top`. */
  #inward(path: TreePath): TreePath | null {
    const isBelow = this.#inside === '' || path.startsWith(`${this.#inside}/`);
    return isBelow ? relativePath(this.#inside, path) : null;
  }

  #outward(path: TreePath): TreePath {
    return joinPaths(this.#inside, path);
  }
}

/** Returns the detail of a problem in printable form. It may quote bytes of a file. */
export function problemText({ detail }: GitProblem): string {
  return showText(textFromBytes(detail) ?? detail);
}

function errorText(error: unknown): string {
  return error instanceof SavepointError ? error.message : problemText(problemOf(error));
}
