/** Decides whether a store without a usable record may belong to a folder. Only the list of all stores may know it. */

import { isFsError, kindOf } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { DiskPath } from '../../model/names.ts';
import { identityOf, stillSameFolder } from '../../store/folder-identity.ts';
import { type IndexedRecord, readOldIndex } from '../../store/record-index.ts';
import { findRecord, type UnusableStore } from '../../store/records.ts';

/** Returns the stores that are not known to belong to a folder elsewhere. */
export function possibleStores(
  ports: Ports,
  home: DiskPath,
  folder: DiskPath,
  unusable: readonly UnusableStore[],
): readonly UnusableStore[] {
  if (unusable.length === 0) return unusable;
  const rows = new Map(readOldIndex(ports, home).map((row) => [row.id, row]));
  return unusable.filter(({ id }) => {
    const row = rows.get(id);
    return row === undefined || findRecord(ports, [row], folder) !== null || !hasItsFolder(ports, row);
  });
}

/** Whether the folder that the list has with the store may still be there. */
export function hasItsFolder({ fs }: Ports, { path, identity }: IndexedRecord): boolean {
  try {
    const stat = fs.lstat(path);
    if (stat === null || kindOf(stat) !== 'folder') return false;
    return identity === null || stillSameFolder(identity, identityOf(stat));
  } catch (error) {
    if (!isFsError(error)) throw error;
    // A folder that cannot be seen may still be there.
    return true;
  }
}
