/** Access to the readable checkpoints of a timeline. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CheckpointId } from '../../model/ids.ts';

export interface CheckpointReader {
  find(checkpoint: CheckpointId): Checkpoint | undefined;
  /** Newest first. */
  upTo(number: number): Iterable<Checkpoint>;
}

/** @param checkpoints oldest first */
export function readerOf(checkpoints: readonly Checkpoint[]): CheckpointReader {
  const newestFirst = [...checkpoints].reverse();
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  return { find: (id) => byId.get(id), upTo: (number) => newestFirst.filter((one) => one.number <= number) };
}

/**
 * Reads only what is not at hand: a record may list thousands of changes.
 * @param newest all readable checkpoints from one on, oldest first; the last one may not be captured yet
 */
export function readerWith(newest: readonly Checkpoint[], older: CheckpointReader): CheckpointReader {
  const [oldest] = newest;
  const known = readerOf(newest);
  return {
    find: (id) => known.find(id) ?? older.find(id),
    *upTo(number) {
      yield* known.upTo(number);
      yield* older.upTo(oldest === undefined ? number : Math.min(number, oldest.number - 1));
    },
  };
}
