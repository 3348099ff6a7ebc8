/** From a plan to the disk: the one caller of the door. */

import type { Pace } from '../io/pace.ts';
import type { HeldLock } from '../store/lock.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { Workspace } from '../timeline/capture/capture.ts';
import { runTransaction } from '../transaction/door.ts';
import type { BackupFile } from '../transaction/late-writes.ts';
import type { Publication } from '../transaction/transition.ts';
import type { ChangeSet } from './change-set.ts';

export interface CarryOutInput {
  readonly workspace: Workspace;
  readonly lock: HeldLock;
  readonly pace: Pace;
  readonly plan: Pick<ChangeSet, 'paths' | 'heads'>;
  /** Has every content that the plan brings. */
  readonly objects: ObjectReader;
  /** What exists from the moment on in which all of it is done. */
  readonly publication: Publication;
}

/**
 * All or nothing. Without anything to change it publishes alone.
 * @returns what someone wrote into files that were replaced, at the very moment
 * @throws SavepointError what a transaction throws
 */
export async function carryOut(input: CarryOutInput): Promise<readonly BackupFile[]> {
  const { workspace, lock, pace, plan, objects, publication } = input;
  if (plan.paths.length === 0 && (plan.heads ?? []).length === 0) {
    lock.assertHeld();
    await publication.publish();
    return [];
  }
  const { kept: lateWrites } = await runTransaction({
    ports: workspace.ports,
    layout: workspace.store.layout,
    workspace: workspace.id,
    root: workspace.root,
    objects,
    transitions: plan.paths.map(({ path, from, to }) => ({ path, from, to })),
    publication,
    lock,
    pace,
  });
  return lateWrites;
}
