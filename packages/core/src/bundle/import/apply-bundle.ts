/** A folder becomes equal to the newest checkpoint of a bundle: that checkpoint exists in the moment in which it is done. */

import { showName } from '../../content/show-name.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson, type TreePath } from '../../model/names.ts';
import { carryOut } from '../../operation/carry-out.ts';
import type { ChangeSet } from '../../operation/change-set.ts';
import { restoreChanges } from '../../rewind/restore-changes.ts';
import type { HeldLock } from '../../store/lock.ts';
import { scanWorkspace, type Workspace } from '../../timeline/capture/capture.ts';
import type { CheckpointRef } from '../../timeline/record/timeline.ts';

const EVERYTHING: readonly TreePath[] = ['' as TreePath];

/**
 * What it would take to make a folder equal to a checkpoint.
 * @throws SavepointError CAPTURE_FAILED where something in it cannot be read: nobody knows what it is
 */
export async function planChangesTo(workspace: Workspace, target: Checkpoint, pace: Pace): Promise<ChangeSet> {
  const { scan, objects } = await scanWorkspace(workspace, pace, { missing: 'empty' });
  const [unread] = scan.partial;
  if (unread !== undefined) {
    const code = unread.skip.code ?? unread.skip.reason;
    const data = { path: nameToJson(unread.path), code };
    throw new SavepointError('CAPTURE_FAILED', `Cannot read ${showName(unread.path)} (${code}).`, data);
  }
  return restoreChanges(
    {
      objects,
      now: scan.snapshot,
      own: scan.own,
      rootsNow: scan.roots,
      target,
      scope: EVERYTHING,
      global: null,
      except: [],
    },
    pace,
  );
}

/** @throws SavepointError BUNDLE_DIVERGED where the folder holds what no checkpoint has */
export async function assertUnchanged(workspace: Workspace, newest: Checkpoint, pace: Pace): Promise<void> {
  const { paths } = await planChangesTo(workspace, newest, pace);
  const [first] = paths;
  if (first === undefined) return;
  const more = paths.length === 1 ? '' : ` and ${paths.length - 1} more`;
  throw new SavepointError(
    'BUNDLE_DIVERGED',
    `The folder was changed since ${newest.id}: ${first.path === '' ? 'its permissions' : showName(first.path)}${more}.`,
    { checkpoint: newest.id, paths: paths.map(({ path }) => nameToJson(path)) },
    {
      hint: `Nothing was changed. Restore these paths to ${newest.id} without taking a checkpoint, or restore the bundle to another folder.`,
    },
  );
}

/**
 * All or nothing, through the one door. It publishes the checkpoints, all of them at once: a crash leaves either the files and the
 * newest, or neither. (Recovery knows of the newest only; the others come with the same bundle once more.)
 * @param refs of the checkpoints that come, the target's last
 * @throws SavepointError CONFLICT where something is in the way, and what a transaction throws
 */
export async function applyBundle(
  workspace: Workspace,
  target: Checkpoint,
  refs: readonly CheckpointRef[],
  lock: HeldLock,
  pace: Pace,
): Promise<ChangeSet> {
  const { timeline } = workspace;
  const newest = refs.at(-1) as CheckpointRef;
  const plan = await planChangesTo(workspace, target, pace);
  const inTheWay = [
    ...plan.conflicts,
    ...plan.refused,
    ...plan.toCapture.map((path) => ({ path, why: 'is in the way' })),
  ];
  const [first] = inTheWay;
  if (first !== undefined) {
    throw new SavepointError('CONFLICT', `${showName(first.path)} is in the way: ${first.why}.`, {
      paths: inTheWay.map(({ path, why }) => ({ path: nameToJson(path), why })),
    });
  }
  const publication = {
    checkpoint: newest,
    publish: async () => timeline.publishAll(refs),
    isPublished: () => timeline.isPublished(newest),
    withdraw: () => timeline.drop(refs.map(({ number }) => number)),
  };
  await carryOut({ workspace, lock, pace, plan, objects: workspace.store.objects, publication });
  return plan;
}
