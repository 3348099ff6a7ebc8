/** Checkpoints as they come, whatever process makes them. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CheckpointRef, DamagedCheckpoint, Timeline } from '../record/timeline.ts';

/**
 * Remembers which were seen, one by one and not by the highest number: an act that a dead process left half done is
 * published when it is settled, under a number that later ones have passed.
 */
export class TimelineWatch {
  readonly #seen = new Set<number>();

  /** @param timeline what is on it counts as seen, as far as `after`; null: all of it */
  constructor(timeline: Timeline, after: number | null) {
    for (const { number } of timeline.list()) if (after === null || number <= after) this.#seen.add(number);
  }

  /** Those that came since, in the order of their numbers; each is told once. */
  *newCheckpoints(timeline: Timeline): Generator<Checkpoint | DamagedCheckpoint> {
    for (const ref of timeline.list()) {
      if (this.#seen.has(ref.number)) continue;
      yield read(timeline, ref);
      this.#seen.add(ref.number);
    }
  }
}

function read(timeline: Timeline, ref: CheckpointRef): Checkpoint | DamagedCheckpoint {
  const { checkpoints, damaged } = timeline.readAll([ref]);
  return checkpoints[0] ?? damaged[0]!;
}
