/** Reports new checkpoints, whichever process makes them. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CheckpointRef, DamagedCheckpoint, Timeline } from '../record/timeline.ts';

/**
 * Remembers every checkpoint seen, not just the highest number. If a process dies during an operation, recovery may
 * publish its checkpoint later, under a lower number than the newest.
 */
export class TimelineWatch {
  readonly #seen = new Set<number>();

  /** @param timeline its checkpoints up to `after` count as seen; null: all of them */
  constructor(timeline: Timeline, after: number | null) {
    for (const { number } of timeline.list()) if (after === null || number <= after) this.#seen.add(number);
  }

  /** Yields the checkpoints added since, in the order of their numbers, each of them once. */
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
