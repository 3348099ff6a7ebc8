/** Plans an operation and keeps what it would do, instead of doing it. */

import type { Checkpoint } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { editSnapshot } from '../store/snapshot/edit-snapshot.ts';
import { batchLimit } from '../timeline/capture/capture.ts';
import { assertFeasible } from './assert-feasible.ts';
import { captureAndPlan, fingerprintOf, type Operation, type OperationContext } from './operation.ts';

/** What an operation would do to the folder as it is. */
export interface Proposed {
  /** The folder as it is now. */
  readonly before: Checkpoint;
  /** The folder as the operation would leave it. */
  readonly proposed: Snapshot;
  /** That of a preview with the same plan. */
  readonly fingerprint: string;
}

/**
 * Captures the folder, plans the operation, and stores the files as it would leave them. The folder is not changed.
 * @param keep writes what refers to these files into the same batch; called before anything is durable
 * @returns what `keep` returned, once everything is durable
 * @throws SavepointError CONFLICT, PATH_REFUSED, and the errors of captures, such as STORE_FULL if the proposed files need more than the limit
 */
export async function proposeOperation<T>(
  context: OperationContext,
  operation: Operation,
  keep: (batch: ObjectBatch, found: Proposed) => T | Promise<T>,
): Promise<T> {
  const batch = context.workspace.store.objects.batch(batchLimit(context.workspace));
  try {
    const { plan, before } = await captureAndPlan(context, operation, batch, context.workspace.timeline.end());
    assertFeasible(plan);
    const edits = plan.paths.map(({ path, to, ignored }) => ({ path, to, ignored }));
    const proposed = editSnapshot(batch, before.checkpoint.snapshot, edits);
    before.publish();
    const kept = await keep(batch, { before: before.checkpoint, proposed, fingerprint: fingerprintOf(plan) });
    await batch.finish();
    return kept;
  } finally {
    batch.abandon();
  }
}
