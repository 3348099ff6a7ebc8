/** Deletes the store of a workspace: its checkpoints, backups and everything else that Savepoint keeps of it. */

import { showName } from '../../content/show-name.ts';
import { type ListedCopy, removeCopy } from '../../copy/records.ts';
import type { Pace } from '../../io/pace.ts';
import { SavepointError } from '../../model/errors.ts';
import type { DiskPath } from '../../model/names.ts';
import { layoutOf, removeStore } from '../../store/layout.ts';
import { acquireLock, type LockOptions } from '../../store/lock.ts';
import { invalidateRecordIndex } from '../../store/record-index.ts';
import type { WorkspaceRecord } from '../../store/records.ts';
import { listUnfinished } from '../../transaction/journal.ts';
import type { Context } from '../context.ts';
import { copiesOf } from '../copies/copy-list.ts';
import { withHomeLock } from '../home-lock.ts';
import { findWorkspace } from './find-workspace.ts';

/**
 * The files of the workspace stay unchanged. Its copies go with it, because only its store can say what was changed in them.
 * @throws SavepointError NO_WORKSPACE, AMBIGUOUS_ID, LOCKED while another process uses the store, PENDING while an
 *   operation is unfinished, USAGE while it has forks or a copy is in use
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
      const copies = copiesOf(ports, places.home, record.id);
      assertUnused(copies, path);
      lock.assertHeld();
      invalidateRecordIndex(ports, places.home, record.id);
      removeStore(ports, storePath);
      // Afterwards: while the store exists, their changes can still be applied.
      for (const { record: copy } of copies) removeCopy(ports, copy.place);
      return record;
    });
  } finally {
    lock.release();
  }
}

/** A fork may have worktrees and branches in repositories of the workspace, which only `fork drop` removes. */
function assertUnused(copies: readonly ListedCopy[], path: DiskPath): void {
  const fork = copies.find(({ record }) => record.purpose === 'fork');
  const used = copies.find(({ state }) => state === 'in-use');
  const [found, message, hint] =
    fork !== undefined
      ? [fork, `has the fork ${fork.record.name ?? fork.record.id}`, 'Drop its forks first: `savepoint fork drop`.']
      : [used, `has a copy that is in use: ${used?.record.id}`, 'Wait until the command in it ends.'];
  if (found === undefined) return;
  throw new SavepointError(
    'USAGE',
    `The workspace ${showName(path)} ${message}.`,
    { argument: 'workspace' },
    { hint: `Nothing was deleted. ${hint}` },
  );
}
