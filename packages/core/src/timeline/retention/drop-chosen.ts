/** Drops checkpoints that a person chose by name. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CheckpointId, checkpointNumber, parseChangeId, parseHunkId } from '../../model/ids.ts';
import type { Workspace } from '../capture/workspace.ts';
import { type KeptReason, reasonsToKeep } from './kept-reasons.ts';

/** A checkpoint that cannot be dropped. `reverts`: it records that something in a kept checkpoint was reverted. */
export interface NotDroppable {
  readonly id: CheckpointId;
  readonly why: KeptReason | 'reverts';
}

export interface DropPlan {
  /** Oldest first. */
  readonly chosen: readonly Checkpoint[];
  /** If there are any, nothing is dropped. */
  readonly refused: readonly NotDroppable[];
}

/** @param withPinned whether pinned checkpoints may be dropped as well */
export function planDrop(workspace: Workspace, numbers: ReadonlySet<number>, withPinned: boolean): DropPlan {
  const { timeline } = workspace;
  const { checkpoints } = timeline.readAll();
  const chosen = checkpoints.filter(({ number }) => numbers.has(number));
  const pinned = timeline.pinned();
  const spared = withPinned ? new Set([...pinned].filter((number) => !numbers.has(number))) : pinned;
  const reasons = reasonsToKeep(checkpoints, ({ number }) => numbers.has(number), spared, workspace.basesOfCopies());
  const kept = new Set(checkpoints.flatMap(({ number }) => (numbers.has(number) ? [] : [number])));
  const refused = chosen.flatMap((checkpoint): readonly NotDroppable[] => {
    const why =
      reasons.get(checkpoint.id) ?? (revertedNumbers(checkpoint).some((one) => kept.has(one)) ? 'reverts' : null);
    return why === null ? [] : [{ id: checkpoint.id, why }];
  });
  return { chosen, refused };
}

/** @throws SavepointError CHECKPOINT_NEEDED */
export function assertDroppable({ refused }: DropPlan): void {
  const [first] = refused;
  if (first === undefined) return;
  const more = refused.length === 1 ? '' : `, and ${refused.length - 1} more`;
  throw new SavepointError(
    'CHECKPOINT_NEEDED',
    `${first.id} cannot be dropped: it is ${NOT_DROPPABLE[first.why]}${more}.`,
    { checkpoints: refused.map(({ id, why }) => ({ id, why })) },
  );
}

const NOT_DROPPABLE: Readonly<Record<NotDroppable['why'], string>> = {
  newest: 'the newest checkpoint of the workspace',
  pinned: 'pinned',
  copy: 'what the changes in a copy are relative to (`savepoint copies`)',
  undo: 'needed to undo an operation that remains',
  reverts: 'the record that changes of a remaining checkpoint were reverted',
};

/** Without the record of an undo or a rollback, the changes that it reverted would count as being in effect. */
function revertedNumbers({ undoes, rolledBack, rolledBackInPart }: Checkpoint): readonly number[] {
  const inverted = undoes === null ? [] : [checkpointNumber(undoes)];
  return [
    ...inverted,
    ...[...rolledBack, ...rolledBackInPart].flatMap(
      (id) => parseChangeId(parseHunkId(id)?.change ?? id)?.checkpoint ?? [],
    ),
  ];
}
