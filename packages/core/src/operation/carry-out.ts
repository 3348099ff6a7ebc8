/** Applies a change set to the disk. This is the only caller of `runTransaction`. */

import type { Pace } from '../io/pace.ts';
import type { HeldLock } from '../store/lock.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { BackupFile } from '../transaction/late-writes.ts';
import { runTransaction } from '../transaction/transaction.ts';
import type { Publication } from '../transaction/transition.ts';
import type { ChangeSet } from './change-set.ts';

export interface CarryOutInput {
  readonly workspace: Workspace;
  readonly lock: HeldLock;
  readonly pace: Pace;
  readonly plan: Pick<ChangeSet, 'paths' | 'heads'>;
  /** Contains every content that the plan writes. */
  readonly objects: ObjectReader;
  /** What is published once the change set is applied. */
  readonly publication: Publication;
}

/**
 * Applies the plan, all or nothing. If there is nothing to change, it only publishes.
 * @returns what other programs wrote into replaced files at that very moment
 * @throws SavepointError the errors of a transaction
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
