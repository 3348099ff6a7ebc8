/**
 * A prepared request as an act. It was prepared without the lock, so what it was computed from may be gone: what a capture
 * under the lock finds is compared with it, and where they differ the request is prepared once more. From then on a
 * difference is a conflict. So the answer is that of a request which is prepared under the lock alone.
 */

import { showName } from '../content/show-name.ts';
import type { Actor } from '../model/checkpoint.ts';
import { type Entry, sameEntry } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import { parentPath, type TreePath } from '../model/names.ts';
import { type ChangeSet, ChangeSetDraft, unsaved } from '../operation/change-set.ts';
import type { Operation, Today } from '../operation/operation.ts';
import { type FolderReader, rememberFolders } from '../store/snapshot/snapshot.ts';
import { plainTelling } from '../timeline/capture/capture.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { BackupPlace } from '../transaction/backups.ts';
import type { PreparedFile } from './prepare-edits.ts';
import type { FoundFile } from './targets.ts';

export interface EditTelling {
  readonly actor: Actor;
  /** In the caller's words; null for one made of what happens. */
  readonly description: string | null;
}

/** A request that was prepared, and how it is prepared once more, under the lock. */
export interface Request {
  readonly files: readonly PreparedFile[];
  /** @throws SavepointError EDITS_REFUSED, CONFLICT */
  again(): Promise<readonly PreparedFile[]>;
}

/** What is carried out in the end. */
export interface EditOperation extends Operation {
  files(): readonly PreparedFile[];
}

export function editOperation(request: Request, telling: EditTelling, backups: BackupPlace): EditOperation {
  const asked = new Set<TreePath>();
  let { files } = request;
  let isSecond = false;
  const described = (plan: ChangeSet): ChangeSet => ({
    ...plan,
    description: telling.description ?? describeEdits(files),
  });
  return {
    files: () => files,
    telling: {
      ...plainTelling('edit', telling.actor),
      description: telling.description ?? describeEdits(files),
    },
    backups,
    plan: async (today) => {
      const plan = planEdits(files, today, asked);
      if (isSecond || (plan.conflicts.length === 0 && plan.refused.length === 0)) return described(plan);
      isSecond = true;
      files = await request.again();
      return described(planEdits(files, today, asked));
    },
  };
}

/** @param asked paths that a capture was asked for already: what is not there then is not there at all */
function planEdits(files: readonly PreparedFile[], today: Today, asked: Set<TreePath>): ChangeSet {
  const draft = new ChangeSetDraft();
  const read = rememberFolders(today.objects);
  const coming = new Map<TreePath, Entry>();
  const leaving = new Map<TreePath, FoundFile | null>();
  for (const { path, before, after } of files) {
    leaving.set(path, before);
    if (after === null) continue;
    coming.set(after.path, entryOf(before, after, today, draft.contents));
    if (after.path !== path) draft.moves.push({ from: path, to: after.path });
  }
  for (const path of new Set([...leaving.keys(), ...coming.keys()])) {
    const { entry, skip, ignored } = stateAt(read, today.snapshot, path);
    const expected = leaving.get(path) ?? null;
    if (skip !== null && (expected !== null || !asked.has(path))) {
      asked.add(path);
      unsaved(draft, path, skip);
      continue;
    }
    if (!sameEntry(entry, foundEntry(expected))) {
      draft.conflicts.push({ path, why: 'it changed while the edit was prepared' });
      continue;
    }
    const to = coming.get(path) ?? null;
    if (sameEntry(entry, to)) continue;
    // Compared with what the store has of it, and written anew where that is damaged: it is about to be replaced.
    if (expected !== null) draft.contents.set(today.objects.add('blob', expected.content), expected.content);
    draft.change(path, entry, to, ignored);
  }
  bringFolders(read, draft, today);
  return draft.finish();
}

/** New files need their folders; those are made like the folder that they are made in. */
function bringFolders(read: FolderReader, draft: ChangeSetDraft, { snapshot }: Today): void {
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
    const mode = nearest?.kind === 'folder' ? nearest.mode | 0o700 : 0o755;
    for (const path of missing) draft.change(path, null, { kind: 'folder', mode }, false);
  }
}

function entryOf(
  before: FoundFile | null,
  after: NonNullable<PreparedFile['after']>,
  { objects }: Today,
  contents: Map<ObjectId, Buffer>,
): Entry {
  const id = objects.add('blob', after.content);
  contents.set(id, after.content);
  return before?.kind === 'link' ? { kind: 'link', id } : { kind: 'file', id, mode: after.mode };
}

function foundEntry(found: FoundFile | null): Entry | null {
  if (found === null) return null;
  return found.kind === 'link' ? { kind: 'link', id: found.id } : { kind: 'file', id: found.id, mode: found.mode };
}

/** `Edit src/a.ts (+3 −1)`, or the first few of many. */
function describeEdits(files: readonly PreparedFile[]): string {
  const told = files.slice(0, 3).map(({ path, before, after, statuses }) => {
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
  const [first = ''] = told;
  if (files.length === 1) return `Edit ${first}`;
  return `Edit ${files.length} files: ${told.join(', ')}${files.length > told.length ? ', …' : ''}`;
}
