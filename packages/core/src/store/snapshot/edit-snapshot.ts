/** Changes some paths of a snapshot and rewrites only the folders on the way to them. */
import type { Entry, FileEntry, LinkEntry, Snapshot } from '../../model/entries.ts';
import { type Name, pathComponents, type TreePath } from '../../model/names.ts';
import type { ObjectBatch } from '../objects/object-reader.ts';
import { ALL_OTHERS, PLAIN_NOTE } from './side.ts';
import { type FolderRef, readFolder, rootOf, snapshotOf, writeFolder } from './snapshot.ts';

export interface SnapshotEdit {
  readonly path: TreePath;
  readonly to: Entry | null;
  /** An ignore rule covers the path. */
  readonly ignored: boolean;
}

interface EditTree {
  edit: SnapshotEdit | null;
  readonly below: Map<Name, EditTree>;
}

/** Writes the edited snapshot into the batch; `snapshot` itself remains unchanged. */
export function editSnapshot(batch: ObjectBatch, snapshot: Snapshot, edits: readonly SnapshotEdit[]): Snapshot {
  if (edits.length === 0) return snapshot;
  const root: EditTree = { edit: null, below: new Map() };
  for (const edit of edits) {
    let at = root;
    for (const name of pathComponents(edit.path)) {
      let next = at.below.get(name);
      if (next === undefined) {
        next = { edit: null, below: new Map() };
        at.below.set(name, next);
      }
      at = next;
    }
    at.edit = edit;
  }
  return snapshotOf(editFolder(batch, rootOf(snapshot), root));
}

function editFolder(batch: ObjectBatch, folder: FolderRef | null, tree: EditTree): FolderRef {
  const old =
    folder === null
      ? { note: PLAIN_NOTE, entries: new Map<Name, FileEntry | LinkEntry | FolderRef>() }
      : readFolder(batch, folder);
  const entries = new Map(old.entries);
  const ignored = new Set(old.note.ignored);
  const unsettled = new Set(old.note.unsettled);
  const skips = new Map(old.note.skips);
  const absent = new Set(old.note.absent);
  for (const [name, child] of tree.below) {
    const before = entries.get(name);
    const isFolder = before?.kind === 'folder';
    const { edit } = child;
    unsettled.delete(name);
    if (edit !== null) {
      ignored.delete(name);
      if (edit.to === null) {
        entries.delete(name);
        // Elsewhere, a name without an entry is absent anyway.
        if (skips.has(ALL_OTHERS)) absent.add(name);
      } else {
        skips.delete(name);
        absent.delete(name);
        if (edit.ignored) ignored.add(name);
        if (edit.to.kind !== 'folder') entries.set(name, edit.to);
      }
    }
    const staysFolder = edit === null ? isFolder || child.below.size > 0 : edit.to?.kind === 'folder';
    if (staysFolder) entries.set(name, editFolder(batch, isFolder ? before : null, child));
  }
  const mode = tree.edit?.to?.kind === 'folder' ? tree.edit.to.mode : old.note.mode;
  return writeFolder(batch, { note: { mode, skips, ignored, unsettled, absent }, entries });
}
