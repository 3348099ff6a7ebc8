/** Drops old checkpoints and everything that only they needed. */

import type { Pace } from '../../io/pace.ts';
import { type CheckpointId, checkpointId } from '../../model/ids.ts';
import type { HeldLock } from '../../store/lock.ts';
import type { Workspace } from '../capture/workspace.ts';
import { deleteForkStates } from '../record/fork-states.ts';
import { dropKept, tidyShallow } from '../record/kept-commits.ts';
import { expiredForkStates, oldestForkStates } from './dropped-forks.ts';
import { neededObjects } from './needed.ts';
import { expiredCheckpoints, oldestToDrop, type RetentionPolicy } from './retention.ts';

export interface CleanUpResult {
  /** Names of dropped forks whose last states were dropped as well. */
  readonly forks: readonly string[];
  readonly dropped: readonly CheckpointId[];
  readonly kept: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly objectsDropped: number;
}

/** What a clean-up would do. */
export interface CleanUpPreview {
  /** Names of dropped forks whose last states would go as well. */
  readonly forks: readonly string[];
  readonly dropped: readonly CheckpointId[];
  readonly kept: number;
  /** The store, with backups. */
  readonly bytes: number;
  /** The store is larger than its limit: the oldest of the remaining checkpoints may go as well. */
  readonly isTooLarge: boolean;
}

/** Clean-up shrinks a store that is too large to this fraction of its limit. */
const TARGET_FILL = 0.9;

/**
 * Drops the checkpoints that the policy does not keep. If the store is still too large, drops
 * the oldest remaining ones.
 * @param dropRelated deletes data of dropped checkpoints that is not stored as objects; returns the bytes that remain
 */
export async function cleanUp(
  workspace: Workspace,
  lock: HeldLock,
  policy: RetentionPolicy,
  pace: Pace,
  dropRelated: () => number,
): Promise<CleanUpResult> {
  const { refs } = workspace.store;
  const expired = expiredForkStates(workspace, policy);
  const forks = expired.map(({ name }) => name);
  lock.assertHeld();
  deleteForkStates(refs, expired);
  let done: CleanUpResult = {
    ...(await dropCheckpoints(workspace, lock, expiredCheckpoints(workspace, policy), pace)),
    forks,
  };
  let relatedBytes = dropRelated();
  const limit = policy.maxStoreBytes;
  if (limit === null || done.bytesAfter + relatedBytes <= limit) return done;
  const isTooLarge = (): boolean => done.bytesAfter + relatedBytes > limit * TARGET_FILL;
  // Before any checkpoint: they are branches that a person has given up.
  for (let next = oldestForkStates(workspace); next.length > 0 && isTooLarge(); next = oldestForkStates(workspace)) {
    lock.assertHeld();
    deleteForkStates(refs, next);
    const more = await dropCheckpoints(workspace, lock, [], pace);
    done = together(done, { ...more, forks: next.map(({ name }) => name) });
  }
  for (let next = oldestToDrop(workspace); next.length > 0 && isTooLarge(); next = oldestToDrop(workspace)) {
    const more = await dropCheckpoints(workspace, lock, next, pace);
    relatedBytes = dropRelated();
    done = together(done, more);
  }
  return done;
}

/** @param bytes size of the store, with backups */
export function previewCleanUp(workspace: Workspace, policy: RetentionPolicy, bytes: number): CleanUpPreview {
  const dropped = expiredCheckpoints(workspace, policy);
  const isTooLarge = policy.maxStoreBytes !== null && bytes > policy.maxStoreBytes;
  return {
    dropped: dropped.map(checkpointId),
    kept: workspace.timeline.list().length - dropped.length,
    bytes,
    isTooLarge: isTooLarge && (oldestToDrop(workspace).length > 0 || oldestForkStates(workspace).length > 0),
    forks: expiredForkStates(workspace, policy).map(({ name }) => name),
  };
}

/**
 * Deletes the refs first, then the unreachable objects. A crash in between leaves garbage, never a checkpoint without
 * its objects. No journal may be open: objects that only a journal needs would be swept.
 * @param drop numbers of the checkpoints to drop
 * @throws SavepointError STORE_DAMAGED if a remaining checkpoint cannot be read; then nothing is swept
 */
export async function dropCheckpoints(
  workspace: Workspace,
  lock: HeldLock,
  drop: readonly number[],
  pace: Pace,
): Promise<CleanUpResult> {
  const { timeline, store } = workspace;
  // What a damaged ref needs is unknown, so nothing may be swept.
  const { live, stays } = await neededObjects(workspace, drop, pace);
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
    forks: [],
    kept: stays.size,
    bytesBefore: swept.bytesBefore,
    bytesAfter: swept.bytesAfter,
    objectsDropped: swept.objectsDropped,
  };
}

function together(first: CleanUpResult, second: CleanUpResult): CleanUpResult {
  return {
    dropped: [...first.dropped, ...second.dropped],
    forks: [...first.forks, ...second.forks],
    kept: second.kept,
    bytesBefore: first.bytesBefore,
    bytesAfter: second.bytesAfter,
    objectsDropped: first.objectsDropped + second.objectsDropped,
  };
}
