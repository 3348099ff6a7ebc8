/** What of a plan would be applied: the proposed files without what was rejected. */

import type { Pace } from '../io/pace.ts';
import type { ChangeTotals } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { foldersAbove, type TreePath } from '../model/names.ts';
import type { Plan, PlanDecision } from '../model/plan.ts';
import type { ObjectBatch, ObjectReader } from '../store/objects/object-reader.ts';
import { editSnapshot, type SnapshotEdit } from '../store/snapshot/edit-snapshot.ts';
import { withoutEmptied } from '../store/snapshot/emptied-folders.ts';
import { cachedFolderReader, type FolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import { hunksOf, withoutHunks } from '../timeline/diff/hunks.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { fingerprintOf, type ListedChange, type ListedHunk, listedHunks, listingOf } from './listing.ts';

/** A hunk of a proposed change, with what was decided. */
export interface PlanHunk extends ListedHunk {
  readonly accepted: boolean | null;
}

/** A proposed change, with what was decided. */
export interface PlanChange {
  /** Starts at 1. */
  readonly place: number;
  readonly change: ListedChange['change'];
  /** Null if there is no decision about the change as a whole. */
  readonly accepted: boolean | null;
  /** Null if there are no separate hunks; see `hunksOf`. */
  readonly hunks: readonly PlanHunk[] | null;
}

export interface Selection {
  readonly changes: readonly PlanChange[];
  /** The files that would be there after it is applied to its base. */
  readonly selected: Snapshot;
  /** Of exactly these changes. */
  readonly fingerprint: string;
}

/** @param batch receives the contents of files of which some hunks were rejected */
export async function selectionOf(batch: ObjectBatch, plan: Plan, pace: Pace): Promise<Selection> {
  const byPath = decisionsByPath(plan.decisions);
  const changes = (await listingOf(batch, plan, pace)).map((listed, index) => ({
    place: index + 1,
    change: listed.change,
    ...decided(batch, listed, byPath.get(listed.change.path) ?? []),
  }));
  const selected = await selectedFiles(batch, plan, changes, pace);
  return { changes, selected, fingerprint: fingerprintOf(plan.before, selected) };
}

/** The size of what would be applied. */
export function totalsOfSelected(changes: readonly PlanChange[]): ChangeTotals {
  let [files, added, removed] = [0, 0, 0];
  for (const one of changes) {
    if (!isAnythingAccepted(one)) continue;
    files += 1;
    const counted = hasParts(one) ? one.hunks.filter((hunk) => hunk.accepted !== false) : [one.change];
    for (const part of counted) {
      added += part.added ?? 0;
      removed += part.removed ?? 0;
    }
  }
  return { files, added, removed };
}

/** Whether something of a change would be applied. */
export function isAnythingAccepted({ accepted, hunks }: Pick<PlanChange, 'accepted' | 'hunks'>): boolean {
  return hunks === null || hunks.length === 0 ? accepted !== false : hunks.some((hunk) => hunk.accepted !== false);
}

function hasParts(change: PlanChange): change is PlanChange & { readonly hunks: readonly PlanHunk[] } {
  return change.hunks !== null && change.hunks.length > 0;
}

function decisionsByPath(decisions: readonly PlanDecision[]): ReadonlyMap<TreePath, readonly PlanDecision[]> {
  const found = new Map<TreePath, PlanDecision[]>();
  for (const one of decisions) {
    const same = found.get(one.path);
    if (same === undefined) found.set(one.path, [one]);
    else same.push(one);
  }
  return found;
}

function decided(
  reader: ObjectReader,
  { change, hunks: listed }: ListedChange,
  decisions: readonly PlanDecision[],
): Pick<PlanChange, 'accepted' | 'hunks'> {
  const whole = decisions.findLast(({ hunk }) => hunk === null)?.accepted ?? null;
  // What is left out is decided by the contents alone, not by what was kept about them.
  const isCut = decisions.some(({ accepted }) => !accepted);
  const found = isCut ? hunksOf(reader, change) : null;
  const hunks = isCut ? found && listedHunks(found) : listed;
  if (hunks === null) return { accepted: whole, hunks: null };
  const of = ({ digest }: ListedHunk): boolean | null =>
    decisions.findLast(({ hunk }) => hunk === null || hunk === digest)?.accepted ?? null;
  return { accepted: whole, hunks: hunks.map((hunk) => ({ ...hunk, accepted: of(hunk) })) };
}

async function selectedFiles(
  batch: ObjectBatch,
  plan: Plan,
  changes: readonly PlanChange[],
  pace: Pace,
): Promise<Snapshot> {
  const read = cachedFolderReader(batch);
  const edits = new Map<TreePath, SnapshotEdit>();
  const asBefore = (path: TreePath): void => {
    const { entry, ignored } = stateAt(read, plan.before, path);
    edits.set(path, { path, to: entry, ignored });
  };
  const back: TreePath[] = [];
  for (const { change, accepted, hunks } of changes) {
    if (pace.isDue()) await pace.yieldNow();
    const rejected = new Set(hunks?.flatMap((hunk) => (hunk.accepted === false ? [hunk.number] : [])));
    if (!isAnythingAccepted({ accepted, hunks })) {
      back.push(change.path, ...(change.from === null ? [] : [change.from]));
    } else if (rejected.size > 0 && change.after?.kind === 'file') {
      const left = hunksOf(batch, change)?.filter(({ number }) => rejected.has(number)) ?? [];
      const content = withoutHunks(readBlob(batch, change.after.id), left);
      const { ignored } = stateAt(read, plan.proposed, change.path);
      edits.set(change.path, { path: change.path, to: { ...change.after, id: batch.add('blob', content) }, ignored });
    }
  }
  if (back.length === 0 && edits.size === 0) return plan.proposed;
  for (const path of back) asBefore(path);
  // Folders are not listed as changes if something in them is.
  const parents = new Set(back.flatMap((path) => [...foldersAbove(path)]));
  for (const path of parents) if (isGone(read, plan.proposed, path) && !isGone(read, plan.before, path)) asBefore(path);
  const selected = editSnapshot(batch, plan.proposed, [...edits.values()]);
  // New folders of which nothing remains go, too.
  const made = [...parents].filter((path) => isGone(read, plan.before, path));
  return withoutEmptied(batch, selected, made);
}

function isGone(read: FolderReader, snapshot: Snapshot, path: TreePath): boolean {
  return stateAt(read, snapshot, path).entry === null;
}
