/** Paths in the home folder (docs/format.md, "Layout"). */

import type { WorkspaceId } from '../model/ids.ts';
import { type DiskPath, diskChild } from '../model/names.ts';

/** The folder that holds all stores. */
export function storesIn(home: DiskPath): DiskPath {
  return diskChild(home, 'workspaces');
}

export function storePathIn(home: DiskPath, id: WorkspaceId): DiskPath {
  return diskChild(storesIn(home), id);
}

/** Returns the home folder that contains a store. */
export function homeOf(storePath: DiskPath): DiskPath {
  return storePath.split('/').slice(0, -2).join('/') as DiskPath;
}
