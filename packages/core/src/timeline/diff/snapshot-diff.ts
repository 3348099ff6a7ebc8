/** Compares two snapshots path by path, without opening equal folders. */
import type { Entry, FileEntry, LinkEntry, Skip, Snapshot } from '../../model/entries.ts';
import { sameEntry } from '../../model/entries.ts';
import { childPath, type Name, pathComponents, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { isDamage, type OnDamage } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { ALL_OTHERS } from '../../store/snapshot/side.ts';
import {
  type FolderContents,
  type FolderReader,
  type FolderRef,
  readFolder,
  rootOf,
} from '../../store/snapshot/snapshot.ts';

/** One side of a difference. `skip` and `entry` are never both set. If both are null, nothing existed there. */
export interface PathState {
  readonly entry: Entry | null;
  /** Set if the path existed, or may have existed, and was not captured. */
  readonly skip: Skip | null;
  /** Captured although an ignore rule covered it. */
  readonly ignored: boolean;
}

export interface PathDifference {
  readonly path: TreePath;
  readonly before: PathState;
  readonly after: PathState;
}

export const ABSENT: PathState = { entry: null, skip: null, ignored: false };

/** What a damaged tree hides: nothing is known of the folder. */
const DAMAGED: Skip = { reason: 'unreadable' };

/**
 * Yields the paths that differ. Folders come before their contents, names in byte order. A path that was skipped on one
 * side is reported with that skip, never as absent: the caller decides how to treat the unknown.
 * @param before null for a state in which nothing existed
 * @param onDamage receives each error of a damaged folder, which then counts as skipped. Default: the error is thrown
 * @param skipped also yield paths that were captured on neither side, if their skips differ. Default: no
 */
export function* differences(
  reader: ObjectReader,
  before: Snapshot | null,
  after: Snapshot | null,
  onDamage: OnDamage | null = null,
  skipped = false,
): Generator<PathDifference> {
  const a = before === null ? null : rootOf(before);
  const b = after === null ? null : rootOf(after);
  if (sameFolderRef(a, b)) return;
  const source = { reader, onDamage, skipped };
  yield* differencesInFolder(source, WORKSPACE_ITSELF, openSide(source, a), openSide(source, b));
}

/** The paths that differ, in the order of `differences`. Its damaged folders are errors. */
export function differingPaths(
  reader: ObjectReader,
  before: Snapshot | null,
  after: Snapshot | null,
): readonly TreePath[] {
  return [...differences(reader, before, after)].map(({ path }) => path);
}

interface NameState {
  readonly state: PathState;
  readonly ref: FolderRef | null;
}

/**
 * Returns what a snapshot says about one path.
 * @param read to look up many paths, pass a `cachedFolderReader`, which reads each folder once
 */
export function stateAt(read: FolderReader, snapshot: Snapshot, path: TreePath): PathState {
  let folder = rootOf(snapshot);
  const names = pathComponents(path);
  for (const [index, name] of names.entries()) {
    const found = lookUp(read(folder), null, name);
    if (found.ref !== null) folder = found.ref;
    else return index === names.length - 1 || found.state.skip !== null ? found.state : ABSENT;
    if (index === names.length - 1) return folderState(read(folder), found.state.ignored);
  }
  return folderState(read(folder), false);
}

interface DiffSource {
  readonly reader: ObjectReader;
  readonly onDamage: OnDamage | null;
  readonly skipped: boolean;
}

/** A folder's contents, and why nothing of them is known. Both are null if there is no folder. */
interface OpenedSide {
  readonly contents: FolderContents | null;
  readonly covering: Skip | null;
}

function* differencesInFolder(
  source: DiffSource,
  path: TreePath,
  left: OpenedSide,
  right: OpenedSide,
): Generator<PathDifference> {
  if (path === '' && left.contents !== null && right.contents !== null && isOtherMode(left.contents, right.contents)) {
    yield { path, before: folderState(left.contents, false), after: folderState(right.contents, false) };
  }
  for (const name of namesOf(source, left.contents, right.contents)) {
    const child = childPath(path, name);
    const x = lookUp(left.contents, left.covering, name);
    const y = lookUp(right.contents, right.covering, name);
    const folders = x.ref !== null || y.ref !== null;
    if (folders && sameFolderRef(x.ref, y.ref)) continue;
    const leftBelow = sideBelow(source, x);
    const rightBelow = sideBelow(source, y);
    const before = x.ref === null ? x.state : stateOfFolder(leftBelow, x.state.ignored);
    const after = y.ref === null ? y.state : stateOfFolder(rightBelow, y.state.ignored);
    if (!sameEntry(before.entry, after.entry) || (before.skip === null) !== (after.skip === null)) {
      if (before.entry !== null || after.entry !== null || source.skipped) yield { path: child, before, after };
    } else if (source.skipped && isOtherSkip(before.skip, after.skip)) yield { path: child, before, after };
    if (folders) yield* differencesInFolder(source, child, leftBelow, rightBelow);
  }
}

function isOtherMode(left: FolderContents, right: FolderContents): boolean {
  return left.note.mode !== right.note.mode;
}

/** What is below a name. A skip of the name covers all of it. */
function sideBelow(source: DiffSource, { ref, state }: NameState): OpenedSide {
  return ref === null ? { contents: null, covering: state.skip } : openSide(source, ref);
}

function isOtherSkip(before: Skip | null, after: Skip | null): boolean {
  return before?.size !== after?.size || before?.modified !== after?.modified;
}

function openSide({ reader, onDamage }: DiffSource, folder: FolderRef | null): OpenedSide {
  if (folder === null) return { contents: null, covering: null };
  try {
    return { contents: readFolder(reader, folder), covering: null };
  } catch (error) {
    if (onDamage === null || !isDamage(error)) throw error;
    onDamage(error);
    return { contents: null, covering: DAMAGED };
  }
}

function stateOfFolder({ contents, covering }: OpenedSide, ignored: boolean): PathState {
  return contents === null ? { entry: null, skip: covering, ignored } : folderState(contents, ignored);
}

function sameFolderRef(a: FolderRef | null, b: FolderRef | null): boolean {
  return a !== null && b !== null && a.files === b.files && a.side === b.side;
}

function namesOf(source: DiffSource, ...sides: readonly (FolderContents | null)[]): readonly Name[] {
  const lists = sides.flatMap((side) => {
    if (side === null) return [];
    const skipped = source.skipped ? [...side.note.skips.keys()].filter((name) => name !== ALL_OTHERS) : [];
    return skipped.length === 0 ? [[...side.entries.keys()]] : [[...side.entries.keys()], skipped];
  });
  const [only = [], ...others] = lists;
  return others.length === 0 ? only : [...new Set(lists.flat())].sort();
}

function lookUp(folder: FolderContents | null, covering: Skip | null, name: Name): NameState {
  if (folder === null) return { state: { entry: null, skip: covering, ignored: false }, ref: null };
  const found: FileEntry | LinkEntry | FolderRef | undefined = folder.entries.get(name);
  if (found === undefined) {
    const others = folder.note.absent.has(name) ? undefined : folder.note.skips.get(ALL_OTHERS);
    const skip = folder.note.skips.get(name) ?? others ?? null;
    return { state: { entry: null, skip, ignored: false }, ref: null };
  }
  const ignored = folder.note.ignored.has(name);
  if (found.kind === 'folder') return { state: { entry: null, skip: null, ignored }, ref: found };
  return { state: { entry: found, skip: null, ignored }, ref: null };
}

function folderState(contents: FolderContents, ignored: boolean): PathState {
  return { entry: { kind: 'folder', mode: contents.note.mode }, skip: null, ignored };
}
