/** Removes folders of a snapshot that are left without anything in them. */

import type { Snapshot } from '../../model/entries.ts';
import { pathComponents, type TreePath } from '../../model/names.ts';
import type { ObjectBatch } from '../objects/object-reader.ts';
import { editSnapshot } from './edit-snapshot.ts';
import { cachedFolderReader, type FolderReader, rootOf } from './snapshot.ts';

/** @param folders those that may be empty; others stay */
export function withoutEmptied(batch: ObjectBatch, snapshot: Snapshot, folders: Iterable<TreePath>): Snapshot {
  const read = cachedFolderReader(batch);
  let result = snapshot;
  // The deepest first: a folder may be empty only then.
  for (const path of [...folders].sort((a, b) => b.length - a.length)) {
    if (!isEmptyFolder(read, result, path)) continue;
    result = editSnapshot(batch, result, [{ path, to: null, ignored: false }]);
  }
  return result;
}

/** Also without anything that was not captured. */
function isEmptyFolder(read: FolderReader, snapshot: Snapshot, path: TreePath): boolean {
  let folder = read(rootOf(snapshot));
  for (const name of pathComponents(path)) {
    const next = folder.entries.get(name);
    if (next?.kind !== 'folder') return false;
    folder = read(next);
  }
  return folder.entries.size === 0 && folder.note.skips.size === 0;
}
