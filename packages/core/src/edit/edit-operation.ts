/**
 * Turns a prepared request into an operation. The request is prepared without the lock, so its files may have changed
 * since. A capture under the lock is compared with the files that the preparation read. On a difference, the request is
 * prepared once more. Any difference after that is a conflict. So the result is the same as if the request had been
 * prepared under the lock.
 */

import { showName } from '../content/show-name.ts';
import type { Actor } from '../model/checkpoint.ts';
import { type Entry, sameEntry } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import { parentPath, type TreePath } from '../model/names.ts';
import { addUncaptured, type ChangeSet, ChangeSetDraft } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import { cachedFolderReader, type FolderReader } from '../store/snapshot/snapshot.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { BackupLocation } from '../transaction/backups.ts';
import { modeOfNewFolder } from './new-modes.ts';
import type { PreparedFile } from './prepare-edits.ts';
import type { ExistingFile } from './targets.ts';

export interface EditInfo {
  readonly actor: Actor;
  /** In the caller's words. Null: generate one from the changes. */
  readonly description: string | null;
  /** Of this process. */
  readonly umask: number;
}

/** A prepared request, and how to prepare it again under the lock. */
export interface EditRequest {
  readonly files: readonly PreparedFile[];
  /** @throws SavepointError EDITS_REFUSED, CONFLICT */
  prepareAgain(): Promise<readonly PreparedFile[]>;
}

/** The operation, with the files as they were finally prepared. */
export interface EditOperation extends Operation {
  files(): readonly PreparedFile[];
}

export function editOperation(request: EditRequest, info: EditInfo, backups: BackupLocation): EditOperation {
  const requestedPaths = new Set<TreePath>();
  let { files } = request;
  let isSecond = false;
  const withDescription = (plan: ChangeSet): ChangeSet => ({
    ...plan,
    description: info.description ?? describeEdits(files),
  });
  return {
    files: () => files,
    info: {
      ...checkpointInfo('edit', info.actor),
      description: info.description ?? describeEdits(files),
    },
    backups,
    isVerbatim: true,
    plan: async (current) => {
      const plan = planEdits(files, current, requestedPaths, info.umask);
      if (isSecond || (plan.conflicts.length === 0 && plan.refused.length === 0)) return withDescription(plan);
      isSecond = true;
      files = await request.prepareAgain();
      return withDescription(planEdits(files, current, requestedPaths, info.umask));
    },
  };
}

/** The folder as the plan of an edit needs it. */
export type StateToEdit = Pick<CurrentState, 'snapshot' | 'objects'>;

/**
 * What the prepared files change.
 * @param requestedPaths paths whose capture was already requested; if they are still not captured, they do not exist
 */
export function planEdits(
  files: readonly PreparedFile[],
  current: StateToEdit,
  requestedPaths: Set<TreePath>,
  umask: number,
): ChangeSet {
  const draft = new ChangeSetDraft();
  const read = cachedFolderReader(current.objects);
  const coming = new Map<TreePath, Entry>();
  const leaving = new Map<TreePath, ExistingFile | null>();
  for (const { path, before, after } of files) {
    leaving.set(path, before);
    if (after === null) continue;
    coming.set(after.path, entryOf(before, after, current, draft.contents));
    if (after.path !== path) draft.moves.push({ from: path, to: after.path });
  }
  for (const path of new Set([...leaving.keys(), ...coming.keys()])) {
    const { entry, skip, ignored } = stateAt(read, current.snapshot, path);
    const expected = leaving.get(path) ?? null;
    if (skip !== null && (expected !== null || !requestedPaths.has(path))) {
      requestedPaths.add(path);
      addUncaptured(draft, path, skip);
      continue;
    }
    if (!sameEntry(entry, entryOfFile(expected))) {
      draft.conflicts.push({ path, why: 'it changed while the edit was prepared' });
      continue;
    }
    const to = coming.get(path) ?? null;
    if (sameEntry(entry, to)) continue;
    // Adding the content compares it with the stored object and rewrites a damaged one, because the file is about to be
    // replaced.
    if (expected !== null) draft.contents.set(current.objects.add('blob', expected.content), expected.content);
    draft.change(path, entry, to, ignored);
  }
  addMissingFolders(read, draft, current, umask);
  return draft.finish();
}

/** Adds the missing parent folders of new files. */
function addMissingFolders(read: FolderReader, draft: ChangeSetDraft, { snapshot }: StateToEdit, umask: number): void {
  const planned = new Set(draft.paths.map(({ path }) => path));
  for (const { path: coming, to } of [...draft.paths]) {
    if (to === null) continue;
    const missing: TreePath[] = [];
    let above = parentPath(coming);
    for (; above !== '' && !planned.has(above); above = parentPath(above)) {
      if (stateAt(read, snapshot, above).entry !== null) break;
      missing.push(above);
      planned.add(above);
    }
    const nearest = stateAt(read, snapshot, above).entry;
    const mode = modeOfNewFolder(nearest?.kind === 'folder' ? nearest.mode : 0o755, umask);
    for (const path of missing) draft.change(path, null, { kind: 'folder', mode }, false);
  }
}

function entryOf(
  before: ExistingFile | null,
  after: NonNullable<PreparedFile['after']>,
  { objects }: StateToEdit,
  contents: Map<ObjectId, Buffer>,
): Entry {
  const id = objects.add('blob', after.content);
  contents.set(id, after.content);
  return before?.kind === 'link' ? { kind: 'link', id } : { kind: 'file', id, mode: after.mode };
}

function entryOfFile(found: ExistingFile | null): Entry | null {
  if (found === null) return null;
  return found.kind === 'link' ? { kind: 'link', id: found.id } : { kind: 'file', id: found.id, mode: found.mode };
}

/** `Edit src/a.ts (+3 −1)`, or the first few of many files. */
function describeEdits(files: readonly PreparedFile[]): string {
  const parts = files.slice(0, 3).map(({ path, before, after, statuses }) => {
    const name = showName(path);
    if (after === null) return `${name} (deleted)`;
    if (after.path !== path) return `${name} → ${showName(after.path)}`;
    let added = 0;
    let removed = 0;
    for (const status of statuses) {
      added += status.added ?? 0;
      removed += status.removed ?? 0;
    }
    return `${name} (${before === null ? 'new, ' : ''}+${added} −${removed})`;
  });
  const [first = ''] = parts;
  if (files.length === 1) return `Edit ${first}`;
  return `Edit ${files.length} files: ${parts.join(', ')}${files.length > parts.length ? ', …' : ''}`;
}
