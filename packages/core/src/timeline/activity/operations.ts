/**
 * Finds the operations in effect: what `undo` reverts next, and what `redo` reapplies.
 *
 * An operation is pushed on the undo stack and clears the redo stack. An undo moves an operation from the undo stack
 * to the redo stack, and a redo moves it back. Reading from the newest checkpoint, only the two tops are needed.
 * Operations that were undone or redone later do not count. Nothing older than an operation that is neither an undo
 * nor a redo can be redone.
 */

import { type Checkpoint, isOperation } from '../../model/checkpoint.ts';
import type { CheckpointId } from '../../model/ids.ts';
import type { DamagedCheckpoint, ReadResult } from '../record/timeline.ts';

export interface NextOperations {
  /** The newest operation in effect; null if nothing is left to undo. */
  readonly undo: Checkpoint | null;
  /** The undo that a redo reverts; null if there is none. */
  readonly redo: Checkpoint | null;
  /** An unreadable checkpoint because of which a null above is not certain: it may be what would be reverted. */
  readonly unreadable: { readonly undo: DamagedCheckpoint | null; readonly redo: DamagedCheckpoint | null };
}

/** Does not look past an unreadable checkpoint, which may be an operation. */
export function nextOperations(newestFirst: Iterable<ReadResult>): NextOperations {
  const inverted = new Set<CheckpointId>();
  let undo: Checkpoint | null = null;
  let redo: Checkpoint | null = null;
  let canRedo = true;
  let unreadable: DamagedCheckpoint | null = null;
  for (const { checkpoint, damaged } of newestFirst) {
    if (checkpoint === null) {
      unreadable = damaged;
      break;
    }
    const { id, trigger, undoes } = checkpoint;
    if (!isOperation(trigger)) continue;
    // A redo represents the operation that it reapplied, so that operation is not counted separately.
    if (undoes !== null) inverted.add(undoes);
    else canRedo = false;
    if (!inverted.has(id)) {
      if (trigger !== 'undo') undo ??= checkpoint;
      else if (canRedo) redo ??= checkpoint;
    }
    if (undo !== null && (redo !== null || !canRedo)) break;
  }
  return {
    undo,
    redo,
    unreadable: { undo: undo === null ? unreadable : null, redo: redo === null && canRedo ? unreadable : null },
  };
}
