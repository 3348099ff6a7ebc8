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
