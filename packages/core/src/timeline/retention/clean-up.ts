/** Dropping old checkpoints, and what only they needed. */

import type { Pace } from '../../io/pace.ts';
import { type CheckpointId, checkpointId } from '../../model/ids.ts';
import type { HeldLock } from '../../store/lock.ts';
import type { Workspace } from '../capture/capture.ts';
import { dropKept, reachableKept, tidyShallow } from '../record/kept.ts';
import { reachable } from './reachable.ts';
import { expired, nextToGo, type RetentionPolicy } from './retention.ts';

export interface CleanUp {
  readonly dropped: readonly CheckpointId[];
  readonly kept: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly objectsDropped: number;
}

/** A store is brought this far below its limit. */
const ROOM = 0.9;

/**
 * Drops what the policy does not keep; where the store is too large after that, the oldest of what is left.
 * @param dropBeside drops what belongs to checkpoints that are gone and is no object; gives the bytes of what stays of it
 */
export async function cleanUp(
  workspace: Workspace,
  lock: HeldLock,
  policy: RetentionPolicy,
  pace: Pace,
  dropBeside: () => number,
): Promise<CleanUp> {
  const { timeline } = workspace;
  let done = await dropCheckpoints(workspace, lock, expired(timeline, policy), pace);
  let beside = dropBeside();
  const limit = policy.maxStoreBytes;
  if (limit === null || done.bytesAfter + beside <= limit) return done;
  const isTooLarge = (): boolean => done.bytesAfter + beside > limit * ROOM;
  for (let next = nextToGo(timeline); next.length > 0 && isTooLarge(); next = nextToGo(timeline)) {
    const more = await dropCheckpoints(workspace, lock, next, pace);
    beside = dropBeside();
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
): Promise<CleanUp> {
  const { timeline, store } = workspace;
  const dropped = new Set(drop);
  const staying = timeline.list().filter(({ number }) => !dropped.has(number));
  const live = await reachable(
    store.objects,
    staying.map(({ commit }) => commit),
    pace,
  );
  const stays = new Set(staying.map(({ number }) => number));
  await reachableKept(store, (number) => stays.has(number), pace, live);
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
