/** Tells whether what operations did is still in effect. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { Activity } from '../activity/activity.ts';
import { activitySource } from '../activity/source.ts';
import type { Timeline } from '../record/timeline.ts';

/** A checkpoint, and whether all of its changes were reverted since. */
export interface CheckpointInEffect {
  readonly checkpoint: Checkpoint;
  readonly isReverted: boolean;
}

/** @returns the checkpoints with these numbers that exist and can be read, by number */
export function checkpointsInEffect(
  timeline: Timeline,
  objects: ObjectReader,
  numbers: readonly number[],
): ReadonlyMap<number, CheckpointInEffect> {
  const found = new Map<number, CheckpointInEffect>();
  const wanted = new Set(numbers);
  const oldest = Math.min(...wanted);
  if (wanted.size === 0) return found;
  const activity = new Activity(activitySource(objects, timeline.reader()));
  for (const { checkpoint } of timeline.newestFirst()) {
    if (checkpoint === null) continue;
    if (checkpoint.number < oldest) break;
    const effectOf = activity.visit(checkpoint);
    if (!wanted.has(checkpoint.number)) continue;
    const changes = checkpoint.changes ?? [];
    const isReverted = changes.length > 0 && changes.every((change) => effectOf(change).reversion !== null);
    found.set(checkpoint.number, { checkpoint, isReverted });
  }
  return found;
}
