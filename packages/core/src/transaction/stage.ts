/** A transaction's staging folder, and how it goes away. */

import { FsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import type { DiskPath } from '../model/names.ts';
import { intentFile, removeIfThere } from './journal.ts';
import type { Intent } from './transition.ts';

/**
 * Removes what a transaction staged or set aside, then its intent. What cannot be removed stays named by the intent,
 * and the next writer tries again.
 */
export function discardStage(
  ports: Ports,
  journalFolder: DiskPath,
  intent: Pick<Intent, 'transaction' | 'root' | 'stage'>,
  emptyRoot: 'keep' | 'remove',
): void {
  // Twice: a call that failed by chance leaves nothing in the user's folder.
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      if (ports.fs.lstat(intent.root) !== null) {
        removeTree(ports.fs, `${intent.root}/${intent.stage}` as DiskPath);
        if (emptyRoot === 'remove') removeIfEmpty(ports, intent.root);
      }
      removeIfThere(ports.fs, intentFile(journalFolder, intent.transaction));
      return;
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
    }
  }
}

function removeIfEmpty(ports: Ports, folder: DiskPath): void {
  if (ports.fs.list(folder).length === 0) ports.fs.removeFolder(folder);
}
