/** What of a plan would be applied: the proposed files without what was rejected. */

import { createHash } from 'node:crypto';
import type { Hunk } from '../content/line-diff.ts';
import type { Pace } from '../io/pace.ts';
import type { Change } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { foldersAbove, type TreePath } from '../model/names.ts';
import type { Plan, PlanDecision } from '../model/plan.ts';
import type { ObjectBatch, ObjectReader } from '../store/objects/object-reader.ts';
import { editSnapshot, type SnapshotEdit } from '../store/snapshot/edit-snapshot.ts';
import { withoutEmptied } from '../store/snapshot/emptied-folders.ts';
import { cachedFolderReader, type FolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import { listChanges } from '../timeline/diff/changes.ts';
import { hunksOf, type NumberedHunk, withoutHunks } from '../timeline/diff/hunks.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';

/** A hunk of a proposed change, with what was decided. */
export interface PlanHunk extends NumberedHunk {
  readonly digest: string;
  readonly accepted: boolean | null;
}

/** A proposed change, with what was decided. */
export interface PlanChange {
  /** Starts at 1. */
  readonly place: number;
  readonly change: Change;
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

/**
 * @param batch receives the contents of files of which some hunks were rejected
 * @param hunks `decided`: those of changes without a decision about a hunk are not computed, and null
 */
export async function selectionOf(
  batch: ObjectBatch,
  plan: Plan,
  pace: Pace,
  hunks: 'all' | 'decided' = 'all',
): Promise<Selection> {
  const { changes } = await listChanges(batch, plan.before, plan.proposed, pace);
  const byPath = decisionsByPath(plan.decisions);
  const listed = changes.map((change, index) => ({
    place: index + 1,
    change,
    ...decided(batch, change, byPath.get(change.path) ?? [], hunks),
  }));
  const selected = selectedFiles(batch, plan, listed);
  return { changes: listed, selected, fingerprint: fingerprintOf(plan.before, selected) };
}

/** Of the change from one state of files to another. */
export function fingerprintOf(before: Snapshot, after: Snapshot): string {
  const ids = [before.files, before.side, after.files, after.side];
  return createHash('sha1').update(ids.join('\n')).digest('hex');
}

/** Identifies a hunk by its lines, wherever they are. Equal hunks of one file differ by their order. */
export function hunkDigests(hunks: readonly Hunk[]): readonly string[] {
  const seen = new Map<string, number>();
  return hunks.map(({ lines }) => {
    const hash = createHash('sha1');
    for (const line of lines) hash.update(`${line.length}:`).update(line, 'latin1');
    const digest = hash.digest('hex').slice(0, 16);
    const before = seen.get(digest) ?? 0;
    seen.set(digest, before + 1);
    return before === 0 ? digest : `${digest}.${before}`;
  });
}

/** Whether something of a change would be applied. */
export function isAnythingAccepted({ accepted, hunks }: Pick<PlanChange, 'accepted' | 'hunks'>): boolean {
  return hunks === null || hunks.length === 0 ? accepted !== false : hunks.some((hunk) => hunk.accepted !== false);
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
  change: Change,
  decisions: readonly PlanDecision[],
  wanted: 'all' | 'decided',
): Pick<PlanChange, 'accepted' | 'hunks'> {
  const whole = decisions.findLast(({ hunk }) => hunk === null)?.accepted ?? null;
  const isNeeded = wanted === 'all' || decisions.some(({ hunk }) => hunk !== null);
  const hunks = isNeeded ? hunksOf(reader, change) : null;
  if (hunks === null) return { accepted: whole, hunks: null };
  const digests = hunkDigests(hunks);
  const of = (digest: string): boolean | null =>
    decisions.findLast(({ hunk }) => hunk === null || hunk === digest)?.accepted ?? null;
  return {
    accepted: whole,
    hunks: hunks.map((hunk, index) => ({ ...hunk, digest: digests[index] ?? '', accepted: of(digests[index] ?? '') })),
  };
}

function selectedFiles(batch: ObjectBatch, plan: Plan, changes: readonly PlanChange[]): Snapshot {
  const read = cachedFolderReader(batch);
  const edits = new Map<TreePath, SnapshotEdit>();
  const asBefore = (path: TreePath): void => {
    const { entry, ignored } = stateAt(read, plan.before, path);
    edits.set(path, { path, to: entry, ignored });
  };
  const back: TreePath[] = [];
  for (const { change, accepted, hunks } of changes) {
    const rejected = hunks?.filter((hunk) => hunk.accepted === false) ?? [];
    if (!isAnythingAccepted({ accepted, hunks })) {
      back.push(change.path, ...(change.from === null ? [] : [change.from]));
    } else if (rejected.length > 0 && change.after?.kind === 'file') {
      const content = withoutHunks(readBlob(batch, change.after.id), rejected);
      const { ignored } = stateAt(read, plan.proposed, change.path);
      edits.set(change.path, { path: change.path, to: { ...change.after, id: batch.add('blob', content) }, ignored });
    }
  }
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
