/** Makes a folder equal to the newest checkpoint of a bundle. The checkpoint is published in the same transaction. */

import { showName } from '../../content/show-name.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson, type TreePath } from '../../model/names.ts';
import { carryOut } from '../../operation/carry-out.ts';
import type { ChangeSet } from '../../operation/change-set.ts';
import { PresentEntries } from '../../operation/own-entries.ts';
import { restoreChanges } from '../../rewind/restore-changes.ts';
import type { HeldLock } from '../../store/lock.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { CheckpointRef } from '../../timeline/record/timeline.ts';

const EVERYTHING: readonly TreePath[] = ['' as TreePath];

/**
 * Computes the changes that make a folder equal to a checkpoint, except for what Savepoint has in files of the user.
 * @returns the changes, and the contents that they write
 * @throws SavepointError CAPTURE_FAILED if a path in the folder cannot be read, because its state is then unknown
 */
export async function planChangesTo(
  workspace: Workspace,
  target: Checkpoint,
  pace: Pace,
): Promise<{ readonly plan: ChangeSet; readonly objects: ObjectReader }> {
  const { scan, objects } = await scanWorkspace(workspace, pace, { missing: 'empty' });
  const [unread] = scan.partial;
  if (unread !== undefined) {
    const code = unread.skip.code ?? unread.skip.reason;
    const data = { path: nameToJson(unread.path), code };
    throw new SavepointError('CAPTURE_FAILED', `Cannot read ${showName(unread.path)} (${code}).`, data);
  }
  const plan = await restoreChanges(
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
  const entries = await PresentEntries.in(
    workspace,
    { snapshot: scan.snapshot, roots: scan.roots, objects, onDamage: () => undefined },
    pace,
  );
  return { plan: await entries.keepIn(plan), objects };
}

/** @throws SavepointError BUNDLE_DIVERGED if the folder differs from the checkpoint */
export async function assertUnchanged(workspace: Workspace, newest: Checkpoint, pace: Pace): Promise<void> {
  const { paths } = (await planChangesTo(workspace, newest, pace)).plan;
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
 * Applies a bundle in one transaction, which also publishes all of its checkpoints together. After a crash, either the
 * files and the newest checkpoint are there, or neither. Recovery knows only the newest checkpoint. Importing the same
 * bundle again adds the others.
 * @param refs the new checkpoints, the target last
 * @throws SavepointError CONFLICT if something is in the way, and the errors of a transaction
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
  const { plan, objects } = await planChangesTo(workspace, target, pace);
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
  await carryOut({ workspace, lock, pace, plan, objects, publication });
  return plan;
}
