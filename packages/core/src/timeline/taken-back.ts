/** Which changes are not in effect any more: told while checkpoints are walked from the newest to the oldest. */

import type { Checkpoint, RecordedChange } from '../model/checkpoint.ts';
import type { ChangeId, CheckpointId, HunkId } from '../model/ids.ts';

/**
 * An act stands unless a later one that stands undid it. A roll-back that stands takes back the changes that it names, an
 * undo that stands all of its act's. A restore names no changes: what it brought back is told by its own.
 */
export class TakenBack {
  readonly #undone = new Map<CheckpointId, CheckpointId>();
  readonly #changes = new Map<ChangeId | HunkId, CheckpointId>();

  /** Every checkpoint is shown once, newest first; what it says of older ones is known from then on. */
  see({ id, trigger, undoes, rolledBack }: Checkpoint): void {
    if (this.#undone.has(id)) return;
    if (undoes !== null) this.#undone.set(undoes, id);
    if (trigger !== 'rollback') return;
    for (const change of rolledBack) if (!this.#changes.has(change)) this.#changes.set(change, id);
  }

  /** The act that took the checkpoint back as a whole; null where it stands. */
  whole(checkpoint: CheckpointId): CheckpointId | null {
    return this.#undone.get(checkpoint) ?? null;
  }

  /** The act that took the change back; null where it stands. */
  by({ id }: RecordedChange, checkpoint: Checkpoint): CheckpointId | null {
    return this.#changes.get(id) ?? this.whole(checkpoint.id);
  }
}
