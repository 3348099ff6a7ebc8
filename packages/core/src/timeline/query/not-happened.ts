/** Which of the newest checkpoints people mean: not those that Savepoint took by itself. */

import { type Checkpoint, isOperation } from '../../model/checkpoint.ts';
import type { CheckpointRef, Timeline } from '../record/timeline.ts';

/**
 * Returns the checkpoint that was taken before that operation. Null if the timeline does not end with one.
 */
export function operationNotHappened(timeline: Timeline): Checkpoint | null {
  const newest = timeline.list().at(-1);
  const checkpoint = newest === undefined ? null : readIfPossible(timeline, newest);
  return checkpoint !== null && isBeforeOperation(checkpoint) ? checkpoint : null;
}

/**
 * Finds `last~count`: `last` is the newest checkpoint, and older ones count as `list --all` shows them, without automatic
 * ones. One whose record cannot be read counts.
 */
export function findLast(timeline: Timeline, refs: readonly CheckpointRef[], count: number): CheckpointRef | undefined {
  const [last, ...older] = [...withoutUnusedBefore(timeline, refs)].reverse();
  let found = last;
  let left = count;
  for (const ref of older) {
    if (left === 0) break;
    if (readIfPossible(timeline, ref)?.trigger === 'before') continue;
    found = ref;
    left -= 1;
  }
  return left === 0 ? found : undefined;
}

/** Leaves out the newest checkpoints if Savepoint took them by itself before operations that did not happen. */
function withoutUnusedBefore(timeline: Timeline, refs: readonly CheckpointRef[]): readonly CheckpointRef[] {
  let end = refs.length;
  while (end > 0) {
    const checkpoint = readIfPossible(timeline, refs[end - 1]!);
    if (checkpoint === null || !isBeforeOperation(checkpoint)) break;
    end -= 1;
  }
  // If there are no others, they are all there is.
  return end === 0 ? refs : refs.slice(0, end);
}

function isBeforeOperation({ trigger, precedes }: Checkpoint): boolean {
  return trigger === 'before' && precedes !== null && isOperation(precedes);
}

function readIfPossible(timeline: Timeline, ref: CheckpointRef): Checkpoint | null {
  return timeline.readAll([ref]).checkpoints[0] ?? null;
}
