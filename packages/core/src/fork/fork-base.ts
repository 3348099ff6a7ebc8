/**
 * What the changes of a fork are relative to: where it left the workspace, and after a merge what was merged. A merge counts
 * as long as it is in effect: after its undo, or a restore of an older checkpoint, the changes can be merged again.
 */

import type { Checkpoint } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { type CheckpointId, checkpointNumber } from '../model/ids.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { forkStates } from '../timeline/record/fork-states.ts';
import type { Fork } from './fork.ts';

export interface ForkBase {
  readonly snapshot: Snapshot;
  /** Number of the checkpoint of the last merge in effect; null if there is none. */
  readonly merged: number | null;
}

/** @throws SavepointError STORE_DAMAGED if the store no longer has what the fork started from */
export function baseOf(workspace: Workspace, fork: Fork): ForkBase {
  const { objects, refs } = workspace.store;
  const isOwn = ({ copy }: { readonly copy: string }): boolean => copy === fork.copy.id;
  const merges = forkStates(objects, refs, 'merged')
    .filter(isOwn)
    .sort((a, b) => b.number - a.number);
  const isInEffect = merges.length === 0 ? null : mergesInEffect(workspace, merges.at(-1)?.number ?? 1);
  for (const { number, snapshot } of merges) if (isInEffect?.(number) === true) return { snapshot, merged: number };
  const first = forkStates(objects, refs, 'own').find((state) => state.kind === 'base' && isOwn(state));
  if (first !== undefined) return { snapshot: first.snapshot, merged: null };
  throw new SavepointError(
    'STORE_DAMAGED',
    `The store no longer has the state that fork ${fork.name} started from.`,
    { object: fork.copy.id },
    { hint: 'Its files are still there: `savepoint fork open` prints the folder.' },
  );
}

/** @param from number of the oldest merge that is asked for */
function mergesInEffect({ timeline }: Workspace, from: number): (number: number) => boolean {
  const inverted = new Set<CheckpointId>();
  const merges = new Set<number>();
  const known = new Set<number>();
  let reset = Number.POSITIVE_INFINITY;
  for (const checkpoint of timeline.upTo()) {
    if (checkpoint.number < from) break;
    known.add(checkpoint.number);
    if (inverted.has(checkpoint.id)) continue;
    if (checkpoint.undoes !== null) inverted.add(checkpoint.undoes);
    if (isReset(checkpoint)) reset = Math.min(reset, checkpointNumber(checkpoint.target ?? checkpoint.id));
    if (checkpoint.trigger === 'merge' && checkpoint.number <= reset) merges.add(checkpoint.number);
  }
  const last = timeline.lastNumber();
  // Retention may have dropped the checkpoint of a merge. Nothing can undo it any more.
  return (number) => merges.has(number) || (!known.has(number) && number <= last);
}

/** A restore takes merges back that came after its target. If it restored only some paths, merging again finds no more to do. */
function isReset({ trigger, target }: Checkpoint): boolean {
  return trigger === 'restore' && target !== null;
}
