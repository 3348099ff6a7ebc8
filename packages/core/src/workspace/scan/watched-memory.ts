/**
 * Remembers whole folders of a workspace in a long-lived process while the folders are watched, so that a scan visits
 * only what changed. A full scan is always right. These invariants keep the memory from missing anything that a full
 * scan would find:
 *
 * W1 A folder is watched before it is listed, so that no change goes unnoticed in between.
 * W2 A reported change stays in the list of changes until a scan that began after the report has been kept. If a folder
 *    was replaced, the watches on everything below it have ended. Until such a scan, nothing below it is reused,
 *    including folders that only a running scan knows.
 * W3 If events are lost, or anything changes that every part of a scan depends on, no remembered folder is reused as a
 *    whole. The next scan visits everything, with a new watch.
 * W4 Whatever may change without an event is checked in every scan:
 *    - Folders that contain a file with several links, that could not be watched or read, or that were captured for a
 *      special reason, are scanned.
 *    - Files outside the watched folders (a repository's own files, ignore files above, mounts) are checked by their
 *      proof.
 *    - Adding a link to a file causes no event in the folder of its first link. If a scan finds a file with several
 *      links, it therefore also scans the folders with its other links, even if it visited them before the link was
 *      added. Links outside the scanned folders, and links that are gone again, are not found. A write through such a
 *      link is noticed the next time the folder is scanned.
 * W5 Only what belongs to a checkpoint is remembered, and only while that checkpoint exists. If another process has
 *    taken a checkpoint since, a folder whose result depends on the last one is scanned unless both have the same in it.
 * W6 A scan that makes no checkpoint runs beside others. It is remembered only if no other one was since it began:
 *    - If it visited everything, the folders that differ from the checkpoint count as changed, and their new contents are
 *      not remembered (W5). It removes no reported change, because a capture that began earlier may still be kept.
 *    - Otherwise it is remembered if the checkpoint has exactly what it found: another process has captured the changes.
 *      A capture that began earlier is then not remembered.
 */

import type { ChangeSource, FolderWatch } from '../../io/changes.ts';
import type { Fs } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import { childPath, type DiskPath, parentPath, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import { type KnownFolder, NameFlags } from './known-folder.ts';
import type { LastSnapshot } from './last-snapshot.ts';
import {
  ABOVE_WORKSPACE,
  dependenciesOf,
  type RecalledScan,
  type ScanDependencies,
  type ScanMemory,
  type VisitedFolder,
} from './scan-memory.ts';
import { foldersAbove, type StatCache } from './stat-cache.ts';
import { type Memo, provenMemo } from './stat-proof.ts';
import { isUsual } from './unchanged-folder.ts';

interface ScanMemo extends Memo<unknown> {
  readonly make: (fs: Fs, before: unknown) => unknown;
  readonly isSame: ((before: unknown, now: unknown) => boolean) | null;
  /** Something that it read has changed: it must be computed again, with this value as the earlier result. */
  readonly isStale: boolean;
}

/**
 * The cache file is rewritten after this many folders have changed, and at least this share of all. Until then, other
 * processes read again what changed in them. A rewrite writes all folders, so it takes as long as a capture of many files.
 */
const MAX_UNSAVED_FOLDERS = 1_000;
const MAX_UNSAVED_SHARE = 0.5;

export class WatchedMemory implements ScanMemory {
  #watch: FolderWatch | null = null;
  /** Their objects are in `#commit`. */
  #folders = new Map<TreePath, VisitedFolder>();
  #commit: ObjectId | null = null;
  /** Every folder of `#folders` was watched before it was listed. */
  #isWatched = false;
  /** Events were lost. Stays set until a new watch begins. */
  #isLost = false;
  /** What every part of a scan depends on, except what a proof covers. */
  #dependencies = '';
  /** Folders in which something changed, with the number of the first recall that includes the change. */
  readonly #changed = new Map<TreePath, number>();
  /** Folders that were removed, moved or replaced (W2), with the same number. */
  readonly #replaced = new Map<TreePath, number>();
  readonly #inDoubt = new Set<TreePath>();
  /** Files with several links: inode, and the ctime at which the other links were searched for. */
  readonly #searchedInodes = new Map<number, number>();
  readonly #memos = new Map<string, ScanMemo>();
  #recalls = 0;
  /** How often a scan was remembered, or everything was forgotten. */
  #turns = 0;
  /** Number of the recall of the last scan that removed reported changes. */
  #lastKept = 0;
  #unsaved = 0;

  constructor(
    private readonly ports: Ports,
    private readonly root: DiskPath,
    private readonly source: ChangeSource,
    /** Persists what is known, across processes. */
    private readonly saved: StatCache,
  ) {}

  recall(frame: ScanDependencies): RecalledScan {
    this.#recalls += 1;
    const now = dependenciesOf(this.ports.fs, frame);
    const isValid =
      this.#takeChanges(this.#recalls) && now === this.#dependencies && this.#areMemosCurrent(this.#recalls);
    if (!isValid) this.#startOver();
    this.#dependencies = now;
    for (const folder of frame.own.backupFolders()) this.#changed.set(folder, this.#recalls);
    if (this.#commit !== null && !frame.isCheckpoint(this.#commit)) this.#drop();
    const known = this.#commit === null ? this.saved.recall(frame) : null;
    const changedPaths = this.#isWatched
      ? new PathSet([...this.#changed.keys(), ...this.#replaced.keys(), ...this.#inDoubt])
      : null;
    const folders = this.#folders;
    const number = this.#recalls;
    const watches = this.#watch;
    return {
      number,
      watches,
      turns: this.#turns,
      isFull: changedPaths === null,
      known: (path) => (known === null ? folders.get(path)?.written.known : known.known(path)),
      unchangedFolder: (path) =>
        changedPaths === null || changedPaths.hasAtOrBelow(path) || this.#isReplaced(path, 0)
          ? null
          : (folders.get(path) ?? null),
      watch: (folder) => this.#watch?.add(folder) ?? false,
      isQuiet: (path) => watches === this.#watch && this.#isQuiet(path, number),
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
    const { number, watches, isFull } = recalled as WatchedRecall;
    // The memory was dropped during the scan, and the scan may depend on it.
    if (watches !== this.#watch || (!isFull && !this.#isWatched)) return;
    // W6
    if (number < this.#lastKept) {
      this.#drop();
      return;
    }
    if (isFull) this.#empty();
    this.#install(commit, visited, number);
    this.#isWatched = watches !== null;
    this.#markChanged(changedSince);
    this.#unsaved += visited.size;
    const most = Math.max(MAX_UNSAVED_FOLDERS, MAX_UNSAVED_SHARE * this.#folders.size);
    if (isFull || this.#unsaved > most) this.#save(commit);
  }

  keepUncaptured(
    commit: ObjectId,
    last: Pick<LastSnapshot, 'holds' | 'holdsLeaf'>,
    recalled: RecalledScan,
    visited: ReadonlyMap<TreePath, VisitedFolder>,
  ): void {
    const { number, watches, isFull, turns } = recalled as WatchedRecall;
    if (watches === null || watches !== this.#watch || turns !== this.#turns) return;
    if (!isFull) {
      const top = visited.get(WORKSPACE_ITSELF) ?? this.#folders.get(WORKSPACE_ITSELF);
      if (top !== undefined && last.holds(WORKSPACE_ITSELF, top.written.ref)) this.#install(commit, visited, number);
      return;
    }
    this.#turns += 1;
    this.#empty();
    const isHeld = heldIn(last, visited);
    for (const [path, folder] of visited) {
      if (isHeld(path)) this.#replace(path, folder);
      else {
        const known = folder.written.known.withOnly((name, id) => last.holdsLeaf(path, name, id));
        this.#replace(path, { ...folder, written: folder.written.withRecord(known) });
        this.#changed.set(path, this.#recalls + 1);
      }
    }
    this.#commit = commit;
    this.#isWatched = true;
  }

  /**
   * Returns the largest usual folders in which nothing has changed until now, for a scan in another process. The next
   * recall includes the changes found here, too (W2).
   * @param dependencies of that scan
   * @returns null if changes may be unknown
   */
  unchangedFolders(dependencies: string): readonly (readonly [TreePath, VisitedFolder])[] | null {
    if (!this.#isWatched || dependencies !== this.#dependencies) return null;
    const next = this.#recalls + 1;
    if (!this.#takeChanges(next) || !this.#areMemosCurrent(next)) return null;
    const changed = new PathSet([...this.#changed.keys(), ...this.#replaced.keys(), ...this.#inDoubt]);
    const found: (readonly [TreePath, VisitedFolder])[] = [];
    const open: TreePath[] = [WORKSPACE_ITSELF];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      const folder = this.#folders.get(path);
      if (folder === undefined || this.#replaced.has(path)) continue;
      if (path !== WORKSPACE_ITSELF && isUsual(folder) && !changed.hasAtOrBelow(path)) found.push([path, folder]);
      else open.push(...foldersIn(path, folder.written.known));
    }
    return found;
  }

  forget(): void {
    this.#drop();
    this.saved.forget();
  }

  /** Ends the watch. What is known is saved for the next process. */
  close(): void {
    if (this.#unsaved > 0 && this.#commit !== null) this.#save(this.#commit);
    this.#drop();
    this.#watch?.close();
    this.#watch = null;
  }

  /**
   * The next recall includes the changes found here, too (W2).
   * @param number of the recall since which nothing has changed
   */
  #isQuiet(path: TreePath, number: number): boolean {
    return (
      // Later, reported changes were removed.
      number >= this.#lastKept &&
      this.#takeChanges(this.#recalls + 1) &&
      (this.#changed.get(path) ?? 0) <= number &&
      !this.#isReplaced(path, number)
    );
  }

  /** Whether the folder, or one above it, was replaced after the recall with this number. */
  #isReplaced(path: TreePath, number: number): boolean {
    for (let at = path; ; at = parentPath(at)) {
      if ((this.#replaced.get(at) ?? 0) > number) return true;
      if (at === WORKSPACE_ITSELF) return false;
    }
  }

  /**
   * @param recall number of the first recall that includes the changes
   * @returns false if events may have been missed
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
      this.#replaced.set(path, recall);
    }
    return true;
  }

  /** Marks the folders with other links of the files that were found (W4). */
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
    for (const [path, { written, linked }] of new Map([...this.#folders, ...visited])) {
      // Folders where a scan saw that the file has several links are scanned each time. In others it had one link then.
      const seen = new Set(linked?.map(({ ino }) => ino));
      if (!written.known.holdsAny(inodes, seen)) continue;
      this.#changed.set(path, this.#recalls + 1);
      found = true;
    }
    return found;
  }

  /**
   * @param recall number of the first recall that includes what has changed
   * @returns false if the rules above the workspace have changed
   */
  #areMemosCurrent(recall: number): boolean {
    for (const [key, still] of this.#memos) {
      if (still.isStale || still.proof.isCurrent()) continue;
      const path = key === ABOVE_WORKSPACE ? WORKSPACE_ITSELF : (key as TreePath);
      this.#changed.set(path, recall);
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
    // Each key is always used with the same result type.
    const still = this.#makeMemo(make as ScanMemo['make'], isSame as ScanMemo['isSame'], known?.value ?? null);
    this.#memos.set(key, still);
    return still.value as Result;
  }

  #makeMemo(make: ScanMemo['make'], isSame: ScanMemo['isSame'], before: unknown): ScanMemo {
    return { ...provenMemo(this.ports, (fs) => make(fs, before)), make, isSame, isStale: false };
  }

  /** W3. What is known of single files remains: their stat data proves it. */
  #startOver(): void {
    this.#isWatched = false;
    this.#isLost = false;
    this.#changed.clear();
    this.#replaced.clear();
    this.#inDoubt.clear();
    this.#searchedInodes.clear();
    this.#memos.clear();
    this.#watch?.close();
    this.#watch = this.source.watch();
  }

  /** @param number of the recall */
  #install(commit: ObjectId, visited: ReadonlyMap<TreePath, VisitedFolder>, number: number): void {
    this.#turns += 1;
    this.#lastKept = number;
    for (const [path, folder] of visited) this.#replace(path, folder);
    this.#commit = commit;
    for (const changed of [this.#changed, this.#replaced]) {
      for (const [path, since] of changed) if (since <= number) changed.delete(path);
    }
  }

  #drop(): void {
    this.#turns += 1;
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
    // One text for both the key and the record.
    this.#folders.set(folder.written.known.path, folder);
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

  /** @param visit may remove the folder that it receives */
  #forEachBelow(path: TreePath, visit: (folder: TreePath) => void): void {
    const known = this.#folders.get(path)?.written.known;
    visit(path);
    if (known !== undefined) for (const below of foldersIn(path, known)) this.#forEachBelow(below, visit);
  }

  #markChanged(paths: readonly TreePath[]): void {
    for (const path of paths) this.#changed.set(parentPath(path), this.#recalls);
    for (const [folder, names] of foldersAbove(paths)) {
      const visited = this.#folders.get(folder);
      if (visited === undefined) continue;
      const known = visited.written.known.without(names);
      this.#folders.set(folder, { ...visited, written: visited.written.withRecord(known) });
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

/** A recall of this class. */
interface WatchedRecall extends RecalledScan {
  readonly number: number;
  readonly watches: FolderWatch | null;
  readonly turns: number;
  /** The scan visits every folder. */
  readonly isFull: boolean;
}

function foldersIn(path: TreePath, known: KnownFolder): readonly TreePath[] {
  return known
    .names()
    .filter((_, position) => (known.what(position) & NameFlags.kind) === NameFlags.folder)
    .map((name) => childPath(path, name));
}

/** Tells which of the folders are in a checkpoint as they were found. */
function heldIn(
  last: Pick<LastSnapshot, 'holds'>,
  visited: ReadonlyMap<TreePath, VisitedFolder>,
): (path: TreePath) => boolean {
  const found = new Map<TreePath, boolean>();
  return function isHeld(path): boolean {
    let held = found.get(path);
    if (held !== undefined) return held;
    const folder = visited.get(path);
    // The trees of a folder include those of all folders below it.
    const isAboveHeld = path !== WORKSPACE_ITSELF && isHeld(parentPath(path));
    held = folder !== undefined && (isAboveHeld || last.holds(path, folder.written.ref));
    found.set(path, held);
    return held;
  };
}
