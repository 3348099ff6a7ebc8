/** Removes paths from a snapshot and marks them as purged, so that no restore touches the existing files there. */

import type { Snapshot } from '../../model/entries.ts';
import { type Name, pathComponents, type TreePath } from '../../model/names.ts';
import type { ObjectBatch } from '../objects/object-reader.ts';
import { type FolderRef, readFolder, rootOf, snapshotOf, writeFolder } from './snapshot.ts';

interface PurgeTree {
  /** The whole path is purged, not only paths below it. */
  isPurged: boolean;
  readonly below: Map<Name, PurgeTree>;
}

/** Writes the purged snapshot into the batch. @returns the same snapshot if it contains none of the paths */
export function purgePaths(batch: ObjectBatch, snapshot: Snapshot, paths: readonly TreePath[]): Snapshot {
  const top: PurgeTree = { isPurged: false, below: new Map() };
  for (const path of paths) {
    let at = top;
    for (const name of pathComponents(path)) {
      const next = at.below.get(name) ?? { isPurged: false, below: new Map() };
      at.below.set(name, next);
      at = next;
    }
    at.isPurged = true;
  }
  const root = rootOf(snapshot);
  const left = purgeFolder(batch, root, top);
  return left === root ? snapshot : snapshotOf(left);
}

function purgeFolder(batch: ObjectBatch, folder: FolderRef, wanted: PurgeTree): FolderRef {
  const { note, entries: old } = readFolder(batch, folder);
  const entries = new Map(old);
  const skips = new Map(note.skips);
  const ignored = new Set(note.ignored);
  const unsettled = new Set(note.unsettled);
  let isSame = true;
  for (const [name, inner] of wanted.below) {
    const entry = entries.get(name);
    if (entry === undefined) continue;
    if (inner.isPurged) {
      entries.delete(name);
      ignored.delete(name);
      unsettled.delete(name);
      skips.set(name, { reason: 'purged' });
      isSame = false;
    } else if (entry.kind === 'folder') {
      const left = purgeFolder(batch, entry, inner);
      if (left !== entry) isSame = false;
      entries.set(name, left);
    }
  }
  return isSame ? folder : writeFolder(batch, { note: { ...note, skips, ignored, unsettled }, entries });
}
