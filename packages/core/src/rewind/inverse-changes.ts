/**
 * Undo and redo: taking one act's changes back, on top of whatever came since. Three states of each path meet: the one
 * before the act, the one after it, and today's. What changed since is kept; where that cannot be, it is a conflict.
 */

import type { Pace } from '../io/pace.ts';
import type { Entry, Snapshot } from '../model/entries.ts';
import { sameEntry } from '../model/entries.ts';
import { isWithin, parentPath, type TreePath } from '../model/names.ts';
import { type ChangeSet, ChangeSetDraft, unsaved } from '../operation/change-set.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { type FolderReader, rememberFolders } from '../store/snapshot/snapshot.ts';
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
  readonly ofOneAct: boolean;
  /** Why a path that would be removed must stay, or null. */
  readonly keep: (difference: PathDifference) => string | null;
  /** Only these paths and what is below them. */
  readonly within: readonly TreePath[];
}

export async function inverseChanges(input: InverseInput, pace: Pace): Promise<ChangeSet> {
  const draft = new ChangeSetDraft();
  const removals: Removal[] = [];
  const read = rememberFolders(input.objects);
  for (const difference of differences(input.objects, input.after, input.before)) {
    if (pace.due()) await pace.breathe();
    const { path, before: left, after: found } = difference;
    // What an act replaces it saves first, so a path that it made and that was skipped before was not there.
    const wasAbsent = input.ofOneAct && found.skip !== null && left.entry !== null;
    if (left.skip !== null || (found.skip !== null && !wasAbsent)) continue; // nobody touched it
    if (!input.within.some((folder) => isWithin(path, folder))) continue;
    const today = stateAt(read, input.now, path);
    if (sameEntry(today.entry, found.entry) && today.skip === null) continue;
    if (today.skip !== null) {
      unsaved(draft, path, today.skip);
    } else if (sameEntry(today.entry, left.entry)) {
      takeBack(draft, removals, difference, input.keep);
    } else {
      reconcile(input.objects, draft, difference, today.entry);
    }
  }
  planRemovals(input.objects, input.now, input.own, removals, draft);
  bringFolders(read, input, draft);
  return draft.finish();
}

/** What comes back needs the folders above it, also those that somebody removed since. */
function bringFolders(read: FolderReader, { before: found, now }: InverseInput, draft: ChangeSetDraft): void {
  const planned = new Set(draft.paths.map(({ path }) => path));
  for (const { path: coming, to } of [...draft.paths]) {
    if (to === null) continue;
    for (let path = parentPath(coming); path !== '' && !planned.has(path); path = parentPath(path)) {
      const today = stateAt(read, now, path);
      if (today.entry?.kind === 'folder') break;
      planned.add(path);
      const folder = stateAt(read, found, path);
      if (today.entry === null && today.skip === null && folder.entry !== null) {
        draft.change(path, null, folder.entry, folder.ignored);
      } else {
        draft.conflicts.push({ path, why: `a ${today.entry?.kind ?? 'path'} is now where a folder is needed` });
      }
    }
  }
}

/** Nothing happened to the path since the act. */
function takeBack(
  draft: ChangeSetDraft,
  removals: Removal[],
  difference: PathDifference,
  keep: InverseInput['keep'],
): void {
  const { path, before: left, after: found } = difference;
  const from = left.entry;
  const to = found.entry;
  if (from !== null && (to === null || (from.kind === 'folder' && to.kind !== 'folder'))) {
    removals.push({ path, entry: from, to, ignored: found.ignored, keep: to === null ? keep(difference) : null });
  } else {
    draft.change(path, from, to, found.ignored);
  }
}

/** The path is neither as the act left it nor as the act found it: both the act and someone since changed it. */
function reconcile(
  objects: ObjectBatch,
  draft: ChangeSetDraft,
  { path, before: left, after: found }: PathDifference,
  today: Entry | null,
): void {
  const base = left.entry;
  const theirs = found.entry;
  if (today?.kind === 'folder' && theirs?.kind === 'folder') {
    if (base?.kind !== 'folder' || base.mode !== today.mode) return; // its permissions were changed since
    draft.change(path, today, theirs, found.ignored);
    return;
  }
  if (today?.kind === 'file' && theirs?.kind === 'file' && base?.kind === 'file') {
    const { entry, sides } = mergeFiles(objects, base, today, theirs, null);
    if (sides !== null) draft.conflicts.push({ path, why: 'the same lines were changed since', sides });
    else if (!sameEntry(entry, today)) draft.change(path, today, entry, found.ignored, true);
    return;
  }
  const what = today === null ? 'removed' : base === null ? 'created' : 'changed';
  draft.conflicts.push({ path, why: `it was ${what} since`, sides: threeSides(base, today, theirs) });
}
