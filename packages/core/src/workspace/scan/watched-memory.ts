/**
 * What a process that stays remembers of a workspace while its folders are watched: whole folders, so that a scan goes
 * only where something changed. The scan is the truth; invariants that keep this from ever saying less than it:
 *
 * W1 A folder is watched before it is listed, so that no change falls between the two.
 * W2 What the watch told stays on the list of the changed until a scan that began after it was told was kept.
 * W3 Whatever is lost, and any difference in what all of a scan depends on, ends all that is remembered of whole
 *    folders: the next scan goes everywhere, with a new watch.
 * W4 What may change without the watch telling is looked at each time: folders with a file that has several names, that
 *    could not be watched or read, or that were captured for a special reason; what lies outside of the watched folders
 *    (a repository's own files, ignore files above, mounts) by its evidence. A file gets a second name without its first
 *    folder being told: where one is found, the folders with its others are looked at, too. A name outside of what is
 *    scanned is not found, nor one that is gone again; what is written through it is seen at the next look at the folder.
 * W5 Only what belongs to a checkpoint is remembered, and only while that checkpoint exists.
 */

import type { ChangeSource, FolderWatch } from '../../io/changes.ts';
import type { Fs } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import { childPath, type DiskPath, parentPath, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import { type Memo, memoWithEvidence } from './evidence.ts';
import { type KnownFolder, NameFlags } from './known-folder.ts';
import {
  ABOVE_WORKSPACE,
  type RecalledScan,
  type ScanDependencies,
  type ScanMemory,
  type VisitedFolder,
} from './scan-memory.ts';
import { foldersAbove, type StatCache } from './stat-cache.ts';

interface ScanMemo extends Memo<unknown> {
  readonly make: (fs: Fs, before: unknown) => unknown;
  readonly isSame: ((before: unknown, now: unknown) => boolean) | null;
  /** Something is not as it was seen: to be made again, with this as what was before. */
  readonly isStale: boolean;
}

/** The file is written anew after so many folders changed: a process without this memory reads what is newer. */
const MAX_UNSAVED_FOLDERS = 1_000;

export class WatchedMemory implements ScanMemory {
  #watch: FolderWatch | null = null;
  /** Their objects are in `#commit`. */
  #folders = new Map<TreePath, VisitedFolder>();
  #commit: ObjectId | null = null;
  /** Every folder of `#folders` was watched before it was listed. */
  #isWatched = false;
  /** Until a new watch begins. */
  #isLost = false;
  /** What all of a scan depends on, apart from what has its evidence. */
  #dependencies = '';
  /** Folders in which something changed, with the number of the first recall that knows it. */
  readonly #changed = new Map<TreePath, number>();
  readonly #inDoubt = new Set<TreePath>();
  /** Files with several names: inodes, with the change time at which their other names were looked for. */
  readonly #searchedInodes = new Map<number, number>();
  readonly #memos = new Map<string, ScanMemo>();
  #recalls = 0;
  #unsaved = 0;

  constructor(
    private readonly ports: Ports,
    private readonly root: DiskPath,
    private readonly source: ChangeSource,
    /** For what was known before this process, and for those after it. */
    private readonly saved: StatCache,
  ) {}

  recall(frame: ScanDependencies): RecalledScan {
    this.#recalls += 1;
    const now = this.#dependenciesOf(frame);
    const isValid = this.#takeChanges(this.#recalls) && now === this.#dependencies && this.#areMemosCurrent();
    if (!isValid) this.#startOver();
    this.#dependencies = now;
    for (const folder of frame.own.backupFolders()) this.#changed.set(folder, this.#recalls);
    if (this.#commit !== null && !frame.isCheckpoint(this.#commit)) this.#drop();
    const known = this.#commit === null ? this.saved.recall(frame) : null;
    const changedPaths = this.#isWatched ? new PathSet([...this.#changed.keys(), ...this.#inDoubt]) : null;
    const folders = this.#folders;
    return {
      number: this.#recalls,
      watches: this.#watch,
      isFull: changedPaths === null,
      known: (path) => (known === null ? folders.get(path)?.written.known : known.known(path)),
      unchangedFolder: (path) =>
        changedPaths === null || changedPaths.hasAtOrBelow(path) ? null : (folders.get(path) ?? null),
      watch: (folder) => this.#watch?.add(folder) ?? false,
      isQuiet: (path) => this.#isQuiet(path),
      still: (key, make, isSame) => this.#memoized(key, make, isSame ?? null),
      mustRescan: (visited) => changedPaths !== null && this.#markLinkedFolders(visited),
    } satisfies WatchedRecall as RecalledScan;
  }

  keep(
    commit: ObjectId,
    recalled: RecalledScan,
    visited: ReadonlyMap<TreePath, VisitedFolder>,
    changedSince: readonly TreePath[],
  ): void {
    const { number, watches, isFull: isWhole } = recalled as WatchedRecall;
    // Something ended what was remembered while the scan was under way, and it may rest on that.
    if (watches !== this.#watch || (!isWhole && !this.#isWatched)) return;
    if (isWhole) this.#empty();
    for (const [path, folder] of visited) this.#replace(path, folder);
    this.#commit = commit;
    this.#isWatched = watches !== null;
    for (const [path, since] of this.#changed) if (since <= number) this.#changed.delete(path);
    for (const path of changedSince) this.#markChanged(path);
    this.#unsaved += visited.size;
    if (isWhole || this.#unsaved > MAX_UNSAVED_FOLDERS) this.#save(commit);
  }

  forget(): void {
    this.#drop();
    this.saved.forget();
  }

  /** The watch ends; what is known is left to the next process. */
  close(): void {
    if (this.#unsaved > 0 && this.#commit !== null) this.#save(this.#commit);
    this.#drop();
    this.#watch?.close();
    this.#watch = null;
  }

  #dependenciesOf({ root, rules }: ScanDependencies): string {
    const { fs } = this.ports;
    const stat = fs.lstat(root);
    return JSON.stringify([stat?.dev, stat?.ino, rules, fs.mountPoints()]);
  }

  /** The next recall is told again what is found here (W2). */
  #isQuiet(path: TreePath): boolean {
    const next = this.#recalls + 1;
    return this.#takeChanges(next) && this.#changed.get(path) !== next;
  }

  /**
   * @param recall the first one that knows what is found
   * @returns false where something may have been missed
   */
  #takeChanges(recall: number): boolean {
    if (this.#watch === null || this.#isLost) return false;
    const changes = this.#watch.poll();
    if (changes.lost) {
      this.#isLost = true;
      return false;
    }
    for (const folder of changes.names.keys()) this.#changed.set(this.#pathOf(folder), recall);
    for (const folder of changes.folders) {
      const path = this.#pathOf(folder);
      this.#changed.set(parentPath(path), recall);
      // Nobody watches below it any more, whatever is there now.
      this.#forEachBelow(path, (below) => this.#changed.set(below, recall));
    }
    return true;
  }

  /** Marks the folders that have another name of a file that was found (W4). */
  #markLinkedFolders(visited: ReadonlyMap<TreePath, VisitedFolder>): boolean {
    const inodes = new Set<number>();
    for (const { linked } of visited.values()) {
      for (const { ino, ctimeMs } of linked ?? []) {
        if (this.#searchedInodes.get(ino) !== ctimeMs) inodes.add(ino);
        this.#searchedInodes.set(ino, ctimeMs);
      }
    }
    if (inodes.size === 0) return false;
    let found = false;
    for (const [path, { written }] of this.#folders) {
      if (visited.has(path) || !written.known.holdsAny(inodes)) continue;
      this.#changed.set(path, this.#recalls + 1);
      found = true;
    }
    return found;
  }

  /** @returns false where the rules above the workspace are others */
  #areMemosCurrent(): boolean {
    for (const [key, still] of this.#memos) {
      if (still.isStale || still.evidence.isCurrent()) continue;
      const path = key === ABOVE_WORKSPACE ? WORKSPACE_ITSELF : (key as TreePath);
      this.#changed.set(path, this.#recalls);
      if (key !== ABOVE_WORKSPACE) {
        this.#memos.set(key, { ...still, isStale: true });
        continue;
      }
      const now = this.#makeMemo(still.make, still.isSame, still.value);
      if (still.isSame?.(still.value, now.value) !== true) return false;
      this.#memos.set(key, now);
    }
    return true;
  }

  #memoized<Result>(
    key: string,
    make: (fs: Fs, before: Result | null) => Result,
    isSame: ((before: Result, now: Result) => boolean) | null,
  ): Result {
    const known = this.#memos.get(key);
    if (known?.isStale === false) return known.value as Result;
    // A key stands for one kind of result.
    const still = this.#makeMemo(make as ScanMemo['make'], isSame as ScanMemo['isSame'], known?.value ?? null);
    this.#memos.set(key, still);
    return still.value as Result;
  }

  #makeMemo(make: ScanMemo['make'], isSame: ScanMemo['isSame'], before: unknown): ScanMemo {
    return { ...memoWithEvidence(this.ports, (fs) => make(fs, before)), make, isSame, isStale: false };
  }

  /** W3. What is known of single files remains: their stats prove it. */
  #startOver(): void {
    this.#isWatched = false;
    this.#isLost = false;
    this.#changed.clear();
    this.#inDoubt.clear();
    this.#searchedInodes.clear();
    this.#memos.clear();
    this.#watch?.close();
    this.#watch = this.source.watch();
  }

  #drop(): void {
    this.#empty();
    this.#commit = null;
    this.#isWatched = false;
  }

  #empty(): void {
    this.#folders = new Map();
    this.#inDoubt.clear();
    this.#searchedInodes.clear();
  }

  #replace(path: TreePath, folder: VisitedFolder): void {
    const before = this.#folders.get(path)?.written.known;
    this.#folders.set(path, folder);
    if (folder.inDoubt) this.#inDoubt.add(path);
    else this.#inDoubt.delete(path);
    const { known } = folder.written;
    if (before === undefined || before === known) return;
    const left = new Set(foldersIn(path, known));
    for (const below of foldersIn(path, before))
      if (!left.has(below)) this.#forEachBelow(below, (gone) => this.#remove(gone));
  }

  #remove(path: TreePath): void {
    this.#folders.delete(path);
    this.#inDoubt.delete(path);
    this.#memos.delete(path);
  }

  /** @param visit may remove what it is given */
  #forEachBelow(path: TreePath, visit: (folder: TreePath) => void): void {
    const known = this.#folders.get(path)?.written.known;
    visit(path);
    if (known !== undefined) for (const below of foldersIn(path, known)) this.#forEachBelow(below, visit);
  }

  #markChanged(path: TreePath): void {
    this.#changed.set(parentPath(path), this.#recalls);
    for (const [folder, name] of foldersAbove(path)) {
      const visited = this.#folders.get(folder);
      if (visited === undefined) continue;
      const known = visited.written.known.without(name);
      this.#folders.set(folder, { ...visited, written: { ...visited.written, known } });
    }
  }

  #save(commit: ObjectId): void {
    this.saved.save(commit, new Map([...this.#folders].map(([path, { written }]) => [path, written.known])));
    this.#unsaved = 0;
  }

  #pathOf(disk: DiskPath): TreePath {
    return disk === this.root ? WORKSPACE_ITSELF : (disk.slice(this.root.length + 1) as TreePath);
  }
}

/** One of this memory's own. */
interface WatchedRecall extends RecalledScan {
  readonly number: number;
  readonly watches: FolderWatch | null;
  /** The scan goes everywhere. */
  readonly isFull: boolean;
}

function foldersIn(path: TreePath, known: KnownFolder): readonly TreePath[] {
  return known
    .names()
    .filter((_, position) => (known.what(position) & NameFlags.kind) === NameFlags.addFolder)
    .map((name) => childPath(path, name));
}
