/**
 * Finds who wrote each line of a file.
 *
 * The timeline is read from newest to oldest. At each change of the file, lines that the version before it has as well
 * are followed into that version, and the change wrote the others. So a change whose lines are gone does not count, and
 * a line that was deleted and written again belongs to the second author. A rename is followed. Lines that moved within
 * the file belong to who moved them.
 *
 * An operation that goes back writes nothing: the lines that it brought back are followed into the versions that they
 * were taken from (`sources.ts`). So lines are followed into several versions at once, as git does at a merge. A file
 * that git brought back, with another branch or commit, is followed into the checkpoint that had it last.
 *
 * At any time, each line is in one version, and two contents are in memory. Only changes of the file are compared.
 */

import { diffLines, LINE_BOUND } from '../../content/line-diff.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import type { Entry, FileEntry } from '../../model/entries.ts';
import { checkpointNumber, type ObjectId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import type { CheckpointReader } from '../activity/reader.ts';
import { type ActivitySource, activitySource } from '../activity/source.ts';
import { joinSegments, type LineHunks, type Segment, splitAtHunks } from './segments.ts';
import { type FileVersion, fromGit, sourcesOf } from './sources.ts';

/** Where a line comes from. */
export type LineOrigin =
  /** A change on the timeline wrote it. */
  | { readonly kind: 'change'; readonly checkpoint: Checkpoint; readonly change: RecordedChange }
  /** A change wrote it that is not in a checkpoint yet. */
  | { readonly kind: 'uncaptured'; readonly change: RecordedChange }
  /** It is older than the timeline: the oldest checkpoint has it, and nothing before that is known. */
  | { readonly kind: 'older'; readonly checkpoint: Checkpoint }
  /** This checkpoint is the first that is known to have it, and it is not known who wrote it. */
  | { readonly kind: 'unknown'; readonly checkpoint: Checkpoint; readonly why: UnknownBecause };

/**
 * - `unlisted`: the checkpoint has no complete list of changes: there were too many, or a folder could not be compared
 * - `dropped`: a checkpoint that was dropped, or cannot be read, had it first
 * - `skipped`: the path was not captured for a time, and had it afterwards
 * - `missing`: the content before the change is no longer in the store
 * - `too-long`: the contents are too long to compare
 */
export const UNKNOWN_BECAUSE = ['unlisted', 'dropped', 'skipped', 'missing', 'too-long'] as const;

export type UnknownBecause = (typeof UNKNOWN_BECAUSE)[number];

/** Neighbouring lines of one origin. */
export interface LineRange {
  /** From 1. */
  readonly first: number;
  readonly last: number;
  readonly origin: LineOrigin;
}

export interface BlameRequest {
  readonly path: TreePath;
  /** The file as it is now, or after the checkpoint that is asked about. Text. */
  readonly entry: FileEntry;
  /** From 1. */
  readonly first: number;
  readonly last: number;
  /** What a capture would record now; null if nothing differs from the last checkpoint, or a checkpoint is asked about. */
  readonly uncaptured: Checkpoint | null;
  /** The checkpoint that is asked about; null: the file as it is now. */
  readonly at: Checkpoint | null;
}

/**
 * @param objects also has the contents that are not captured yet
 * @returns the ranges in the order of the lines
 */
export async function blameLines(
  objects: ObjectReader,
  readable: CheckpointReader,
  request: BlameRequest,
  pace: Pace,
): Promise<readonly LineRange[]> {
  const { path, entry, first, last, uncaptured, at } = request;
  const walk = new BlameWalk(objects, readable, uncaptured);
  const start = at?.number ?? Number.POSITIVE_INFINITY;
  if (last >= first) {
    const [newest] = uncaptured === null ? readable.upTo(start) : [uncaptured];
    walk.follow({ path, entry, after: newest?.number ?? 0 }, [{ at: first - 1, count: last - first + 1, line: first }]);
  }
  if (uncaptured !== null) walk.visit(uncaptured);
  for (const checkpoint of readable.upTo(start)) {
    if (walk.isDone) break;
    if (pace.isDue()) await pace.yieldNow();
    walk.visit(checkpoint);
  }
  return walk.finish();
}

interface FollowedVersion extends FileVersion {
  readonly segments: readonly Segment[];
}

/** Where two contents differ, or why that is unknown. `all`: they have no line in common, as one is not text. */
type Comparison = LineHunks | 'all' | 'missing' | 'too-long';

class BlameWalk {
  readonly #objects: ObjectReader;
  readonly #readable: CheckpointReader;
  readonly #source: ActivitySource;
  readonly #uncaptured: Checkpoint | null;
  /** Versions with lines whose origin is not known yet. */
  #versions: readonly FollowedVersion[] = [];
  readonly #found: LineRange[] = [];
  /** The checkpoint visited last, which is newer than the next one. */
  #newer: Checkpoint | null = null;

  constructor(objects: ObjectReader, readable: CheckpointReader, uncaptured: Checkpoint | null) {
    this.#objects = objects;
    this.#readable = readable;
    this.#source = activitySource(objects, readable);
    this.#uncaptured = uncaptured;
  }

  get isDone(): boolean {
    return this.#versions.length === 0;
  }

  follow(version: FileVersion, segments: readonly Segment[]): void {
    if (segments.length === 0) return;
    const { path, entry, after } = version;
    const same = this.#versions.find((one) => one.path === path && one.after === after && one.entry.id === entry.id);
    const joined = { path, entry, after, segments: joinSegments([...(same?.segments ?? []), ...segments]) };
    this.#versions = [...this.#versions.filter((one) => one !== same), joined];
  }

  /** Goes from the state after a checkpoint to the state before it. */
  visit(checkpoint: Checkpoint): void {
    for (const version of this.#take(checkpoint.number)) this.#overGap(version, checkpoint);
    for (const version of this.#take(checkpoint.number)) this.#stepBack(version, checkpoint);
    this.#newer = checkpoint;
  }

  finish(): readonly LineRange[] {
    for (const { segments } of this.#versions) {
      if (this.#newer !== null) this.#record(segments, { kind: 'older', checkpoint: this.#newer });
    }
    return joinRanges(this.#found);
  }

  /** Removes and returns the versions that existed after this checkpoint, or after a newer one. */
  #take(number: number): readonly FollowedVersion[] {
    const taken = this.#versions.filter(({ after }) => after >= number);
    this.#versions = this.#versions.filter(({ after }) => after < number);
    return taken;
  }

  /** If the version is of a dropped checkpoint, what else that checkpoint had changed is unknown. */
  #overGap(version: FollowedVersion, checkpoint: Checkpoint): void {
    const entry =
      version.after === checkpoint.number ? version.entry : this.#source.entryAt(checkpoint.id, version.path);
    this.#jump(version, checkpoint, entry ?? null, 'dropped');
  }

  #stepBack(version: FollowedVersion, checkpoint: Checkpoint): void {
    const { changes, previous } = checkpoint;
    const change = changeOf(checkpoint, version, (id) => this.#source.entryAt(id, version.path));
    if (change === null && previous !== null) {
      this.follow({ ...version, after: checkpointNumber(previous) }, version.segments);
      return;
    }
    // A path that was not captured for a time can differ without a change.
    const entry =
      change?.recorded?.after ?? (changes === null ? this.#source.entryAt(checkpoint.id, version.path) : null);
    if (entry?.kind === 'file' && entry.id !== version.entry.id) {
      this.#jump(version, checkpoint, entry, 'skipped');
      for (const same of this.#take(checkpoint.number)) this.#stepBack(same, checkpoint);
    } else if (change === null) this.#record(version.segments, { kind: 'older', checkpoint });
    else this.#stepOver(version, checkpoint, change);
  }

  /** Follows the lines into the version that a checkpoint has. What changed them in between is unknown. */
  #jump(version: FollowedVersion, checkpoint: Checkpoint, entry: Entry | null, why: UnknownBecause): void {
    const compared = this.#compare(entry, version.entry);
    const older = { path: version.path, entry, after: checkpoint.number };
    const rest =
      compared === 'missing' || compared === 'too-long'
        ? version.segments
        : this.#followHunks(version.segments, compared, older);
    this.#record(rest, { kind: 'unknown', checkpoint: this.#newer ?? checkpoint, why });
  }

  #stepOver(version: FollowedVersion, checkpoint: Checkpoint, change: FileChange): void {
    const checkedOut = this.#source.checkedOut(checkpoint).get(change.path);
    const { versions, areComplete, replaceFile } =
      checkedOut?.entry?.kind === 'file'
        ? fromGit({ path: change.path, entry: checkedOut.entry, after: checkedOut.number })
        : sourcesOf(this.#source, this.#readable, checkpoint, change);
    const exact = versions.find(({ entry }) => entry.id === version.entry.id);
    if (exact !== undefined) {
      this.follow(exact, version.segments);
      return;
    }
    const before = checkpoint.previous === null ? 0 : checkpointNumber(checkpoint.previous);
    const current = { path: change.from ?? change.path, entry: change.before, after: before };
    const older = replaceFile ? [...versions, current] : [current, ...versions];
    let rest = version.segments;
    let comparison: 'compared' | 'missing' | 'too-long' = 'compared';
    for (const { path, entry, after } of older) {
      const compared = rest.length === 0 ? [] : this.#compare(entry, version.entry);
      if (compared === 'missing' || compared === 'too-long') comparison = compared;
      else rest = this.#followHunks(rest, compared, { path, entry, after });
    }
    if (comparison !== 'compared') this.#record(rest, { kind: 'unknown', checkpoint, why: comparison });
    else if (change.recorded?.uncapturedBefore !== undefined)
      this.#record(rest, { kind: 'unknown', checkpoint, why: 'skipped' });
    else if (!areComplete) this.#record(rest, { kind: 'unknown', checkpoint, why: 'dropped' });
    else this.#record(rest, originOf(checkpoint, change.recorded, checkpoint === this.#uncaptured));
  }

  /** Follows the lines that an older version has, and returns the others. */
  #followHunks(
    segments: readonly Segment[],
    hunks: LineHunks | 'all',
    older: { readonly path: TreePath; readonly entry: Entry | null; readonly after: number },
  ): readonly Segment[] {
    const { path, entry, after } = older;
    if (hunks === 'all' || entry?.kind !== 'file') return segments;
    const { kept, changed } = splitAtHunks(segments, hunks);
    this.follow({ path, entry, after }, kept);
    return changed;
  }

  #compare(before: Entry | null, after: FileEntry): Comparison {
    if (before?.kind !== 'file') return 'all';
    if (before.id === after.id) return [];
    const [old, now] = [this.#textOf(before.id), this.#textOf(after.id)];
    if (old === 'missing' || now === 'missing') return 'missing';
    if (old === 'too-long' || now === 'too-long') return 'too-long';
    const diff = diffLines(old, now, LINE_BOUND, 0);
    return diff.kind === 'lines' ? diff.hunks : diff.kind === 'binary' ? 'all' : 'too-long';
  }

  #textOf(id: ObjectId): Buffer | 'missing' | 'too-long' {
    const size = this.#objects.info(id)?.size ?? null;
    if (size === null) return 'missing';
    return size > LINE_BOUND.maxBytes ? 'too-long' : readBlob(this.#objects, id);
  }

  #record(segments: readonly Segment[], origin: LineOrigin): void {
    for (const { line, count } of segments) this.#found.push({ first: line, last: line + count - 1, origin });
  }
}

/** What a checkpoint did to a file. `recorded` is null if its changes are not listed. */
interface FileChange {
  readonly path: TreePath;
  readonly from: TreePath | null;
  readonly before: Entry | null;
  readonly recorded: RecordedChange | null;
}

/**
 * @param entryAt returns undefined if the checkpoint cannot be read, or did not capture the path
 * @returns null if the checkpoint did not change the file, as far as is known
 */
function changeOf(
  { changes, incomplete, previous }: Checkpoint,
  { path, entry }: FileVersion,
  entryAt: (id: NonNullable<Checkpoint['previous']>) => Entry | null | undefined,
): FileChange | null {
  if (changes !== null) {
    const recorded = changes.find((change) => change.path === path);
    if (recorded !== undefined) return { path, from: recorded.from, before: recorded.before, recorded };
    if (incomplete !== true) return null;
  }
  // If the checkpoint before this one is unknown, the next readable one is compared instead.
  // In a damaged folder, everything counts as changed.
  const before = previous === null ? undefined : unlessDamaged(undefined, () => entryAt(previous));
  if (before === undefined || (before?.kind === 'file' && before.id === entry.id)) return null;
  return { path, from: null, before, recorded: null };
}

function originOf(checkpoint: Checkpoint, change: RecordedChange | null, isUncaptured: boolean): LineOrigin {
  if (change === null) return { kind: 'unknown', checkpoint, why: 'unlisted' };
  return isUncaptured ? { kind: 'uncaptured', change } : { kind: 'change', checkpoint, change };
}

function joinRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const last = joined.at(-1);
    if (last !== undefined && isSameOrigin(last.origin, range.origin)) {
      joined[joined.length - 1] = { ...last, last: range.last };
    } else joined.push(range);
  }
  return joined;
}

function isSameOrigin(a: LineOrigin, b: LineOrigin): boolean {
  if (a.kind === 'unknown' && b.kind === 'unknown') return a.checkpoint === b.checkpoint && a.why === b.why;
  if (a.kind === 'older' || b.kind === 'older') return a.kind === b.kind;
  return 'change' in a && 'change' in b && a.change.id === b.change.id;
}
