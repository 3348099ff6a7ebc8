/**
 * From a folder to a snapshot. The scan reads every name and every stat; contents only where the stat cache cannot
 * prove that a file is the one it knows. Folders are written bottom-up, so that an unchanged folder costs its hash.
 */

import { showName } from '../content/show-name.ts';
import { FsError, isFsError, kindOf, permissions, type Stat } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import { checkName } from '../io/safe-path.ts';
import type { CaptureCounts, CaptureRules, Gap, RootState } from '../model/checkpoint.ts';
import type { FileEntry, LinkEntry, Skip, SkipReason, Snapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import {
  childPath,
  type DiskPath,
  isWithin,
  type Name,
  nameToJson,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { ALL_OTHERS } from '../store/side.ts';
import { type FolderRef, snapshotOf, writeFolder } from '../store/snapshot.ts';
import { captureFile } from './capture-file.ts';
import { chosenRoots, dependencySkip, sizeSkip } from './capture-rules.ts';
import { ChosenPaths } from './chosen-paths.ts';
import type { PathSet } from './path-set.ts';
import { type Entered, type Position, startingPosition, stepInto } from './position.ts';
import { type CachedFile, type CachedFolder, isYoung, provenId, type StatCache } from './stat-cache.ts';

export interface ScanInput {
  readonly ports: Ports;
  readonly root: DiskPath;
  readonly batch: ObjectBatch;
  readonly cache: StatCache;
  readonly rules: CaptureRules;
  /** The person's own git ignore file. */
  readonly globalIgnore: DiskPath | null;
  /** Captured whatever rules and caps say: an act is about to touch them. */
  readonly must: PathSet;
  readonly own: OwnPaths;
  /** As the last checkpoint has them: one that cannot be captured now is told as such. */
  readonly rootsBefore: readonly RootState[];
  readonly pace: Pace;
}

export interface ScanResult {
  readonly snapshot: Snapshot;
  readonly counts: CaptureCounts;
  readonly roots: readonly RootState[];
  readonly partial: readonly Gap[];
  /** Paths that were left out though no rule of anybody asks for it: too large, special, a mount, a refused name. */
  readonly leftOut: readonly Gap[];
  readonly unsettled: readonly TreePath[];
  /** Rules or repository files that could not be read: more is captured then, never less. */
  readonly problems: readonly string[];
  /** What was passed over because Savepoint put it there. */
  readonly own: OwnPaths;
  /** For the next scan, once the snapshot belongs to a commit. */
  readonly folders: Map<TreePath, CachedFolder>;
  /** Files whose contents were read. */
  readonly filesRead: number;
}

/** @throws SavepointError CAPTURE_FAILED when the workspace folder itself cannot be read */
export async function scan(input: ScanInput): Promise<ScanResult> {
  const stat = input.ports.fs.lstat(input.root);
  if (stat === null || kindOf(stat) !== 'folder') throw captureFailed(input.root, 'ENOENT');
  const walk = new Scan(input);
  const start = startingPosition(input.ports.fs, input.root, input.globalIgnore);
  const top = await walk.folder({
    path: WORKSPACE_ITSELF,
    disk: input.root,
    stat,
    above: start,
    ignored: false,
    onlyNamed: null,
    isMount: false,
  });
  if (!('files' in top)) throw captureFailed(input.root, 'skip' in top ? (top.skip.code ?? 'EACCES') : 'ENOENT');
  assertAnyCaptured(input.root, walk);
  return {
    snapshot: snapshotOf(top),
    counts: { ...walk.counts },
    roots: walk.roots,
    partial: walk.partial,
    leftOut: walk.leftOut,
    unsettled: walk.unsettled,
    problems: walk.problems,
    own: input.own,
    folders: walk.folders,
    filesRead: walk.filesRead,
  };
}

interface FolderTask {
  readonly path: TreePath;
  readonly disk: DiskPath;
  readonly stat: Stat;
  /** Repository and ignore rules of the parent. */
  readonly above: Position;
  readonly ignored: boolean;
  /** Inside a dependency folder only tracked and required paths are captured; this is on record for the rest. */
  readonly onlyNamed: Skip | null;
  /** It is on another file system than its parent. */
  readonly isMount: boolean;
}

type Outcome<Entry> = Entry | { readonly skip: Skip } | { readonly gone: true };
type Leaf = { readonly entry: FileEntry | LinkEntry; readonly settled: boolean };

/** What one folder gathers before it is written. */
class FolderDraft {
  readonly entries = new Map<Name, FileEntry | LinkEntry | FolderRef>();
  readonly skips = new Map<Name, Skip>();
  readonly ignored = new Set<Name>();
  readonly unsettled = new Set<Name>();
}

/** A folder while its names are gone through. */
interface OpenFolder {
  readonly task: FolderTask;
  readonly position: Entered['position'];
  /** On record for all that is not captured in here; null outside of dependency folders. */
  readonly dependency: Skip | null;
  readonly known: CachedFolder | undefined;
  readonly cached: CachedFolder;
  readonly draft: FolderDraft;
}

interface Place {
  readonly name: Name;
  readonly path: TreePath;
  readonly disk: DiskPath;
}

/** How often a path is looked at that is another thing each time. */
const ATTEMPTS = 4;

class Scan {
  readonly counts = { files: 0, links: 0, folders: 0, bytes: 0, skipped: 0 };
  readonly roots: RootState[] = [];
  readonly partial: Gap[] = [];
  readonly leftOut: Gap[] = [];
  readonly unsettled: TreePath[] = [];
  readonly problems: string[] = [];
  readonly folders = new Map<TreePath, CachedFolder>();
  filesRead = 0;
  readonly #began: number;
  readonly #chosen: ChosenPaths;
  readonly #roots: PathSet;

  constructor(private readonly input: ScanInput) {
    this.#began = input.ports.clock.now();
    this.#chosen = new ChosenPaths(input.rules);
    this.#roots = chosenRoots(input.rules);
  }

  async folder(task: FolderTask): Promise<Outcome<FolderRef>> {
    const { ports, pace } = this.input;
    const unlisted = this.#skippedByName(task);
    if (unlisted !== null) return { skip: unlisted };
    const names = this.#list(task.disk);
    if (!Array.isArray(names)) return names;
    const isChosen = this.#roots.has(task.path);
    const here = stepInto(ports.fs, task.above, task.path, task.disk, names, isChosen);
    this.problems.push(...here.problems);
    if (here.root !== null) this.roots.push(task.isMount ? { ...here.root, mount: true } : here.root);
    // A root within another one is on its own: the rules of the one around it say nothing about what is in it.
    const ignored = task.ignored && here.root === null;
    const dependency =
      isChosen || this.input.must.covers(task.path) || this.#chosen.includes(task.path, true)
        ? null
        : (task.onlyNamed ?? dependencySkip(ports.fs, task.path, task.disk, names, ignored));
    if (dependency !== null && !here.position.tracked.hasBelow(task.path) && !this.#mustGoTo(task.path)) {
      return { skip: dependency };
    }

    const draft = new FolderDraft();
    if (dependency !== null) draft.skips.set(ALL_OTHERS, dependency);
    const known = this.input.cache.folders.get(task.path);
    const cached: CachedFolder = { rules: here.position.chain.key + this.#chosen.key, files: new Map() };
    const open: OpenFolder = { task: { ...task, ignored }, position: here.position, dependency, known, cached, draft };
    for (const name of names) {
      if (pace.due()) await pace.breathe({ phase: 'scan', done: this.counts.files + this.counts.links, total: null });
      await this.#name(open, name);
    }
    if (cached.files.size > 0) this.folders.set(task.path, cached);
    this.counts.folders += 1;
    return writeFolder(this.input.batch, {
      note: { mode: permissions(task.stat), modes: new Map(), ...draft },
      entries: draft.entries,
    });
  }

  /** A dependency folder can hold more names than all the rest, so it is not even listed where its name is enough. */
  #skippedByName({ path, disk, above, ignored, onlyNamed }: FolderTask): Skip | null {
    if (onlyNamed !== null || above.tracked.hasBelow(path) || this.#mustGoTo(path)) return null;
    if (this.#chosen.includes(path, true)) return null;
    const skip = dependencySkip(this.input.ports.fs, path, disk, null, ignored);
    // A repository is a root of its own, whatever its name.
    return skip === null || this.#isRepository(disk) ? null : skip;
  }

  /** Whatever the folder is called. */
  #mustGoTo(folder: TreePath): boolean {
    return this.input.must.reaches(folder) || this.#roots.leadsTo(folder);
  }

  async #name(folder: OpenFolder, name: Name): Promise<void> {
    const { task, draft } = folder;
    const disk = `${task.disk === '/' ? '' : task.disk}/${name}` as DiskPath;
    const at: Place = { name, path: childPath(task.path, name), disk };
    if (this.input.own.has(at.path, disk)) return;
    const refused = refusedName(name, this.input.ports.platform);
    if (refused !== null) return this.#skip(draft, at, refused, !task.ignored);
    // Between two calls a file may become a folder: what is there all the time must not be taken for absent.
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stat = this.#lstat(disk);
      if (stat === null) return;
      if ('skip' in stat) return this.#skip(draft, at, stat.skip);
      if ((await this.#capture(folder, at, stat)) !== 'gone') return;
    }
    this.#skip(draft, at, { reason: 'unreadable', code: 'EAGAIN' });
  }

  /** @returns `gone` if it was no longer there, or was something else, when it was opened */
  async #capture(folder: OpenFolder, at: Place, stat: Stat): Promise<'gone' | 'done'> {
    const { task, position, dependency, known, cached, draft } = folder;
    const { name, path, disk } = at;
    const skip = (reason: Skip, wanted?: boolean): 'done' => {
      this.#skip(draft, at, reason, wanted);
      return 'done';
    };
    const kind = kindOf(stat);
    if (kind === 'special') return skip({ reason: 'special' }, !task.ignored);
    const isFolder = kind === 'folder';
    const isMount = isFolder && stat.dev !== task.stat.dev;
    if (isMount && !this.#isRepository(disk) && !this.#roots.has(path)) return skip({ reason: 'mount' }, !task.ignored);
    if (isFolder && !isMount && this.#wasMounted(path, disk)) return skip(NOT_MOUNTED);

    if (this.#chosen.excludes(path, isFolder) && !this.input.must.reaches(path)) {
      return skip({ reason: 'excluded' }, false);
    }
    const before = known?.files.get(name);
    const judged = before !== undefined && known?.rules === cached.rules && !isFolder;
    const byRules = task.ignored || (judged ? before.ignored : position.chain.isIgnored(name, isFolder));
    const covered = byRules && !this.#chosen.includes(path, isFolder);
    const { must } = this.input;

    let outcome: Outcome<FolderRef | Leaf>;
    const tracked = covered || dependency !== null ? isTracked(position, path, isFolder) : false;
    if (isFolder) {
      if (dependency !== null && !tracked && !this.#mustGoTo(path)) return 'done';
      outcome = await this.folder({
        path,
        disk,
        stat,
        above: position,
        ignored: covered,
        onlyNamed: dependency,
        isMount,
      });
    } else {
      const required = must.covers(path);
      if (dependency !== null && !tracked && !required) return 'done';
      const tooMuch = required ? null : sizeSkip(name, stat, covered && !tracked, this.input.rules);
      if (tooMuch !== null) return skip(tooMuch, !covered || tracked);
      outcome = await this.#leaf(disk, stat, kind, before, (file) => {
        cached.files.set(name, { ...file, ignored: covered });
      });
    }
    if ('gone' in outcome) return 'gone';
    if ('skip' in outcome) return skip(outcome.skip);
    draft.entries.set(name, 'entry' in outcome ? outcome.entry : outcome);
    if (covered && !tracked) draft.ignored.add(name);
    if ('entry' in outcome && !outcome.settled) {
      draft.unsettled.add(name);
      this.unsettled.push(path);
    }
    return 'done';
  }

  async #leaf(
    disk: DiskPath,
    stat: Stat,
    kind: 'file' | 'link',
    before: CachedFile | undefined,
    remember: (file: Omit<CachedFile, 'ignored'>) => void,
  ): Promise<Outcome<Leaf>> {
    const proven = provenId(before, stat);
    if (kind === 'link') {
      let id = proven;
      if (id === null) {
        const target = this.#readLink(disk);
        if (typeof target !== 'string') return target;
        id = this.input.batch.add('blob', Buffer.from(target, 'latin1'));
      }
      this.counts.links += 1;
      if (!isYoung(stat, this.#began)) remember(cachedFile(stat, id));
      return { entry: { kind: 'link', id }, settled: true };
    }
    if (proven !== null) {
      this.#count(stat);
      remember(cachedFile(stat, proven));
      return { entry: { kind: 'file', id: proven, mode: permissions(stat) }, settled: true };
    }
    const captured = await captureFile(this.input.ports, this.input.batch, disk);
    this.filesRead += 1;
    if (captured.outcome === 'changed') return { gone: true };
    if (captured.outcome === 'unreadable') return { skip: { reason: 'unreadable', code: captured.code } };
    this.#count(captured.stat);
    if (captured.settled && !isYoung(captured.stat, this.#began)) remember(cachedFile(captured.stat, captured.id));
    return { entry: { kind: 'file', id: captured.id, mode: permissions(captured.stat) }, settled: captured.settled };
  }

  #count(stat: Stat): void {
    this.counts.files += 1;
    this.counts.bytes += stat.size;
  }

  #isRepository(disk: DiskPath): boolean {
    return this.#lstat(`${disk}/.git` as DiskPath) !== null;
  }

  /** An empty folder where a file system was: it is not mounted now, and nobody removed what is on it. */
  #wasMounted(path: TreePath, disk: DiskPath): boolean {
    const before = this.input.rootsBefore.find((root) => root.path === path);
    if (before?.mount !== true) return false;
    const names = this.#list(disk);
    return Array.isArray(names) && names.length === 0;
  }

  #list(disk: DiskPath): Name[] | { readonly skip: Skip } | { readonly gone: true } {
    try {
      return this.input.ports.fs.list(disk).sort();
    } catch (error) {
      return absentOrUnreadable(error);
    }
  }

  #lstat(disk: DiskPath): Stat | null | { readonly skip: Skip } {
    try {
      return this.input.ports.fs.lstat(disk);
    } catch (error) {
      const why = absentOrUnreadable(error);
      return 'skip' in why ? why : null;
    }
  }

  #readLink(disk: DiskPath): string | { readonly skip: Skip } | { readonly gone: true } {
    try {
      return this.input.ports.fs.readLink(disk);
    } catch (error) {
      return isFsError(error, 'EINVAL') ? { gone: true } : absentOrUnreadable(error);
    }
  }

  /** @param wanted no ignore rule covers the path, so somebody may miss it */
  #skip(draft: FolderDraft, { name, path }: Place, skip: Skip, wanted = true): void {
    draft.skips.set(name, skip);
    this.counts.skipped += 1;
    if (skip.reason === 'unreadable') {
      this.partial.push({ path, skip });
      const failed = skip.code ?? 'EACCES';
      for (const root of this.input.rootsBefore) {
        if (isWithin(root.path, path)) this.roots.push({ ...root, failed });
      }
    }
    if (wanted && WORTH_TELLING.has(skip.reason)) this.leftOut.push({ path, skip });
  }
}

/** Nothing can be read where nothing is mounted. */
const NOT_MOUNTED: Skip = { reason: 'unreadable', code: 'ENODEV' };

const WORTH_TELLING: ReadonlySet<SkipReason> = new Set(['too-large', 'special', 'mount', 'name']);

/** A checkpoint in which no root is would only hide that. */
function assertAnyCaptured(root: DiskPath, { roots, counts }: Scan): void {
  const failed = roots.filter((one) => one.failed !== undefined);
  const rest = roots.filter((one) => one.failed === undefined && !(one.path === '' && one.kind === 'folder'));
  if (failed.length === 0 || rest.length > 0 || counts.files + counts.links > 0) return;
  const [first] = failed as [RootState];
  throw new SavepointError(
    'CAPTURE_FAILED',
    `None of the ${failed.length} root(s) can be read: ${failed.map(({ path, failed: code }) => `${showName(path)} (${code})`).join(', ')}.`,
    {
      path: nameToJson(root),
      code: first.failed,
      roots: failed.map(({ path, failed: code }) => ({ path: nameToJson(path), code })),
    },
  );
}

function refusedName(name: Name, platform: Ports['platform']): Skip | null {
  if (name === '.git') return { reason: 'repository' };
  return checkName(name, platform) === null ? null : { reason: 'name' };
}

function isTracked(position: Position, path: TreePath, isFolder: boolean): boolean {
  return isFolder ? position.tracked.hasBelow(path) : position.tracked.has(path);
}

function cachedFile(stat: Stat, id: ObjectId): Omit<CachedFile, 'ignored'> {
  const { size, ino: inode, mode, mtimeMs, ctimeMs } = stat;
  return { size, inode, mode, mtimeMs, ctimeMs, id };
}

/** Without handles or memory nothing can be said about any path: that is a failure, not a skip. */
function absentOrUnreadable(error: unknown): { readonly skip: Skip } | { readonly gone: true } {
  if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return { gone: true };
  if (error instanceof FsError && !isFsError(error, 'EMFILE', 'ENFILE', 'ENOMEM')) {
    return { skip: { reason: 'unreadable', code: error.code } };
  }
  throw error;
}

function captureFailed(root: DiskPath, code: string): SavepointError {
  const what = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
  return new SavepointError('CAPTURE_FAILED', `The workspace folder ${showName(root)} ${what}.`, {
    path: nameToJson(root),
    code,
  });
}
