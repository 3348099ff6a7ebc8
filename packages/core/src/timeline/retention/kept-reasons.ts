/** Why a checkpoint is kept although it was chosen to be dropped. */

import { type Checkpoint, isOperation } from '../../model/checkpoint.ts';
import type { CheckpointId } from '../../model/ids.ts';

/**
 * `newest`: the workspace's last checkpoint. `pinned`: it is pinned. `copy`: the changes in a copy are relative to it.
 * `undo`: the state before a kept operation, which its undo needs.
 */
export type KeptReason = 'newest' | 'pinned' | 'copy' | 'undo';

/**
 * @param checkpoints the whole timeline, oldest first
 * @param isChosen whether a checkpoint is to be dropped
 * @returns the reasons of all checkpoints that must stay, chosen or not
 */
export function reasonsToKeep(
  checkpoints: readonly Checkpoint[],
  isChosen: (checkpoint: Checkpoint) => boolean,
  pinned: ReadonlySet<number>,
  basesOfCopies: ReadonlySet<number>,
): ReadonlyMap<CheckpointId, KeptReason> {
  const reasons = new Map<CheckpointId, KeptReason>();
  const newest = checkpoints.at(-1);
  if (newest !== undefined) reasons.set(newest.id, 'newest');
  for (const { id, number } of checkpoints) {
    if (reasons.has(id)) continue;
    if (pinned.has(number)) reasons.set(id, 'pinned');
    else if (basesOfCopies.has(number)) reasons.set(id, 'copy');
  }
  for (const checkpoint of checkpoints) {
    const { id, previous, trigger } = checkpoint;
    const isKept = !isChosen(checkpoint) || reasons.has(id);
    if (isKept && isOperation(trigger) && previous !== null && !reasons.has(previous)) reasons.set(previous, 'undo');
  }
  return reasons;
}
