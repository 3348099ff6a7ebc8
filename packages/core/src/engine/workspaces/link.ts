/** Links a folder to the timeline of another folder. */

import { showName } from '../../content/show-name.ts';
import { kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson } from '../../model/names.ts';
import { identityOf, stillSameFolder } from '../../store/folder-identity.ts';
import type { LockOptions } from '../../store/lock.ts';
import { listRecords, type WorkspaceRecord, writeRecord } from '../../store/records.ts';
import type { Context } from '../context.ts';
import { assertMayBeWorkspace, rootRefused } from '../folders.ts';
import { withHomeLock } from '../home-lock.ts';
import { noSuchWorkspace } from './find-workspace.ts';

/**
 * @param from path of the other folder, or the id of its store
 * @throws SavepointError NO_WORKSPACE, ROOT_REFUSED if this folder has a timeline, or if the other folder still exists
 */
export async function linkWorkspace(
  context: Context,
  from: string,
  pace: Pace,
  wait: LockOptions,
): Promise<WorkspaceRecord> {
  assertMayBeWorkspace(context, context.folder);
  const identity = ownIdentity(context);
  return withHomeLock(context, pace, wait, () => {
    const { ports, places, folder } = context;
    const { records } = listRecords(ports, places.home);
    const record = records.find(({ id, path }) => id === from || path === from);
    if (record === undefined) throw noSuchWorkspace(from);
    const other = records.find(({ id, path }) => path === folder && id !== record.id);
    if (other !== undefined) {
      throw new SavepointError('ROOT_REFUSED', 'This folder already has its own timeline.', {
        folder: nameToJson(folder),
        why: 'has-store',
        workspace: other.id,
      });
    }
    assertAbandoned(context, record);
    const linked = { ...record, path: folder, identity };
    writeRecord(ports, linked);
    return linked;
  });
}

function ownIdentity({ ports, folder }: Context): WorkspaceRecord['identity'] {
  const stat = ports.fs.lstat(folder);
  if (stat === null || kindOf(stat) !== 'folder') throw rootRefused(folder, 'not-a-folder', 'is not a folder');
  return identityOf(stat);
}

/** Two folders cannot share a timeline. */
function assertAbandoned({ ports, folder }: Context, record: WorkspaceRecord): void {
  const there = record.path === folder ? null : ports.fs.lstat(record.path);
  if (there === null || !stillSameFolder(record.identity, identityOf(there))) return;
  throw new SavepointError(
    'ROOT_REFUSED',
    `The timeline belongs to ${showName(record.path)}, which still exists.`,
    { folder: nameToJson(folder), why: 'in-use', workspace: record.id },
    {
      hint: 'Two folders cannot share a timeline. Move or delete the other folder first, or start a new timeline here.',
    },
  );
}
