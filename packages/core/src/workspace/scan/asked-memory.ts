/**
 * Asks a process that watches the workspace what has not changed, before each scan of a process that does not stay. The
 * other process has seen all that happened before the question, and the question comes after the scan was begun. So the
 * scan misses no change that a scan of all folders would surely have found.
 *
 * The answer is not trusted further than necessary:
 *
 * A1 A folder is not visited only if the last checkpoint has exactly its trees. A wrong answer can hide a change. It cannot
 *    bring anything into a checkpoint that is not in the last one.
 * A2 The trees of known folders count only if the last checkpoint has them, too: an older tree of a parent would
 *    contain an older one of a folder that was not visited.
 * A3 If the cache was forgotten, every file is read: damage was found in the store, and what is damaged must be
 *    stored again.
 * A4 A file with several links may be written through a link in another folder. If one is found, everything is visited.
 */

import type { Fs } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { Watcher, WatcherQuestion } from '../../io/watcher.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import type { KnownFolder } from './known-folder.ts';
import {
  dependenciesOf,
  type RecalledScan,
  type ScanDependencies,
  type ScanMemory,
  type VisitedFolder,
} from './scan-memory.ts';
import type { SavedFolders, StatCache } from './stat-cache.ts';
import { unchangedIn } from './unchanged-folder.ts';

type Unchanged = ReadonlyMap<TreePath, VisitedFolder>;

export class AskedMemory implements ScanMemory {
  /** For the next recall only. */
  #answer: Unchanged | null = null;
  #isForgotten = false;

  constructor(
    private readonly ports: Ports,
    private readonly watcher: Watcher,
    private readonly question: Omit<WatcherQuestion, 'dependencies'>,
    private readonly saved: StatCache,
  ) {}

  async prepare(frame: ScanDependencies): Promise<void> {
    if (this.#isForgotten) return;
    const text = await this.watcher.ask({ ...this.question, dependencies: dependenciesOf(this.ports.fs, frame) });
    this.#answer = text === null ? null : unchangedIn(text);
  }

  recall(frame: ScanDependencies): RecalledScan {
    const saved = this.saved.recall(frame);
    const answer = this.#answer;
    this.#answer = null;
    // A3
    return answer === null || saved.commit === null ? saved : new AskedRecall(saved, answer, frame);
  }

  keep(
    commit: ObjectId,
    recalled: RecalledScan,
    visited: ReadonlyMap<TreePath, VisitedFolder>,
    changedSince: readonly TreePath[],
  ): void {
    if (recalled instanceof AskedRecall) {
      this.saved.keep(commit, recalled.saved, visited, changedSince, recalled.unvisited(visited));
    } else this.saved.keep(commit, recalled, visited, changedSince);
  }

  keepUncaptured(): void {}

  /** A3 */
  forget(): void {
    this.#isForgotten = true;
    this.#answer = null;
    this.saved.forget();
  }
}

class AskedRecall implements RecalledScan {
  readonly #backups: PathSet;

  constructor(
    readonly saved: SavedFolders,
    private readonly answer: Unchanged,
    private readonly frame: ScanDependencies,
  ) {
    this.#backups = new PathSet(frame.own.backupFolders());
  }

  /** A2 */
  known(path: TreePath): KnownFolder | undefined {
    const known = this.saved.known(path);
    const ref = known?.ref ?? null;
    return ref === null || this.frame.isCaptured(path, ref) ? known : known?.without(null);
  }

  /** A1 */
  unchangedFolder(path: TreePath): VisitedFolder | null {
    const folder = this.answer.get(path);
    if (folder === undefined || this.#backups.hasAtOrBelow(path)) return null;
    return this.frame.isCaptured(path, folder.written.ref) ? folder : null;
  }

  watch(): boolean {
    return true;
  }

  isQuiet(): boolean {
    return false;
  }

  still<Result>(key: string, make: (fs: Fs, before: Result | null) => Result): Result {
    return this.saved.still(key, make);
  }

  /** A4. The next recall has no answer. */
  mustRescan(visited: ReadonlyMap<TreePath, VisitedFolder>): boolean {
    return [...visited.values()].some(({ linked }) => linked !== null);
  }

  /** Returns the known records of the folders that were not visited, as far as they describe the same trees. */
  unvisited(visited: ReadonlyMap<TreePath, VisitedFolder>): ReadonlyMap<TreePath, KnownFolder> {
    const tops = [...this.answer].filter(([path, { written }]) => {
      const ref = this.saved.known(path)?.ref;
      return !visited.has(path) && ref?.files === written.ref.files && ref.side === written.ref.side;
    });
    const described = new PathSet(tops.map(([path]) => path));
    return new Map([...this.saved.folders].filter(([path]) => described.covers(path)));
  }
}
