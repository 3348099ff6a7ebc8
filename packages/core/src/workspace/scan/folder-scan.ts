/**
 * Scans folders and writes their trees. The scan reads every name and every stat of a folder, unless the folder is known
 * to be unchanged with everything below it. It reads contents only if the stat cache cannot prove that a file is
 * unchanged. Folders are written bottom-up, so a folder is written again only if something in it or below it changed.
 */

import { type FolderListing, type Fs, kindOf, type ListedStat, permissions, statOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import type { CaptureRules, RootState } from '../../model/checkpoint.ts';
import type { Skip, SkipReason } from '../../model/entries.ts';
import type { ObjectId } from '../../model/ids.ts';
import { childPath, type DiskPath, GIT_FOLDER, isWithin, type Name, type TreePath } from '../../model/names.ts';
import type { PathSet } from '../../model/path-set.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import type { OwnPaths } from '../../store/own-paths.ts';
import type { Adoption } from '../adoption/adoption.ts';
import { chosenRoots, refusedLinkSkip, refusedNameSkip, sizeSkip } from '../rules/capture-rules.ts';
import { ChosenPaths } from '../rules/chosen-paths.ts';
import { captureFile } from './capture-file.ts';
import { DependencyFolders } from './dependency-folders.ts';
import { Findings } from './findings.ts';
import { FolderDraft, type IgnoreMarks } from './folder-draft.ts';
import {
  type CapturedLeaf,
  type CaptureStatus,
  type FolderInProgress,
  isPlain,
  type ScanEntry,
  type SkippedFolder,
} from './folder-in-progress.ts';
import { type FolderTask, folderContextOf, hasSameContext } from './folder-task.ts';
import { listFolder, listInBackground, lstatOf, type ReadOutcome, readLinkOf } from './fs-reads.ts';
import type { LastSnapshot } from './last-snapshot.ts';
import { type EnteredFolder, enterFolder } from './position.ts';
import type { RecalledScan, VisitedFolder } from './scan-memory.ts';
import { isYoung } from './stat-cache.ts';
import type { WrittenFolder } from './written-folder.ts';

export interface ScanInput {
  readonly ports: Ports;
  readonly root: DiskPath;
  readonly batch: ObjectBatch;
  readonly recalled: RecalledScan;
  readonly rules: CaptureRules;
  /** The user's global git ignore file. */
  readonly globalIgnore: DiskPath | null;
  /** Captured whatever the rules and size limits say, because an operation is about to change them. */
  readonly requiredPaths: PathSet;
  readonly own: OwnPaths;
  readonly lastSnapshot: LastSnapshot;
  /** The roots of the last checkpoint. A root that cannot be captured now is reported as failed. */
  readonly rootsBefore: readonly RootState[];
  readonly pace: Pace;
  /** Null: every file that the cache does not know is read. */
  readonly adoption: Pick<Adoption, 'enter' | 'idOf'> | null;
  /** Whether to fill `visited`, which takes up much of a scan's memory. */
  readonly recordsVisited: boolean;
}

/** For a path that turns into something else between its stat and its capture. */
const MAX_ATTEMPTS = 4;
/** Bytes of the folder itself. On most file systems, such a folder has 20,000 names or more. */
const LARGE_FOLDER_BYTES = 1024 * 1024;
/** Number of names between two checks of the clock. */
const NAMES_PER_CHECK = 64;

/** One scan. It collects its findings folder by folder. */
export class FolderScan {
  readonly visited = new Map<TreePath, VisitedFolder>();
  filesRead = 0;
  /** A file that changed shortly before may change again without its times showing it. */
  readonly #beganMs: number;
  readonly #chosenPaths: ChosenPaths;
  readonly #chosenRoots: PathSet;
  readonly #dependencies: DependencyFolders;
  /** Roots on file systems that were mounted when the last checkpoint was taken. */
  readonly #mountsBefore: ReadonlySet<TreePath>;
  /** Key of all rules except the ignore files. */
  readonly #rulesKey: string;
  #namesDone = 0;

  constructor(private readonly input: ScanInput) {
    const { rules, rootsBefore } = input;
    this.#beganMs = input.ports.clock.now();
    this.#chosenPaths = new ChosenPaths(rules);
    this.#chosenRoots = chosenRoots(rules);
    this.#dependencies = new DependencyFolders(input, this.#chosenPaths, this.#chosenRoots);
    this.#mountsBefore = new Set(rootsBefore.filter(({ mount }) => mount === true).map(({ path }) => path));
    this.#rulesKey = `${this.#chosenPaths.key} ${rules.maxFileBytes} ${rules.maxIgnoredBytes}`;
  }

  /** @param findings of the folder and everything below it; initially empty */
  async scanFolder(task: FolderTask, findings: Findings): Promise<ReadOutcome<WrittenFolder | SkippedFolder>> {
    const { recalled, requiredPaths, lastSnapshot } = this.input;
    const unchanged = requiredPaths.overlaps(task.path) ? null : recalled.unchangedFolder(task.path);
    if (unchanged !== null && hasSameContext(unchanged, task, lastSnapshot)) {
      findings.add(unchanged.findings);
      return unchanged.written.unchanged();
    }
    const isWatched = recalled.watch(task.disk);
    const byName = this.#dependencies.skipByName(task, findings);
    if (byName !== null) return { skip: byName, isUnwatched: !isWatched };
    const listing =
      task.stat.size < LARGE_FOLDER_BYTES
        ? listFolder(this.input.ports.fs, task.disk)
        : await listInBackground(this.input.ports.fs, task.disk);
    if (!('names' in listing)) return listing;
    const folder = this.#openFolder(task, listing, findings);
    if ('skip' in folder) return { ...folder, isUnwatched: !isWatched };
    if (!isWatched) folder.inDoubt = true;
    await this.#scanNames(folder, listing);
    const { dependency } = folder;
    if (dependency !== null) {
      folder.draft.setAbsent(this.#dependencies.absentNames(task, folder.position, listing));
      if (folder.draft.hasOnlyOthers && !this.#dependencies.hasWanted(folder.position, task.path)) {
        return { skip: dependency, isUnwatched: !isWatched };
      }
      findings.add(folder.findings);
    }
    findings.counts.folders += 1;
    const written = folder.draft.write(this.input.batch);
    if (this.input.recordsVisited) this.#recordVisited(folder, findings, written);
    return written;
  }

  #recordVisited(folder: FolderInProgress, findings: Findings, written: WrittenFolder): void {
    const { task, dependency, hasExceptions, draft } = folder;
    // What is captured in a dependency folder depends on the last checkpoint. If that has something else in it, the next
    // scan may find something else, too.
    const isSettled = dependency === null || this.input.lastSnapshot.holds(task.path, written.ref);
    this.visited.set(task.path, {
      written,
      findings,
      context: folderContextOf(task),
      inDoubt: folder.inDoubt || hasExceptions || !isSettled,
      linked: draft.linked,
    });
  }

  /** Applies what the folder itself says: its repository, its ignore rules, and whether it is a dependency folder. */
  #openFolder(
    task: FolderTask,
    listing: FolderListing,
    findings: Findings,
  ): FolderInProgress | { readonly skip: Skip } {
    const { requiredPaths, own, recalled, adoption } = this.input;
    const { path, disk } = task;
    const { names } = listing;
    const { entered, isUnfinished } = this.#enter(task, names);
    const { position, root, repository } = entered;
    if (repository !== null) adoption?.enter(path, disk, repository);
    if (root !== null) findings.put('roots', task.isMount ? { ...root, mount: true } : root);
    // A nested root is independent: the ignore rules of the enclosing root do not apply to its contents.
    const covered = task.covered && root === null;
    const dependency = this.#dependencies.skipIn(task, names, covered);
    const inside = dependency === null ? findings : new Findings();
    for (const problem of entered.problems) (root === null ? inside : findings).put('problems', problem);
    if (dependency !== null) {
      findings.dependsOnTracked = true;
      if (!this.#dependencies.mayHaveCaptured(position, path)) return { skip: dependency };
    }
    const rules = `${position.chain.key} ${this.#rulesKey}`;
    const drafted = { path, rules, mode: permissions(task.stat), dependency };
    const draft = new FolderDraft(listing, drafted, recalled.known(path));
    // Entries captured for a special reason must not be reused as if they followed from the rules.
    const hasExceptions = requiredPaths.overlaps(path) || own.mayBeBelow(path);
    if (!isPlain({ dependency, hasExceptions })) draft.markSpecial();
    const entry = { ...task, covered };
    return {
      task: entry,
      position,
      dependency,
      draft,
      findings: inside,
      hasExceptions,
      inDoubt: isUnfinished,
    };
  }

  /** @returns `isUnfinished`: the folder has a `.git` that is not a valid repository, but may become one */
  #enter(
    { path, disk, above }: FolderTask,
    names: readonly Name[],
  ): { readonly entered: EnteredFolder; readonly isUnfinished: boolean } {
    const { ports, recalled } = this.input;
    const folder = { path, disk, names, isChosen: this.#chosenRoots.has(path) };
    const enter = (fs: Fs, before: EnteredFolder | null = null): EnteredFolder =>
      enterFolder(fs, above, folder, before);
    if (!names.includes(GIT_FOLDER)) return { entered: enter(ports.fs), isUnfinished: false };
    const entered = recalled.still(path, enter);
    // Until the `.git` is a valid repository, the rules above apply. No event reports that it has become one, so a
    // recalled result proves nothing.
    const isUnfinished = !entered.hasRepository;
    return { entered: isUnfinished ? enter(ports.fs) : entered, isUnfinished };
  }

  async #scanNames(folder: FolderInProgress, listing: FolderListing): Promise<void> {
    const { pace } = this.input;
    const { task, draft, findings } = folder;
    const keepsKnown = isPlain(folder);
    const prefix = task.disk === '/' ? '' : task.disk;
    for (let index = 0; index < listing.names.length; index++) {
      if (++this.#namesDone % NAMES_PER_CHECK === 0 && pace.isDue()) {
        await pace.yieldNow({ phase: 'scan', done: this.#namesDone, total: null });
      }
      if (keepsKnown && draft.keepKnown(index, findings)) continue;
      const name = listing.names[index] as Name;
      const at = { index, name, path: childPath(task.path, name), disk: `${prefix}/${name}` as DiskPath };
      const unfinished = this.#scanName(folder, at, listing);
      if (unfinished !== null) await unfinished;
    }
    // A file may be written through another link, without an event in this folder.
    if (draft.linked !== null) folder.inDoubt = true;
  }

  /** @returns null if there is nothing to wait for. That is usual, and a promise for each name would cost more */
  #scanName(folder: FolderInProgress, at: ScanEntry, listing: FolderListing): Promise<void> | null {
    const { task } = folder;
    if (this.input.own.has(at.path, at.disk)) return null;
    const refused = refusedNameSkip(at.name, this.input.ports.platform);
    if (refused !== null) {
      this.#addSkip(folder, at, refused, !task.covered);
      return null;
    }
    if (listing.failed.has(at.index)) return this.#retryCapture(folder, at, 'gone', MAX_ATTEMPTS);
    const first = this.#capture(folder, at, statOf(listing, at.index));
    return first === 'done' ? null : this.#retryCapture(folder, at, first, MAX_ATTEMPTS - 1);
  }

  /** A file may become a folder between two calls. A path that exists all the time must not be recorded as absent. */
  async #retryCapture(
    folder: FolderInProgress,
    at: ScanEntry,
    first: Promise<CaptureStatus> | CaptureStatus,
    attempts: number,
  ): Promise<void> {
    let status = await first;
    for (let attempt = 0; attempt < attempts && status === 'gone'; attempt++) {
      const stat = lstatOf(this.input.ports.fs, at.disk);
      if (stat === null) return;
      if ('skip' in stat) return this.#addSkip(folder, at, stat.skip);
      status = await this.#capture(folder, at, stat);
    }
    if (status === 'gone') this.#addSkip(folder, at, { reason: 'unreadable', code: 'EAGAIN' });
  }

  #capture(folder: FolderInProgress, at: ScanEntry, stat: ListedStat): Promise<CaptureStatus> | CaptureStatus {
    const { requiredPaths, rules } = this.input;
    const { task, position, dependency, draft, findings } = folder;
    const { index, name, path, disk } = at;
    const leaveOut = (): 'done' => {
      draft.markOthers();
      return 'done';
    };
    const skip = (reason: Skip, wanted: boolean): 'done' => {
      this.#addSkip(folder, at, reason, wanted);
      return 'done';
    };
    const kind = kindOf(stat);
    const refusedLink = kind === 'link' ? refusedLinkSkip(name) : null;
    if (refusedLink !== null) return skip(refusedLink, !task.covered);
    if (kind === 'special') return skip({ reason: 'special' }, !task.covered);
    const isFolder = kind === 'folder';
    const isMount = isFolder && stat.dev !== task.stat.dev;
    const unreachable = isFolder ? this.#mountSkip(folder, at, isMount) : null;
    if (unreachable !== null) return skip(unreachable, !task.covered);

    if (this.#chosenPaths.excludes(path, isFolder) && !requiredPaths.overlaps(path)) {
      return skip({ reason: 'excluded' }, false);
    }
    const byRules = task.covered || (draft.knownVerdict(index, isFolder) ?? position.chain.isIgnored(name, isFolder));
    const covered = byRules && !this.#chosenPaths.includes(path, isFolder);
    // The index is consulted only in these cases. In all others, the result stays valid when the index changes.
    const dependsOnTracked = covered || dependency !== null;
    if (dependsOnTracked) findings.dependsOnTracked = true;
    const tracked = dependsOnTracked && this.#isTracked(folder, path, isFolder);
    const ignored = covered && !tracked;
    const marks = { covered, ignored };

    // In a dependency folder, the folder's own skip explains everything that is neither tracked nor required.
    const onlyIfRequired = dependency !== null && !tracked;
    if (isFolder) {
      if (onlyIfRequired && !this.#dependencies.mayHaveCaptured(position, path)) return leaveOut();
      // A folder in place of a tracked file has nothing to do with dependencies.
      const isReplacement = dependency !== null && tracked && !position.tracked.hasBelow(path);
      const dependencyAbove = isReplacement ? null : dependency;
      const below = { path, disk, stat, above: position, covered, dependencyAbove, isMount };
      return this.#scanBelow(folder, at, below, marks);
    }
    const required = requiredPaths.covers(path);
    if (onlyIfRequired && !required) return leaveOut();
    const overLimit = required ? null : sizeSkip(name, stat, ignored, rules);
    if (overLimit !== null) return skip(overLimit, !ignored);
    const known = this.#knownEntry(at, stat, kind, draft.provenId(index, stat));
    return known === null
      ? this.#readEntry(folder, at, stat, kind, marks)
      : this.#addLeaf(folder, at, { entry: known, stat, stable: true }, marks);
  }

  #isTracked({ position, dependency }: FolderInProgress, path: TreePath, isFolder: boolean): boolean {
    if (dependency !== null) return this.#dependencies.isTracked(position, path, isFolder);
    return isFolder ? position.tracked.hasBelow(path) : position.tracked.has(path);
  }

  /** Another file system is scanned only if it is a root. A root that is no longer mounted cannot be read. */
  #mountSkip(folder: FolderInProgress, { path, disk }: ScanEntry, isMount: boolean): Skip | null {
    if (!isMount) return this.#wasMounted(path, disk) ? NOT_MOUNTED : null;
    if (this.#dependencies.isRepository(disk) || this.#chosenRoots.has(path)) return null;
    // It may become a repository, and is not watched.
    folder.inDoubt = true;
    return { reason: 'mount' };
  }

  async #scanBelow(
    folder: FolderInProgress,
    at: ScanEntry,
    task: FolderTask,
    marks: IgnoreMarks,
  ): Promise<CaptureStatus> {
    const below = new Findings();
    const outcome = await this.scanFolder(task, below);
    folder.findings.add(below);
    if ('gone' in outcome) return 'gone';
    if ('skip' in outcome) {
      if (outcome.skip === folder.dependency) {
        folder.draft.markOthers();
        return 'done';
      }
      if ('isUnwatched' in outcome && outcome.isUnwatched) folder.inDoubt = true;
      this.#addSkip(folder, at, outcome.skip);
    } else folder.draft.addFolder(at.index, outcome, marks);
    return 'done';
  }

  /**
   * Returns the entry if it is known without reading the file or link.
   * @param proven its id, if the stat proves that it is unchanged
   */
  #knownEntry(
    { path }: ScanEntry,
    stat: ListedStat,
    kind: 'file' | 'link',
    proven: ObjectId | null,
  ): CapturedLeaf['entry'] | null {
    if (kind === 'link') return proven === null ? null : { kind, id: proven };
    const id = proven ?? this.input.adoption?.idOf(path, stat) ?? null;
    return id === null ? null : { kind, id, mode: permissions(stat) };
  }

  async #readEntry(
    folder: FolderInProgress,
    at: ScanEntry,
    stat: ListedStat,
    kind: 'file' | 'link',
    marks: IgnoreMarks,
  ): Promise<CaptureStatus> {
    const leaf = kind === 'link' ? this.#captureLink(at, stat) : await this.#captureFile(folder, at);
    if ('gone' in leaf) return 'gone';
    if (!('skip' in leaf)) return this.#addLeaf(folder, at, leaf, marks);
    this.#addSkip(folder, at, leaf.skip);
    return 'done';
  }

  #addLeaf(
    folder: FolderInProgress,
    { index, path }: ScanEntry,
    { entry, stat, stable }: CapturedLeaf,
    marks: IgnoreMarks,
  ): 'done' {
    folder.draft.addLeaf(index, entry, stat, {
      covered: marks.covered,
      ignored: marks.ignored,
      young: isYoung(stat, this.#beganMs),
      stable,
    });
    folder.findings.count(entry.kind, stat.size);
    if (!stable) {
      folder.findings.put('unsettled', path);
      folder.inDoubt = true;
    }
    return 'done';
  }

  #captureLink({ disk }: ScanEntry, stat: ListedStat): ReadOutcome<CapturedLeaf> {
    const target = readLinkOf(this.input.ports.fs, disk);
    if (typeof target !== 'string') return target;
    const id = this.input.batch.add('blob', Buffer.from(target, 'latin1'));
    return { entry: { kind: 'link', id }, stat, stable: true };
  }

  async #captureFile(folder: FolderInProgress, { disk }: ScanEntry): Promise<ReadOutcome<CapturedLeaf>> {
    const { ports, batch, recalled } = this.input;
    const captured = await captureFile(ports, batch, disk, () => !folder.inDoubt && recalled.isQuiet(folder.task.path));
    this.filesRead += 1;
    if (captured.outcome === 'changed') return { gone: true };
    if (captured.outcome === 'unreadable') return { skip: { reason: 'unreadable', code: captured.code } };
    const { id, stat, stable } = captured;
    return { entry: { kind: 'file', id, mode: permissions(stat) }, stat, stable };
  }

  /** Whether a file system was mounted here and the folder is now empty: it is unmounted, not deleted. */
  #wasMounted(path: TreePath, disk: DiskPath): boolean {
    if (!this.#mountsBefore.has(path)) return false;
    const listing = listFolder(this.input.ports.fs, disk);
    return 'names' in listing && listing.names.length === 0;
  }

  /** @param wanted no ignore rule covers the path, so the user may expect it to be captured */
  #addSkip(folder: FolderInProgress, { index, path }: ScanEntry, skip: Skip, wanted = true): void {
    const { draft, findings } = folder;
    draft.addSkip(index, skip);
    findings.counts.skipped += 1;
    if (skip.reason === 'unreadable') {
      folder.inDoubt = true;
      findings.put('partial', { path, skip });
      const failed = skip.code ?? 'EACCES';
      // The roots at this path and below it cannot be read either.
      for (const root of this.input.rootsBefore) {
        if (isWithin(root.path, path)) findings.put('roots', { ...root, failed });
      }
    }
    if (wanted && REPORTED_REASONS.has(skip.reason)) findings.put('leftOut', { path, skip });
  }
}

/** Nothing can be read while the file system is not mounted. */
const NOT_MOUNTED: Skip = { reason: 'unreadable', code: 'ENODEV' };

/** Reasons for which `leftOut` lists a path that is wanted. */
const REPORTED_REASONS: ReadonlySet<SkipReason> = new Set(['too-large', 'special', 'mount', 'name']);
