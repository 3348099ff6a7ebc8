/** Translates what a copy's folder contains into what it means in the workspace. */

import type { Pace } from '../../io/pace.ts';
import type { Entry, FileEntry, LinkEntry, Snapshot } from '../../model/entries.ts';
import type { DiskPath } from '../../model/names.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import { editSnapshot, type SnapshotEdit } from '../../store/snapshot/edit-snapshot.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';
import { linkTargetInWorkspace } from './link-targets.ts';

export interface CopyFolders {
  /** The folder of the workspace. */
  readonly root: DiskPath;
  /** The folder of the workspace when the copy was made. */
  readonly rootThen: DiskPath;
  /** The folder of the copy. */
  readonly files: DiskPath;
}

/** Setuid and setgid, which a copy of a file does not have. */
const SET_ID = 0o6000;

/**
 * Absolute links into the copy are links into the workspace, and the setuid and setgid bits that a copy does not get are
 * not a change.
 */
export async function asInWorkspace(
  batch: ObjectBatch,
  base: Snapshot,
  found: Snapshot,
  folders: CopyFolders,
  pace: Pace,
): Promise<Snapshot> {
  const edits: SnapshotEdit[] = [];
  for (const { path, before, after } of differences(batch, base, found)) {
    if (pace.isDue()) await pace.yieldNow();
    const to = entryInWorkspace(batch, before.entry, after.entry, folders);
    if (to !== null) edits.push({ path, to, ignored: after.ignored });
  }
  return editSnapshot(batch, found, edits);
}

/** @returns null if it is the same there */
function entryInWorkspace(
  batch: ObjectBatch,
  before: Entry | null,
  after: Entry | null,
  folders: CopyFolders,
): FileEntry | LinkEntry | null {
  if (after?.kind === 'link') {
    const target = readBlob(batch, after.id).toString('latin1');
    const meant = linkTargetInWorkspace(target, folders.root, folders.files);
    if (meant === target) return null;
    // If the workspace was moved since, such a link of the base still leads to where it was.
    const meantThen = linkTargetInWorkspace(target, folders.rootThen, folders.files);
    if (before?.kind === 'link' && readBlob(batch, before.id).toString('latin1') === meantThen) return before;
    return { kind: 'link', id: batch.add('blob', Buffer.from(meant, 'latin1')) };
  }
  if (after?.kind !== 'file' || before?.kind !== 'file') return null;
  const isOnlySetId = before.mode !== after.mode && (before.mode & ~SET_ID) === after.mode;
  return isOnlySetId ? { ...after, mode: before.mode } : null;
}
