/** The lineages of a rollback: each reverts the chosen changes that affect one current file, newest first. */

import { diffLines, type Hunk, LINE_BOUND } from '../content/line-diff.ts';
import type { MergeSide } from '../content/three-way.ts';
import type { Pace } from '../io/pace.ts';
import type { RecordedChange } from '../model/checkpoint.ts';
import { type Entry, type FileEntry, sameEntry } from '../model/entries.ts';
import { type ChangeId, type HunkId, hunkId } from '../model/ids.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { DiscardedWork, PathConflict, ThreeSides } from '../operation/change-set.ts';
import type { CurrentState } from '../operation/operation.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { type FolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import type { AffectedFile } from '../timeline/activity/activity.ts';
import { hunksOf, withoutHunks } from '../timeline/diff/hunks.ts';
import { ABSENT, type PathState, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { ALREADY_REVERTED, revertEntry, threeSides } from './merge-entry.ts';
import type { ChosenChange, ChosenFile } from './selection.ts';

/** What is rolled back, and where. */
export interface LineageInput {
  /** `entries`: our entries in files of the user, which are not merged; null: there are none. */
  readonly current: Pick<CurrentState, 'objects' | 'snapshot' | 'own'> & {
    readonly entries: CurrentState['entries'] | null;
  };
  /** Oldest first. */
  readonly chosen: readonly ChosenChange[];
  /** The side that wins where lines do not merge, for each path and everything below it. */
  readonly prefer: ReadonlyMap<TreePath, MergeSide>;
}

/** A chosen change, as it is reverted in one file. */
type FileRevert = Pick<ChosenChange, 'change' | 'before'> & ChosenFile;

/** Chosen changes of a file that directly follow each other. */
interface RevertStep {
  readonly left: Entry | null;
  found: Entry | null;
  /** The path of the file after these changes, and before them. */
  readonly end: TreePath;
  start: TreePath;
  readonly isPart: boolean;
  readonly chosen: FileRevert[];
}

/** The chosen changes that affect one current file. */
export class Lineage {
  /** Newest first. */
  readonly chosen: FileRevert[] = [];
  readonly #steps: RevertStep[] = [];
  path: TreePath;
  entry: Entry | null;
  /** What is reverted of each chosen change: the change itself, some of its hunks, or nothing. */
  readonly revertedIds = new Map<FileRevert, readonly (ChangeId | HunkId)[]>();
  merged = false;
  conflict: (Pick<PathConflict, 'why' | 'lines'> & { readonly sides: ThreeSides }) | null = null;
  /** What is lost of the current content, as requested. */
  readonly discarded: DiscardedWork[] = [];
  readonly #notes = new Set<string>();

  /** @param currentPath the current path of the file */
  constructor(
    readonly currentPath: TreePath,
    readonly state: PathState,
    private readonly objects: ObjectBatch,
    /** Removes our entries from a state of the file, if they are not merged. */
    private readonly asMerged: (entry: Entry | null) => Entry | null,
    private readonly prefer: (paths: readonly TreePath[]) => MergeSide | null,
  ) {
    this.path = currentPath;
    this.entry = state.entry;
  }

  /** Must be called with the newest change first. */
  add(chosen: FileRevert): void {
    const { change, hunks, madeAgain } = chosen;
    this.chosen.push(chosen);
    const last = this.#steps.at(-1);
    const start = change.from ?? change.path;
    // If the current lines win, the result of each change is reported separately, so steps are not joined.
    const joins =
      last !== undefined && !last.isPart && hunks === null && madeAgain === null && this.prefer(this.paths) !== 'ours';
    const left = this.asMerged(change.after);
    const found = this.asMerged(change.before);
    if (joins && last.start === change.path && sameEntry(last.found, left)) {
      last.found = found;
      last.start = start;
      last.chosen.push(chosen);
      return;
    }
    const step = { left, end: change.path, chosen: [chosen] };
    this.#steps.push(
      hunks === null && madeAgain === null
        ? { ...step, found, start, isPart: false }
        : { ...step, ...this.#partialStep(chosen), isPart: true },
    );
  }

  revert(): void {
    if (this.state.skip !== null) return;
    for (const step of this.#steps) {
      const { left, found, end, start } = step;
      const side = this.prefer(this.paths);
      const taken = revertEntry(this.objects, left, found, this.entry, side);
      if (taken.outcome === 'conflict') {
        const { outcome: _, ...conflict } = taken;
        this.conflict = conflict;
        return;
      }
      if (taken.outcome === 'done' && taken.discarded !== undefined) {
        this.discarded.push({ path: this.currentPath, base: left, lines: taken.discarded });
      }
      const moves = start !== end;
      const isKept = side === 'ours' && this.#conflictsWith(left, found);
      // A change in a file that stays deleted remains in effect: it is back as soon as the file is.
      const isInDeleted = this.entry === null && taken.outcome === 'nothing' && !sameEntry(left, found);
      for (const one of isInDeleted ? [] : step.chosen) {
        this.revertedIds.set(one, isKept ? this.#mergeableHunks(one) : revertIds(one));
      }
      if (isKept) this.#notes.add('lines that were changed since are kept, as requested');
      if (taken.outcome === 'done') this.merged ||= taken.merged;
      else if (!moves && !isKept) this.#notes.add(taken.why);
      const isAsLeft = sameEntry(this.entry, left);
      this.entry = taken.entry;
      if (!moves) continue;
      if (this.path === end) {
        this.path = start;
        this.merged ||= !isAsLeft;
      } else if (this.entry !== null) this.#notes.add('it was moved since, and stays there');
    }
  }

  /** Replaces another file at the target path, as requested. */
  get isOverwriting(): boolean {
    return this.prefer(this.paths) === 'theirs';
  }

  /** Called if another file is at the target path. */
  resolveOccupied(there: Entry | null): void {
    const side = this.prefer(this.paths);
    if (side === 'ours') {
      this.entry = this.state.entry;
      this.path = this.currentPath;
      this.#notes.add('another file is at its path and is kept, as requested');
    } else {
      this.conflict = { why: 'another file was created there since', sides: threeSides(null, there, this.entry) };
    }
  }

  get hasEffect(): boolean {
    if (this.entry === null && this.state.entry === null) return false;
    return this.conflict === null && (this.path !== this.currentPath || !sameEntry(this.entry, this.state.entry));
  }

  get why(): string | null {
    // Where one of several changes was undone already, reverting the others still changes the file.
    const notes = [...this.#notes].filter((note) => note !== ALREADY_REVERTED || !this.hasEffect);
    return notes.length === 0 ? null : notes.join('; ');
  }

  /** All paths that its changes name, its current path and its target path. */
  get paths(): readonly TreePath[] {
    const named = this.chosen.flatMap(({ change: { path, from } }) => [path, from ?? path]);
    return [...new Set([this.currentPath, this.path, ...named])];
  }

  #conflictsWith(left: Entry | null, found: Entry | null): boolean {
    return revertEntry(this.objects, left, found, this.entry, null).outcome === 'conflict';
  }

  /** Hunks that merge with the current content, if other hunks of the change do not. */
  #mergeableHunks({ change, hunks, madeAgain }: FileRevert): readonly HunkId[] {
    const numbers = hunks ?? hunksOf(this.objects, change)?.map(({ number }) => number) ?? [];
    return numbers
      .filter(
        (number) =>
          !this.#conflictsWith(
            this.asMerged(change.after),
            this.asMerged(this.#entryWithoutHunks(change, [number], madeAgain)),
          ),
      )
      .map((number) => hunkId(change.id, number));
  }

  #partialStep({ change, hunks, isRest, madeAgain }: FileRevert): Pick<RevertStep, 'found' | 'start'> {
    const found = this.#entryWithoutHunks(change, hunks, madeAgain);
    const isMetaReverted = (isRest || hunks === null) && madeAgain?.hasMeta !== true;
    if (!isMetaReverted || change.before?.kind !== 'file') return { found: this.asMerged(found), start: change.path };
    return { found: this.asMerged({ ...found, mode: change.before.mode }), start: change.from ?? change.path };
  }

  /** @param hunks null: all of them */
  #entryWithoutHunks(
    change: RecordedChange,
    hunks: readonly number[] | null,
    madeAgain: FileRevert['madeAgain'],
  ): FileEntry {
    const after = change.after as FileEntry;
    const taken = (hunksOf(this.objects, change) ?? []).filter(({ number }) => hunks?.includes(number) ?? true);
    const places = madeAgain === null ? taken : placesWithout(this.objects, change, taken, madeAgain.hunks);
    return { ...after, id: this.objects.add('blob', withoutHunks(readBlob(this.objects, after.id), places)) };
  }
}

/** If a file does not merge, our entries may be the reason. So it is reverted once more without them. */
export async function revertedLineages(
  input: LineageInput,
  folders: FolderReader,
  pace: Pace,
): Promise<readonly Lineage[]> {
  const withoutEntries = await pathsWithoutEntries(input, folders);
  for (;;) {
    const lineages = lineagesOf(input, folders, withoutEntries);
    for (const lineage of lineages) {
      if (pace.isDue()) await pace.yieldNow();
      lineage.revert();
    }
    const retried = lineages.filter(
      ({ conflict, currentPath: path }) =>
        conflict !== null && input.current.entries?.mayBeIn(path) === true && !withoutEntries.has(path),
    );
    if (retried.length === 0) return lineages;
    for (const { currentPath } of retried) withoutEntries.add(currentPath);
  }
}

/** Returns the places in some hunks of a change, without context, that are not among the given ones. */
function placesWithout(
  objects: ObjectBatch,
  { before, after }: RecordedChange,
  hunks: readonly Hunk[],
  without: readonly Hunk[],
): readonly Hunk[] {
  const texts = [before, after].map((entry) => readBlob(objects, (entry as FileEntry).id)) as [Buffer, Buffer];
  const diff = diffLines(...texts, LINE_BOUND, 0);
  const isIn = (place: Hunk, hunk: Hunk): boolean =>
    place.afterStart >= hunk.afterStart && place.afterStart + place.afterCount <= hunk.afterStart + hunk.afterCount;
  return diff.kind !== 'lines'
    ? []
    : diff.hunks.filter(
        (place) =>
          hunks.some((hunk) => isIn(place, hunk)) && !without.some(({ afterStart }) => afterStart === place.afterStart),
      );
}

function revertIds({ change, hunks }: FileRevert): readonly (ChangeId | HunkId)[] {
  return hunks === null ? [change.id] : hunks.map((hunk) => hunkId(change.id, hunk));
}

/** Returns the current paths of files that are reverted without our entries, because those stay as they are. */
async function pathsWithoutEntries(
  { current: { entries, snapshot }, chosen }: LineageInput,
  folders: FolderReader,
): Promise<Set<TreePath>> {
  const found = new Set<TreePath>();
  for (const { change, files } of chosen) {
    for (const { file } of files) {
      if (entries === null || !entries.mayBeIn(file.path)) continue;
      const current = file.isThere ? stateAt(folders, snapshot, file.path).entry : null;
      const states = { left: change.after, found: change.before, current };
      if (await entries.isLeftOut(file.path, states)) found.add(file.path);
    }
  }
  return found;
}

/**
 * Groups the chosen changes by file. Different files that had the same path at different times are separate lineages.
 * At most one of them still exists.
 */
function lineagesOf(
  { current, chosen, prefer }: LineageInput,
  folders: FolderReader,
  withoutEntries: ReadonlySet<TreePath>,
): readonly Lineage[] {
  const lineages = new Map<AffectedFile['id'], Lineage>();
  const preferred = (paths: readonly TreePath[]): MergeSide | null => {
    for (const [named, side] of prefer) if (paths.some((path) => isWithin(path, named))) return side;
    return null;
  };
  for (const { change, before, files } of [...chosen].reverse()) {
    for (const one of files) {
      const { id, path, isThere } = one.file;
      let lineage = lineages.get(id);
      if (lineage === undefined) {
        const asMerged =
          current.entries !== null && withoutEntries.has(path)
            ? current.entries.remover(path)
            : (it: Entry | null) => it;
        const state = isThere ? stateAt(folders, current.snapshot, path) : ABSENT;
        const seen = { ...state, entry: asMerged(state.entry) };
        lineage = new Lineage(path, seen, current.objects, asMerged, preferred);
        lineages.set(id, lineage);
      }
      lineage.add({ change, before, ...one });
    }
  }
  return [...lineages.values()];
}
