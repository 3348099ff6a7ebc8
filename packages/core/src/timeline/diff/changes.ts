/** Lists the changes between two snapshots, for display and for checkpoint records. */

import { changedSpan, type LineRange } from '../../content/changed-span.ts';
import { countChangedLines } from '../../content/line-diff.ts';
import type { Pace } from '../../io/pace.ts';
import type { Change, ChangeKind, ChangeTotals } from '../../model/checkpoint.ts';
import type { Entry, Skip, Snapshot } from '../../model/entries.ts';
import { isWithin, type TreePath } from '../../model/names.ts';
import { type OnDamage, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { findMoves, type MoveOptions } from './renames.ts';
import { differences, type PathDifference, type PathState } from './snapshot-diff.ts';

/** Counting lines in more files costs more than the numbers are worth, unless somebody reviews them. */
export const COUNTED_FILES = 300;
const COUNTED_BYTES = 1024 * 1024;

export interface ChangeList {
  readonly changes: readonly Change[];
  readonly totals: ChangeTotals;
  /** A damaged folder could not be compared. */
  readonly isIncomplete: boolean;
}

export interface ListOptions extends MoveOptions {
  /**
   * Only these paths and everything below them. A file that moved across that boundary counts as created or
   * deleted. Default: everything.
   */
  readonly within?: readonly TreePath[];
  /**
   * Receives each error of damage. Changes in a damaged folder are then not listed, because they are unknown. Default:
   * a damaged folder is an error, and what is unknown because of a damaged content (lines, size, a move) is just that.
   */
  readonly onDamage?: OnDamage;
  /**
   * Also list files that were not captured and are new, gone, or have another size or time. False if the snapshots were taken on
   * different machines: a bundle does not contain such files. Default: true
   */
  readonly uncaptured?: boolean;
  /** Lines are counted in this many files at most. Default: `COUNTED_FILES` */
  readonly counted?: number;
}

/**
 * Lists the changes between two snapshots. A path that was skipped on either side is not a change, because what
 * happened to it is unknown, unless a file moved there, or what is known of the skipped path proves that it changed. A
 * folder is listed only if nothing in it implies the change: it is empty, or its permissions changed. A file that moved
 * is one change, at its new path.
 */
export async function listChanges(
  reader: ObjectReader,
  before: Snapshot | null,
  after: Snapshot | null,
  pace: Pace,
  options: ListOptions = {},
): Promise<ChangeList> {
  const found: PathDifference[] = [];
  const isSelected = ({ path }: PathDifference): boolean =>
    options.within === undefined || options.within.some((folder) => isWithin(path, folder));
  const { onDamage, counted: most = COUNTED_FILES } = options;
  let isIncomplete = false;
  const onDamagedFolder: OnDamage | null =
    onDamage === undefined
      ? null
      : (error) => {
          isIncomplete = true;
          onDamage(error);
        };
  for (const difference of differences(reader, before, after, onDamagedFolder, options.uncaptured ?? true)) {
    if (pace.isDue()) await pace.yieldNow();
    if (isSelected(difference) && (isKnown(difference) || isInDependencies(difference) || isProven(reader, difference)))
      found.push(difference);
  }
  // In a first checkpoint everything was created, so nothing can have moved.
  const moves = await findMoves(reader, before === null ? [] : found, options, pace);
  const moved = new Set(moves.values());
  const old = new Map(found.filter(({ path }) => moved.has(path)).map(({ path, before: was }) => [path, was.entry]));
  const reported = found.filter(
    (difference, index) =>
      (isKnown(difference) || moves.has(difference.path) || isProven(reader, difference)) &&
      !isImplied(difference, found[index + 1]) &&
      !moved.has(difference.path),
  );
  const changes: Change[] = [];
  let counted = 0;
  for (const { path, before: was, after: now } of reported) {
    if (pace.isDue()) await pace.yieldNow();
    const from = moves.get(path) ?? null;
    const entry = from === null ? was.entry : (old.get(from) ?? null);
    const unknown = from === null ? was.skip : null;
    const unknownNow = now.skip;
    const isCounted = unknown === null && unknownNow === null && counted < most;
    const lines = isCounted ? unlessDamaged(options.onDamage, () => lineCounts(reader, entry, now.entry)) : null;
    if (lines !== null) counted += 1;
    changes.push({
      path,
      operation:
        from !== null
          ? 'rename'
          : unknown === null && unknownNow === null
            ? operationOf(entry, now.entry)
            : operationOfUnknown({ before: was, after: now }),
      from,
      before: entry,
      ...(unknown === null ? {} : { uncapturedBefore: unknown.reason }),
      after: now.entry,
      ...(unknownNow === null ? {} : { uncapturedAfter: unknownNow.reason }),
      added: lines?.added ?? null,
      removed: lines?.removed ?? null,
      lines: lines?.lines ?? null,
      beforeSize: unknown?.size ?? unlessDamaged(options.onDamage, () => sizeOf(reader, entry)),
      afterSize: unknownNow?.size ?? unlessDamaged(options.onDamage, () => sizeOf(reader, now.entry)),
    });
  }
  return { changes, totals: totalsOf(changes), isIncomplete };
}

export function totalsOf(changes: readonly Change[]): ChangeTotals {
  let added = 0;
  let removed = 0;
  for (const change of changes) {
    added += change.added ?? 0;
    removed += change.removed ?? 0;
  }
  return { files: changes.length, added, removed };
}

export function operationOf(before: Entry | null, after: Entry | null): ChangeKind {
  if (before === null) return 'create';
  if (after === null) return 'delete';
  if (before.kind !== after.kind) return 'kind';
  if (before.kind === 'folder') return 'mode';
  return before.id === (after as typeof before).id ? 'mode' : 'write';
}

/** Returns whether a folder appeared or disappeared together with its contents, whose changes imply it. */
export function isImplied(difference: PathDifference, next: PathDifference | undefined): boolean {
  const { before, after } = difference;
  if (before.entry?.kind !== 'folder' && after.entry?.kind !== 'folder') return false;
  if (before.entry !== null && after.entry !== null) return false;
  return next?.path.startsWith(`${difference.path}/`) ?? false;
}

function isKnown({ before, after }: PathDifference): boolean {
  return before.skip === null && after.skip === null;
}

/** A path that was skipped on one side or both, if what is known of it proves that it changed. */
function isProven(reader: ObjectReader, { before, after }: PathDifference): boolean {
  const [skip, skipNow] = [before.skip, after.skip];
  if (skip === null) {
    if (skipNow === null) return false;
    return before.entry === null ? isHere(skipNow) : isOtherFile(reader, before.entry, skipNow);
  }
  if (skipNow !== null) return isFile(skip) && isFile(skipNow) && hasChanged(skip, skipNow);
  if (after.entry === null) return isHere(skip);
  if (skip.reason === 'special') return true;
  return isOtherFile(reader, after.entry, skip);
}

/** Returns whether a captured file or link and a skipped path differ in kind or size. Only files have a recorded size. */
function isOtherFile(reader: ObjectReader, entry: Entry | null, { size }: Skip): boolean {
  return entry !== null && size !== undefined && (entry.kind !== 'file' || sizeOf(reader, entry) !== size);
}

/**
 * A file that was written to has another time. So has one that only got another time (`touch`). The time alone counts,
 * as it does for rsync and make: other stats also change if a file is copied, moved or gets other permissions.
 */
function hasChanged(before: Skip, after: Skip): boolean {
  if (before.size !== after.size) return true;
  return before.modified !== undefined && after.modified !== undefined && before.modified !== after.modified;
}

/** A path that was certainly there, on this machine. */
function isHere(skip: Skip): boolean {
  return isFile(skip) || skip.reason === 'special';
}

/** What a rule or the size limit left out. What stayed on another machine is not here and has not changed. */
function isFile({ reason, size }: Skip): boolean {
  return size !== undefined && (reason === 'too-large' || reason === 'ignored');
}

function operationOfUnknown({ before, after }: Pick<PathDifference, 'before' | 'after'>): ChangeKind {
  const isFileOrNothing = ({ entry, skip }: PathState): boolean => skip !== null || entry?.kind === 'file';
  if (after.entry === null && after.skip === null) return 'delete';
  if (before.entry === null && before.skip === null) return 'create';
  return isFileOrNothing(before) && isFileOrNothing(after) ? 'write' : 'kind';
}

/** A path in a dependency folder that was tracked only later. */
function isInDependencies({ before, after }: PathDifference): boolean {
  const reason = before.skip?.reason;
  return after.skip === null && (reason === 'dependency-folder' || reason === 'ignored');
}

function lineCounts(
  reader: ObjectReader,
  before: Entry | null,
  after: Entry | null,
): { readonly added: number; readonly removed: number; readonly lines: LineRange | null } | null {
  const old = fileId(before);
  const now = fileId(after);
  if (old === null && now === null) return null;
  if (old === now) return { added: 0, removed: 0, lines: null };
  for (const id of [old, now]) {
    if (id !== null && (reader.info(id)?.size ?? Number.POSITIVE_INFINITY) > COUNTED_BYTES) return null;
  }
  const empty = Buffer.alloc(0);
  const [a, b] = [old, now].map((id) => (id === null ? empty : readBlob(reader, id))) as [Buffer, Buffer];
  const counts = countChangedLines(a, b);
  return counts === null
    ? null
    : { ...counts, lines: changedSpan(a.toString('latin1'), b.toString('latin1'))?.lines ?? null };
}

function sizeOf(reader: ObjectReader, entry: Entry | null): number | null {
  return entry === null || entry.kind === 'folder' ? null : (reader.info(entry.id)?.size ?? null);
}

function fileId(entry: Entry | null) {
  return entry?.kind === 'file' ? entry.id : null;
}
