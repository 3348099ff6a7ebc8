/**
 * Undo and redo: reverts the changes of one operation and keeps later changes. Each path has three states: before the
 * operation, after it, and now. Later changes are merged. If they cannot be merged, the path is a conflict.
 */

import type { Pace } from '../io/pace.ts';
import type { Entry, Snapshot } from '../model/entries.ts';
import { sameEntry } from '../model/entries.ts';
import { isWithin, parentPath, type TreePath } from '../model/names.ts';
import { addUncaptured, type ChangeSet, ChangeSetDraft, type PathConflict } from '../operation/change-set.ts';
import type { PathStates, PresentEntries } from '../operation/own-entries.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { cachedFolderReader, type FolderReader } from '../store/snapshot/snapshot.ts';
import { differences, type PathDifference, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { conflictReason, haveOtherModes, mergeFiles, threeSides } from './merge-entry.ts';
import { keepOfAnotherRoot, planRemovals, type Removal } from './removal.ts';

export interface InverseInput {
  /** Receives the merged contents. */
  readonly objects: ObjectBatch;
  /** The states before and after the operation. */
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly now: Snapshot;
  readonly own: OwnPaths;
  /** Our entries in files of the user, which are not merged; null: there are none. */
  readonly entries: PresentEntries | null;
  /** Whether a single operation turned `before` into `after`. */
  readonly isOneOperation: boolean;
  /** To undo is to keep what was changed since. In a merge, both sides count the same, in permissions as well. */
  readonly isMerge?: boolean;
  /** What the lines that come are, for the text of a conflict. Default: `the lines to bring back`. */
  readonly theirLines?: string;
  /** Returns why a path that would be removed must stay, or null. */
  readonly reasonToKeep: (difference: PathDifference) => string | null;
  /** Only these paths and everything below them. */
  readonly within: readonly TreePath[];
  /** Roots inside `within` that stay as they are. */
  readonly except: readonly TreePath[];
}

export async function inverseChanges(input: InverseInput, pace: Pace): Promise<ChangeSet> {
  const draft = new ChangeSetDraft();
  const removals: Removal[] = [];
  const read = cachedFolderReader(input.objects);
  for (const difference of differences(input.objects, input.after, input.before)) {
    if (pace.isDue()) await pace.yieldNow();
    const { path, before: left, after: found } = difference;
    // An operation captures a file before replacing it. So if the path was skipped before, the operation created it.
    const wasAbsent = input.isOneOperation && found.skip !== null && left.entry !== null;
    if (left.skip !== null || (found.skip !== null && !wasAbsent)) continue; // not changed by the operation
    if (!input.within.some((folder) => isWithin(path, folder))) continue;
    const current = stateAt(read, input.now, path);
    if (input.except.some((root) => isWithin(path, root))) {
      if (current.entry !== null && found.entry === null) keepOfAnotherRoot(path, current.entry, removals);
      continue;
    }
    if (current.skip === null) await revertDifference(input, draft, removals, difference, current.entry);
    else addUncaptured(draft, path, current.skip);
  }
  planRemovals(input.objects, input.now, input.own, removals, draft);
  addMissingFolders(read, input, draft);
  return draft.finish();
}

/** Adds the parent folders of the files that come back, including folders removed since. */
function addMissingFolders(read: FolderReader, { before: found, now }: InverseInput, draft: ChangeSetDraft): void {
  const planned = new Set(draft.paths.map(({ path }) => path));
  for (const { path: coming, to } of [...draft.paths]) {
    if (to === null) continue;
    for (let path = parentPath(coming); path !== '' && !planned.has(path); path = parentPath(path)) {
      const current = stateAt(read, now, path);
      if (current.entry?.kind === 'folder') break;
      planned.add(path);
      const folder = stateAt(read, found, path);
      if (current.entry === null && current.skip === null && folder.entry !== null) {
        draft.change(path, null, folder.entry, folder.ignored);
      } else {
        draft.conflicts.push({ path, why: `a ${current.entry?.kind ?? 'path'} is now where a folder is needed` });
      }
    }
  }
}

async function revertDifference(
  { objects, entries, reasonToKeep, isMerge = false, theirLines }: InverseInput,
  draft: ChangeSetDraft,
  removals: Removal[],
  difference: PathDifference,
  current: Entry | null,
): Promise<void> {
  const { path, before, after } = difference;
  const full: PathStates = { left: before.entry, found: after.entry, current };
  const isLeftOut = (await entries?.isLeftOut(path, full)) === true;
  const states = isLeftOut ? (entries?.withoutEntries(path, full) ?? full) : full;
  if (sameEntry(states.current, states.found)) {
    // Without our entries, it already is in that state. They are put into it later.
    if (isLeftOut) revertPath(draft, removals, difference, { ...full, left: current }, reasonToKeep);
    return;
  }
  if (sameEntry(states.current, states.left)) {
    revertPath(draft, removals, difference, states, reasonToKeep);
    return;
  }
  if (isMerge && haveOtherModes(states.left, states.current, states.found)) {
    const sides = threeSides(states.left, states.current, states.found);
    draft.conflicts.push({ path: difference.path, why: 'its permissions were changed since', sides });
    return;
  }
  const conflict = mergePath(objects, draft, difference, states, theirLines);
  if (conflict === null) return;
  const hasMore = !isLeftOut && entries?.mayBeIn(path) === true;
  const isSolved =
    hasMore && mergePath(objects, draft, difference, entries.withoutEntries(path, full), theirLines) === null;
  if (!isSolved) draft.conflicts.push(conflict);
}

/** Handles a path that has not changed since the operation. */
function revertPath(
  draft: ChangeSetDraft,
  removals: Removal[],
  difference: PathDifference,
  { left: from, found: to }: PathStates,
  reasonToKeep: InverseInput['reasonToKeep'],
): void {
  const { path, after: found } = difference;
  if (from !== null && (to === null || (from.kind === 'folder' && to.kind !== 'folder'))) {
    removals.push({
      path,
      entry: from,
      to,
      ignored: found.ignored,
      reasonToKeep: to === null ? reasonToKeep(difference) : null,
    });
  } else {
    draft.change(path, from, to, found.ignored);
  }
}

/** Handles a path that was changed by the operation and again after it. @returns the conflict if they do not merge */
function mergePath(
  objects: ObjectBatch,
  draft: ChangeSetDraft,
  { path, after }: PathDifference,
  { left: base, found: theirs, current }: PathStates,
  theirLines?: string,
): PathConflict | null {
  if (sameEntry(current, theirs) || sameEntry(base, theirs)) return null; // without our entries, nothing is left to do
  if (current?.kind === 'folder' && theirs?.kind === 'folder') return null; // its permissions were changed since
  if (current?.kind === 'file' && theirs?.kind === 'file' && base?.kind === 'file') {
    const { entry, sides, lines } = mergeFiles(objects, { base, ours: current, theirs }, null, theirLines);
    if (sides !== null) return { path, why: conflictReason(lines), sides, ...(lines === undefined ? {} : { lines }) };
    if (!sameEntry(entry, current)) draft.change(path, current, entry, after.ignored, true);
    return null;
  }
  const what = current === null ? 'removed' : base === null ? 'created' : 'changed';
  return { path, why: `it was ${what} since`, sides: threeSides(base, current, theirs) };
}
