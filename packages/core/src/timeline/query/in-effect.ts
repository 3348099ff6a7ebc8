/** Tells whether what operations did is still in effect. */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { checkpointNumber } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { Activity } from '../activity/activity.ts';
import { activitySource } from '../activity/source.ts';
import type { Timeline } from '../record/timeline.ts';

export interface CheckpointInEffect {
  readonly checkpoint: Checkpoint;
  /** Whether all of its changes were reverted since. */
  readonly isReverted: boolean;
  /** The paths of the changes that were reverted since; of a rename, both. */
  readonly reverted: readonly TreePath[];
  /** If all of its changes were reverted: the number of the newest checkpoint that reverted some. Otherwise null. */
  readonly revertedIn: number | null;
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
    const back: RecordedChange[] = [];
    let newest = 0;
    for (const change of changes) {
      const { reversion } = effectOf(change);
      if (reversion === null) continue;
      back.push(change);
      newest = Math.max(newest, checkpointNumber(reversion.by));
    }
    const reverted = back.flatMap(({ path, from }) => (from === null ? [path] : [from, path]));
    const isReverted = back.length > 0 && back.length === changes.length;
    found.set(checkpoint.number, { checkpoint, isReverted, reverted, revertedIn: isReverted ? newest : null });
  }
  return found;
}
