/**
 * Undo and redo: taking one act's changes back, on top of whatever came since. Three states of each path meet: the one
 * before the act, the one after it, and today's. What changed since is kept; where that cannot be, it is a conflict.
 */

import type { Pace } from '../io/pace.ts';
import type { Entry, Snapshot } from '../model/entries.ts';
import { sameEntry } from '../model/entries.ts';
import { isWithin, parentPath, type TreePath } from '../model/names.ts';
import { addUncaptured, type ChangeSet, ChangeSetDraft } from '../operation/change-set.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { cachedFolderReader, type FolderReader } from '../store/snapshot/snapshot.ts';
import { differences, type PathDifference, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { mergeFiles, threeSides } from './merge-entry.ts';
import { planRemovals, type Removal } from './removal.ts';

export interface InverseInput {
  /** Merged contents are added to it. */
  readonly objects: ObjectBatch;
  /** The state that the act found, and the one it left. */
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly now: Snapshot;
  readonly own: OwnPaths;
  /** `after` was made of `before` by one act. */
  readonly isOneOperation: boolean;
  /** Why a path that would be removed must stay, or null. */
  readonly reasonToKeep: (difference: PathDifference) => string | null;
  /** Only these paths and what is below them. */
  readonly within: readonly TreePath[];
}

export async function inverseChanges(input: InverseInput, pace: Pace): Promise<ChangeSet> {
  const draft = new ChangeSetDraft();
  const removals: Removal[] = [];
  const read = cachedFolderReader(input.objects);
  for (const difference of differences(input.objects, input.after, input.before)) {
    if (pace.isDue()) await pace.yieldNow();
    const { path, before: left, after: found } = difference;
    // What an act replaces it saves first, so a path that it made and that was skipped before was not there.
    const wasAbsent = input.isOneOperation && found.skip !== null && left.entry !== null;
    if (left.skip !== null || (found.skip !== null && !wasAbsent)) continue; // nobody touched it
    if (!input.within.some((folder) => isWithin(path, folder))) continue;
    const current = stateAt(read, input.now, path);
    if (sameEntry(current.entry, found.entry) && current.skip === null) continue;
    if (current.skip !== null) {
      addUncaptured(draft, path, current.skip);
    } else if (sameEntry(current.entry, left.entry)) {
      revertPath(draft, removals, difference, input.reasonToKeep);
    } else {
      mergePath(input.objects, draft, difference, current.entry);
    }
  }
  planRemovals(input.objects, input.now, input.own, removals, draft);
  addMissingFolders(read, input, draft);
  return draft.finish();
}

/** What comes back needs the folders above it, also those that somebody removed since. */
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

/** Nothing happened to the path since the act. */
function revertPath(
  draft: ChangeSetDraft,
  removals: Removal[],
  difference: PathDifference,
  reasonToKeep: InverseInput['reasonToKeep'],
): void {
  const { path, before: left, after: found } = difference;
  const from = left.entry;
  const to = found.entry;
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

/** The path is neither as the act left it nor as the act found it: both the act and someone since changed it. */
function mergePath(
  objects: ObjectBatch,
  draft: ChangeSetDraft,
  { path, before: left, after: found }: PathDifference,
  current: Entry | null,
): void {
  const base = left.entry;
  const theirs = found.entry;
  if (current?.kind === 'folder' && theirs?.kind === 'folder') {
    if (base?.kind !== 'folder' || base.mode !== current.mode) return; // its permissions were changed since
    draft.change(path, current, theirs, found.ignored);
    return;
  }
  if (current?.kind === 'file' && theirs?.kind === 'file' && base?.kind === 'file') {
    const { entry, sides } = mergeFiles(objects, base, current, theirs, null);
    if (sides !== null) draft.conflicts.push({ path, why: 'the same lines were changed since', sides });
    else if (!sameEntry(entry, current)) draft.change(path, current, entry, found.ignored, true);
    return;
  }
  const what = current === null ? 'removed' : base === null ? 'created' : 'changed';
  draft.conflicts.push({ path, why: `it was ${what} since`, sides: threeSides(base, current, theirs) });
}
