/** Which acts stand, read off the checkpoints: what undo takes back next, and what redo brings again. */
import { type Checkpoint, isAct } from '../model/checkpoint.ts';

export interface ActHistory {
  /** Acts in effect, newest last. */
  readonly done: readonly Checkpoint[];
  /** Undos that nothing came after, newest last. */
  readonly undone: readonly Checkpoint[];
}

/**
 * An act goes on the first pile and clears the second; an undo moves one from the first to the second, a redo back.
 * Checkpoints that are no acts change nothing.
 * @param checkpoints all that can be read, oldest first: one that cannot be read cannot be undone either
 */
export function actHistory(checkpoints: Iterable<Checkpoint>): ActHistory {
  const done: Checkpoint[] = [];
  let undone: Checkpoint[] = [];
  for (const checkpoint of checkpoints) {
    if (!isAct(checkpoint.trigger)) continue;
    if (checkpoint.trigger === 'undo') {
      drop(done, checkpoint);
      undone.push(checkpoint);
    } else if (checkpoint.trigger === 'redo') {
      drop(undone, checkpoint);
      done.push(checkpoint);
    } else {
      done.push(checkpoint);
      undone = [];
    }
  }
  return { done, undone };
}

function drop(pile: Checkpoint[], by: Checkpoint): void {
  const at = pile.findIndex(({ id }) => id === by.undoes);
  if (at >= 0) pile.splice(at, 1);
}
