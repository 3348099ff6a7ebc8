/** Deletes the store of a workspace: its checkpoints, backups and everything else that Savepoint keeps of it. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import { SavepointError } from '../model/errors.ts';
import { nameToJson } from '../model/names.ts';
import { layoutOf, removeStore } from '../store/layout.ts';
import { acquireLock, type LockOptions } from '../store/lock.ts';
import { removeRecordIndex } from '../store/record-index.ts';
import { listRecords, type WorkspaceRecord } from '../store/records.ts';
import { listUnfinished } from '../transaction/journal.ts';
import type { Context } from './context.ts';
import { withHomeLock } from './home-lock.ts';

/**
 * @param which its path, its id, or a unique beginning of the id
 * @throws SavepointError NO_WORKSPACE, AMBIGUOUS_ID
 */
export function findWorkspace({ ports, places }: Context, which: string): WorkspaceRecord {
  const { records } = listRecords(ports, places.home);
  const exact = records.filter(({ id, path }) => id === which || path === which);
  const fits = exact.length > 0 || which === '' ? exact : records.filter(({ id }) => id.startsWith(which));
  const [record] = fits;
  if (record === undefined) {
    throw new SavepointError(
      'NO_WORKSPACE',
      'No store matches this path or id.',
      { folder: nameToJson(which) },
      { hint: 'Run `savepoint workspaces` to list the workspaces.' },
    );
  }
  if (fits.length > 1) {
    throw new SavepointError('AMBIGUOUS_ID', `The workspace id ${which} is ambiguous.`, {
      given: which,
      candidates: fits.map(({ id }) => id),
    });
  }
  return record;
}

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
      removeRecordIndex(ports, places.home);
      removeStore(ports, storePath);
      return record;
    });
  } finally {
    lock.release();
  }
}
