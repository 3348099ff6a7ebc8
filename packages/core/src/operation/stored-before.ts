/** Checks that what an operation replaces or removes is readable in the store, so that the operation can be undone. */

import type { Pace } from '../io/pace.ts';
import type { Snapshot } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import { parentPath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { ChangeSet } from './change-set.ts';

/**
 * Reads the contents on one side of the plan, and the folders on the way to them.
 * @param before the state before the operation
 * @throws SavepointError STORE_DAMAGED
 */
export async function assertStored(
  objects: ObjectReader,
  before: Snapshot,
  { paths }: Pick<ChangeSet, 'paths'>,
  pace: Pace,
): Promise<void> {
  const readFolder = cachedFolderReader(objects);
  const seen = new Set<ObjectId>();
  for (const { path, from } of paths) {
    if (pace.isDue()) await pace.yieldNow();
    stateAt(readFolder, before, parentPath(path));
    if (from === null || from.kind === 'folder' || seen.has(from.id)) continue;
    seen.add(from.id);
    await objects.copyBlob(from.id, () => undefined);
  }
}
