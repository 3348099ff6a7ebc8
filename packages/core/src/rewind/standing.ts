/** Which changes were taken back, and by which act that stands. */

import { type Checkpoint, goesBack, isAct } from '../model/checkpoint.ts';
import type { ChangeId, CheckpointId, HunkId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';

export interface Back {
  /** The roll-back, or the undo. */
  readonly by: CheckpointId;
  readonly how: 'rollback' | 'undo';
}

/**
 * A roll-back that was undone does not count, one that was redone does. Of a path that was restored since, nothing is
 * known any more: its changes may be there again.
 * @param checkpoints oldest first
 */
export function changesBack(checkpoints: readonly Checkpoint[]): ReadonlyMap<ChangeId | HunkId, Back> {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const undone = new Map<CheckpointId, CheckpointId>();
  for (const checkpoint of checkpoints) {
    const act = actOf(checkpoint, byId);
    if (checkpoint.trigger === 'undo' && act !== null) undone.set(act.id, checkpoint.id);
    if (checkpoint.trigger === 'redo' && act !== null) undone.delete(act.id);
  }
  const back = new Map<ChangeId | HunkId, Back>();
  const byPath = new Map<TreePath, (ChangeId | HunkId)[]>();
  for (const { id, trigger, rolledBack, changes } of checkpoints) {
    if (!isAct(trigger)) continue;
    const undo = undone.get(id);
    if (undo !== undefined && !goesBack(trigger)) {
      for (const change of changes ?? []) back.set(change.id, { by: undo, how: 'undo' });
    }
    if (undo !== undefined) continue;
    if (trigger === 'rollback') {
      for (const change of rolledBack) back.set(change, { by: id, how: 'rollback' });
      for (const { path, from } of changes ?? []) {
        for (const at of [path, from ?? path]) byPath.set(at, [...(byPath.get(at) ?? []), ...rolledBack]);
      }
    }
    if (trigger !== 'restore') continue;
    if (changes === null) back.clear();
    for (const { path, from } of changes ?? []) {
      for (const at of [path, from ?? path]) for (const change of byPath.get(at) ?? []) back.delete(change);
    }
  }
  return back;
}

/** What an undo or redo, of whatever it takes back, comes down to. */
function actOf(checkpoint: Checkpoint, byId: ReadonlyMap<CheckpointId, Checkpoint>): Checkpoint | null {
  let at: Checkpoint | undefined = checkpoint;
  while (at !== undefined && at.undoes !== null) at = byId.get(at.undoes);
  return at ?? null;
}
