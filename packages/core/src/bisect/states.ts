/** The different states of a workspace between two checkpoints, in order. */

import type { Checkpoint } from '../model/checkpoint.ts';
import { sameSnapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import type { DamagedCheckpoint, Timeline } from '../timeline/record/timeline.ts';

/**
 * `checkpoint`: after each checkpoint that changed files. `turn`: when each prompt was sent, so that one turn of an agent
 * is between two states.
 */
export type StepSize = 'checkpoint' | 'turn';

export interface States {
  /** Each has other files than the one before it. */
  readonly states: readonly Checkpoint[];
  /** Checkpoints in between that cannot be read. */
  readonly damaged: readonly DamagedCheckpoint[];
}

/**
 * Returns the states from `from` up to `to`, both included. If checkpoints follow each other with the same files, the
 * first one represents all of them.
 * @throws SavepointError USAGE if `to` is older than `from`
 */
export function statesBetween(timeline: Timeline, from: Checkpoint, to: Checkpoint, size: StepSize): States {
  if (to.number < from.number) {
    throw new SavepointError(
      'USAGE',
      `${from.id} is newer than ${to.id}.`,
      { argument: to.id },
      { hint: 'The first checkpoint must be the older one.' },
    );
  }
  const states = [from];
  const damaged: DamagedCheckpoint[] = [];
  const refs = timeline.list().filter(({ number }) => number > from.number && number <= to.number);
  for (const read of [...timeline.newestFirst(refs)].reverse()) {
    if (read.checkpoint === null) {
      damaged.push(read.damaged);
      continue;
    }
    const { checkpoint } = read;
    const isWanted = size === 'checkpoint' || checkpoint.trigger === 'prompt' || checkpoint.number === to.number;
    if (isWanted && !sameSnapshot(checkpoint.snapshot, states.at(-1)!.snapshot)) states.push(checkpoint);
  }
  return { states, damaged };
}
