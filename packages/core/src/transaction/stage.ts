/** Removes the staging folder of a transaction. */

import { containingFolder, syncFolder } from '../io/durable-write.ts';
import { FolderWalk } from '../io/folder-walk.ts';
import { FsError, isFsError } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, type TreePath } from '../model/names.ts';
import { intentFile } from './journal.ts';
import { isMounted } from './mounts.ts';
import type { Intent } from './transition.ts';

/**
 * Removes what a transaction staged or moved aside, then its intent. After a rollback it also removes the
 * workspace's folder, if the transaction created that. The intent keeps naming what cannot be removed now, and the
 * next writer tries again.
 * @returns whether everything is removed
 */
export function discardStage(ports: Ports, journalFolder: DiskPath, intent: Intent, end: 'done' | 'back'): boolean {
  // Try twice, so that a single random failure leaves nothing in the user's folder.
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      let isReached = true;
      if (ports.fs.lstat(intent.root) !== null) {
        for (const { path } of intent.mounts) isReached = discardInMount(ports, intent, path) && isReached;
        removeTree(ports.fs, diskChild(intent.root, intent.stage));
        // Sync before the intent is removed: no intent would name a staging folder that came back after a power cut.
        const removed = end === 'back' && intent.makesRoot && removeIfEmpty(ports, intent.root);
        syncIfAllowed(ports, removed ? containingFolder(intent.root) : intent.root);
      }
      if (isReached) removeIfExists(ports.fs, intentFile(journalFolder, intent.transaction));
      return isReached;
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
    }
  }
  return false;
}

/** @returns false if nothing is mounted there at the moment */
function discardInMount(ports: Ports, { root, stage }: Intent, mount: TreePath): boolean {
  if (!isMounted(ports, root, mount)) return false;
  const walk = new FolderWalk(ports.fs, root);
  try {
    const folder = walk.folder(mount);
    if (folder === null) return false;
    removeTree(ports.fs, diskChild(folder, stage));
    walk.sync(mount);
    return true;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'PATH_REFUSED') return false;
    throw error;
  } finally {
    walk.close();
  }
}

function removeIfEmpty(ports: Ports, folder: DiskPath): boolean {
  if (ports.fs.list(folder).length > 0) return false;
  ports.fs.removeFolder(folder);
  return true;
}

/** A folder that its owner may not read was not written to either. */
function syncIfAllowed(ports: Ports, folder: DiskPath): void {
  try {
    syncFolder(ports.fs, folder);
  } catch (error) {
    if (!isFsError(error, 'EACCES', 'EPERM')) throw error;
  }
}
