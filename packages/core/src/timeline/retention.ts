/** Which checkpoints clean-up drops. */
import type { Timeline } from './timeline.ts';

export interface RetentionPolicy {
  /** Checkpoints to keep at most. */
  readonly maxCheckpoints: number;
  /** Days, against the newest checkpoint's own time: a clock that jumps cannot make everything old. Null: no limit. */
  readonly maxAgeDays: number | null;
  /** The newest this many stay, however old. */
  readonly keepAtLeast: number;
  /** Sessions whose checkpoints are kept at most. Null: no limit. */
  readonly maxSessions: number | null;
  /** The store's size. Null: no limit. */
  readonly maxStoreBytes: number | null;
}

const DAY_MS = 86_400_000;

/**
 * Numbers to drop, oldest first. The newest always stays; so does the checkpoint before an act that stays, as long as
 * that act could be undone.
 */
export function expired(timeline: Timeline, policy: RetentionPolicy): readonly number[] {
  const refs = timeline.list();
  const keepAtLeast = Math.max(1, policy.keepAtLeast);
  if (refs.length <= keepAtLeast) return [];
  const { checkpoints } = timeline.readAll(refs);
  const newest = checkpoints.at(-1);
  if (newest === undefined) return [];
  const oldest = policy.maxAgeDays === null ? Number.NEGATIVE_INFINITY : newest.time - policy.maxAgeDays * DAY_MS;
  const firstSafe = checkpoints.length - keepAtLeast;
  const firstCounted = checkpoints.length - Math.max(1, policy.maxCheckpoints);
  const drop = new Set<number>();
  for (const [index, { number, time }] of checkpoints.entries()) {
    if (index < firstSafe && (index < firstCounted || time < oldest)) drop.add(number);
  }
  for (const { number, previous } of checkpoints) {
    if (!drop.has(number) && previous !== null) drop.delete(Number(previous.slice(3)));
  }
  return [...drop].sort((a, b) => a - b);
}
