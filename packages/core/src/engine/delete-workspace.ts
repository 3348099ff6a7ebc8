/** Deletes the store of a workspace: its checkpoints, backups and everything else that Savepoint keeps of it. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import { SavepointError } from '../model/errors.ts';
import { layoutOf, removeStore } from '../store/layout.ts';
import { acquireLock, type LockOptions } from '../store/lock.ts';
import { invalidateRecordIndex } from '../store/record-index.ts';
import type { WorkspaceRecord } from '../store/records.ts';
import { listUnfinished } from '../transaction/journal.ts';
import type { Context } from './context.ts';
import { findWorkspace } from './find-workspace.ts';
import { withHomeLock } from './home-lock.ts';

/**
 * The files of the workspace stay unchanged.
 * @throws SavepointError NO_WORKSPACE, AMBIGUOUS_ID, LOCKED while another process uses the store, PENDING while an
 *   operation is unfinished
 */
export async function deleteWorkspace(
  context: Context,
  which: string,
  pace: Pace,
  wait: LockOptions,
): Promise<WorkspaceRecord> {
  const { ports, places } = context;
  const { storePath, path } = findWorkspace(context, which);
  const layout = layoutOf(storePath);
  const target = { folder: layout.lock, what: `the workspace ${showName(path)}` };
  const lock = await acquireLock(ports, target, pace, { ...wait, waitMs: 0 });
  try {
    return await withHomeLock(context, pace, wait, () => {
      // Found again under the lock: it may have been moved or deleted since.
      const record = findWorkspace(context, which);
      const [unfinished] = listUnfinished(ports, layout.journal).journals;
      if (unfinished !== undefined) {
        throw new SavepointError(
          'PENDING',
          `An operation in ${showName(path)} is unfinished, and only its store can complete it.`,
          { transaction: unfinished.transaction, why: 'unfinished', paths: [] },
          { hint: `Nothing was deleted. Run \`savepoint recover\` in ${showName(path)} first.` },
        );
      }
      lock.assertHeld();
      invalidateRecordIndex(ports, places.home, record.id);
      removeStore(ports, storePath);
      return record;
    });
  } finally {
    lock.release();
  }
}
