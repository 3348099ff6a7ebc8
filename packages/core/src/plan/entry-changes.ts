/** Changes between a commit and something else, as states of the workspace. */

import { applyPlan } from '../copy/apply-copy.ts';
import type { GitObjects } from '../git/objects.ts';
import type { CommittedEntry } from '../git/tree-diff.ts';
import type { Pace } from '../io/pace.ts';
import type { Entry, Snapshot } from '../model/entries.ts';
import { foldersAbove, parentPath, type TreePath } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { CurrentState } from '../operation/operation.ts';
import { NO_CHOICES } from '../rewind/conflict-choices.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { editSnapshot, type SnapshotEdit } from '../store/snapshot/edit-snapshot.ts';
import { withoutEmptied } from '../store/snapshot/emptied-folders.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';

/** A path of the workspace, before and after. */
export interface EntryChange {
  readonly path: TreePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** Brings the changes into the current files. */
export async function bringEntries(
  workspace: Workspace,
  changes: readonly EntryChange[],
  current: CurrentState,
  pace: Pace,
): Promise<ChangeSet> {
  const base = withEntries(current, changes, 'before');
  const proposed = withEntries(current, changes, 'after');
  return (await applyPlan(workspace, { base, proposed, paths: [], choices: NO_CHOICES }, current, pace)).plan;
}

/** @param bits permissions of a file */
export function committedEntry(
  batch: ObjectBatch,
  objects: GitObjects,
  { mode, id }: CommittedEntry,
  bits: number,
): Entry {
  const { data } = objects.readerFor(id).read(id);
  const stored = batch.add('blob', data);
  return mode === LINK ? { kind: 'link', id: stored } : { kind: 'file', id: stored, mode: bits };
}

/** The permissions of a file that is executable, or not, as in a commit. */
export function withExecutable(mode: number, committed: number): number {
  return (committed & 0o100) === 0 ? mode & ~0o111 : mode | ((mode & 0o444) >> 2);
}

/** Why a committed entry cannot be planned: the end of a sentence. Null: it can. */
export function problemOfCommitted(objects: GitObjects, { mode, id }: CommittedEntry): string | null {
  if (mode === SUBMODULE) return 'is a submodule';
  const info = objects.has(id) ? objects.readerFor(id).info(id) : null;
  if (info?.type !== 'blob') return 'is not in the repository (a partial clone?)';
  return info.size > MAX_BYTES ? 'is too large' : null;
}

export const MAX_BYTES = 256 * 1024 * 1024;

const LINK = 0o120000;
const SUBMODULE = 0o160000;

/** The current files with one side of the changes. */
function withEntries(
  { objects, snapshot }: CurrentState,
  changes: readonly EntryChange[],
  side: 'before' | 'after',
): Snapshot {
  const read = cachedFolderReader(objects);
  const parents = new Set<TreePath>();
  for (const { path, ...sides } of changes) {
    if (sides[side] === null) continue;
    for (const at of foldersAbove(path)) parents.add(at);
  }
  const edits: SnapshotEdit[] = [];
  const left = new Set<TreePath>();
  for (const { path, ...sides } of changes) {
    const { entry: now, ignored } = stateAt(read, snapshot, path);
    const to = sides[side];
    if (to !== null) edits.push({ path, to, ignored: now !== null && ignored });
    else if (now !== null && now.kind !== 'folder') {
      edits.push({ path, to: parents.has(path) ? { kind: 'folder', mode: 0o755 } : null, ignored });
      for (let at = parentPath(path); at !== '' && !parents.has(at); at = parentPath(at)) left.add(at);
    }
  }
  // git keeps no empty folders: one whose last file goes, goes too.
  return withoutEmptied(objects, editSnapshot(objects, snapshot, edits), left);
}
