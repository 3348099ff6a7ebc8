/** Dropping old checkpoints, and what only they needed. */

import type { Pace } from '../../io/pace.ts';
import { type CheckpointId, checkpointId } from '../../model/ids.ts';
import type { HeldLock } from '../../store/lock.ts';
import type { Workspace } from '../capture/capture.ts';
import { addReachableKept, dropKept, tidyShallow } from '../record/kept-commits.ts';
import { reachable } from './reachable.ts';
import { expiredCheckpoints, oldestToDrop, type RetentionPolicy } from './retention.ts';

export interface CleanUpResult {
  readonly dropped: readonly CheckpointId[];
  readonly kept: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly objectsDropped: number;
}

/** A store is brought this far below its limit. */
const TARGET_FILL = 0.9;

/**
 * Drops what the policy does not keep; where the store is too large after that, the oldest of what is left.
 * @param dropRelated drops what belongs to checkpoints that are gone and is no object; gives the bytes of what stays of it
 */
export async function cleanUp(
  workspace: Workspace,
  lock: HeldLock,
  policy: RetentionPolicy,
  pace: Pace,
  dropRelated: () => number,
): Promise<CleanUpResult> {
  const { timeline } = workspace;
  let done = await dropCheckpoints(workspace, lock, expiredCheckpoints(timeline, policy), pace);
  let relatedBytes = dropRelated();
  const limit = policy.maxStoreBytes;
  if (limit === null || done.bytesAfter + relatedBytes <= limit) return done;
  const isTooLarge = (): boolean => done.bytesAfter + relatedBytes > limit * TARGET_FILL;
  for (let next = oldestToDrop(timeline); next.length > 0 && isTooLarge(); next = oldestToDrop(timeline)) {
    const more = await dropCheckpoints(workspace, lock, next, pace);
    relatedBytes = dropRelated();
    done = {
      dropped: [...done.dropped, ...more.dropped],
      kept: more.kept,
      bytesBefore: done.bytesBefore,
      bytesAfter: more.bytesAfter,
      objectsDropped: done.objectsDropped + more.objectsDropped,
    };
  }
  return done;
}

/**
 * First the refs go, then what nothing reaches any more: a crash in between leaves garbage, never a checkpoint without
 * its objects. No journal is open: what one needs besides the refs would be swept.
 * @param drop numbers of checkpoints that go, and no others
 * @throws SavepointError STORE_DAMAGED when a checkpoint that stays cannot be read; then nothing is swept
 */
export async function dropCheckpoints(
  workspace: Workspace,
  lock: HeldLock,
  drop: readonly number[],
  pace: Pace,
): Promise<CleanUpResult> {
  const { timeline, store } = workspace;
  const dropped = new Set(drop);
  const staying = timeline.list().filter(({ number }) => !dropped.has(number));
  const live = await reachable(
    store.objects,
    staying.map(({ commit }) => commit),
    pace,
  );
  const stays = new Set(staying.map(({ number }) => number));
  await addReachableKept(store, (number) => stays.has(number), pace, live);
  lock.assertHeld();
  timeline.drop(drop);
  dropKept(store.refs, (number) => !stays.has(number));
  store.refs.pack();
  const swept = await store.objects.consolidate({
    live: (id) => live.has(id),
    pace,
    assertHeld: () => lock.assertHeld(),
  });
  tidyShallow(workspace);
  return {
    dropped: drop.map(checkpointId),
    kept: staying.length,
    bytesBefore: swept.bytesBefore,
    bytesAfter: swept.bytesAfter,
    objectsDropped: swept.objectsDropped,
  };
}
