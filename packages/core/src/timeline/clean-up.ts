/** Dropping old checkpoints, and what only they needed. */
import type { CheckpointId, ObjectId } from '../model/ids.ts';
import { checkpointId } from '../model/ids.ts';
import type { Pace } from '../io/pace.ts';
import type { HeldLock } from '../store/lock.ts';
import type { Workspace } from './capture.ts';
import { reachable } from './reachable.ts';
import { expired, type RetentionPolicy } from './retention.ts';

export interface CleanUp {
  readonly dropped: readonly CheckpointId[];
  readonly kept: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly objectsDropped: number;
}

/**
 * First the refs go, then what nothing reaches any more: a crash in between leaves garbage, never a checkpoint without
 * its objects.
 * @param alsoLive commits that no ref names yet: those of journals
 * @throws SavepointError STORE_DAMAGED when a checkpoint that stays cannot be read; then nothing is swept
 */
export async function cleanUp(
  workspace: Workspace,
  lock: HeldLock,
  policy: RetentionPolicy,
  alsoLive: readonly ObjectId[],
  pace: Pace,
): Promise<CleanUp> {
  const { timeline, store } = workspace;
  const drop = expired(timeline, policy);
  lock.assertHeld();
  timeline.drop(drop);
  const staying = timeline.list();
  const live = await reachable(store.objects, [...staying.map(({ commit }) => commit), ...alsoLive], pace);
  lock.assertHeld();
  const swept = await store.objects.consolidate({ live: (id) => live.has(id), pace });
  return {
    dropped: drop.map(checkpointId),
    kept: staying.length,
    bytesBefore: swept.bytesBefore,
    bytesAfter: swept.bytesAfter,
    objectsDropped: swept.objectsDropped,
  };
}
