/** Which checkpoints clean-up drops. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { SessionId } from '../../model/ids.ts';
import type { Timeline } from '../record/timeline.ts';

/** Which checkpoints clean-up keeps. */
export interface RetentionPolicy {
  /** Checkpoints to keep at most. */
  readonly maxCheckpoints: number;
  /** Days, against the newest checkpoint's own time: a clock that jumps cannot make everything old. Null: no limit. */
  readonly maxAgeDays: number | null;
  /** The newest this many stay, however old. */
  readonly keepAtLeast: number;
  /** Sessions whose checkpoints are kept at most. Null: no limit. */
  readonly maxSessions: number | null;
  /** The store's objects and backups, bytes: above it the oldest go, and only pins and the newest are spared. Null: no limit. */
  readonly maxStoreBytes: number | null;
}

const DAY_MS = 86_400_000;
/** What room is made for at once, so that not every capture has to make room again. */
const DROPPED_AT_ONCE = 0.25;

/**
 * Numbers to drop, oldest first. The newest and the pinned always stay; so does the checkpoint before one that stays: its
 * changes are told against it, and are taken back to it.
 */
export function expiredCheckpoints(timeline: Timeline, policy: RetentionPolicy): readonly number[] {
  const refs = timeline.list();
  const keepAtLeast = Math.max(1, policy.keepAtLeast);
  if (refs.length <= keepAtLeast) return [];
  const { checkpoints } = timeline.readAll(refs);
  const newest = checkpoints.at(-1);
  if (newest === undefined) return [];
  const pinned = timeline.pinned();
  const current = newestSessions(checkpoints, policy.maxSessions);
  const oldest = policy.maxAgeDays === null ? Number.NEGATIVE_INFINITY : newest.time - policy.maxAgeDays * DAY_MS;
  const firstSafe = checkpoints.length - keepAtLeast;
  const firstCounted = checkpoints.length - Math.max(1, policy.maxCheckpoints);
  const drop = new Set<number>();
  for (const [index, { number, time, session }] of checkpoints.entries()) {
    if (index >= firstSafe || pinned.has(number)) continue;
    const isOfOldSession = session !== null && current !== null && !current.has(session);
    if (index < firstCounted || time < oldest || isOfOldSession) drop.add(number);
  }
  for (const { number, previous } of checkpoints) {
    if (!drop.has(number) && previous !== null) drop.delete(Number(previous.slice(3)));
  }
  return [...drop].sort((a, b) => a - b);
}

/** The next to go where the store is too large; none when only the newest and the pinned are left. */
export function oldestToDrop(timeline: Timeline): readonly number[] {
  const pinned = timeline.pinned();
  const numbers = timeline.list().map(({ number }) => number);
  const droppable = numbers.slice(0, -1).filter((number) => !pinned.has(number));
  return droppable.slice(0, Math.ceil(droppable.length * DROPPED_AT_ONCE));
}

/** Null: all of them are kept. */
function newestSessions(checkpoints: readonly Checkpoint[], most: number | null): ReadonlySet<SessionId> | null {
  if (most === null) return null;
  const newest = new Set<SessionId>();
  for (let at = checkpoints.length - 1; at >= 0 && newest.size < most; at--) {
    const session = checkpoints[at]?.session ?? null;
    if (session !== null) newest.add(session);
  }
  return newest;
}
