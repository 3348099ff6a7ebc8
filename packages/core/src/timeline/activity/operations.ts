/**
 * Which operations are in effect: what `undo` takes back next, and what `redo` brings back.
 *
 * An operation goes on one stack and clears the other; an undo moves one from the first to the second, a redo back. Read
 * from the newest checkpoint, only the two tops are needed: what a later operation undid or redid does not count, and
 * nothing older than an operation that is neither can be redone.
 */

import { type Checkpoint, isOperation } from '../../model/checkpoint.ts';
import type { CheckpointId } from '../../model/ids.ts';

export interface NextOperations {
  /** The newest operation in effect; null where nothing is left to undo. */
  readonly undo: Checkpoint | null;
  /** The undo that a redo takes back; null where there is none. */
  readonly redo: Checkpoint | null;
}

/** @param newestFirst those that can be read: one that cannot be read cannot be undone either */
export function nextOperations(newestFirst: Iterable<Checkpoint>): NextOperations {
  const inverted = new Set<CheckpointId>();
  let undo: Checkpoint | null = null;
  let redo: Checkpoint | null = null;
  let canRedo = true;
  for (const checkpoint of newestFirst) {
    const { id, trigger, undoes } = checkpoint;
    if (!isOperation(trigger)) continue;
    // A redo stands for the operation that it brought back, so that one does not count by itself.
    if (undoes !== null) inverted.add(undoes);
    else canRedo = false;
    if (!inverted.has(id)) {
      if (trigger !== 'undo') undo ??= checkpoint;
      else if (canRedo) redo ??= checkpoint;
    }
    if (undo !== null && (redo !== null || !canRedo)) break;
  }
  return { undo, redo };
}
