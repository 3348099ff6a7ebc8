/** Finds the checkpoints of which it is not known which selected changes they contain. A rollback is not complete then. */

import { showName } from '../content/show-name.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { type CheckpointId, checkpointNumber } from '../model/ids.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { Selection } from './selection.ts';

export interface IncompleteCheckpoint {
  readonly checkpoint: CheckpointId;
  /**
   * - `unreadable`: its record or its ref is damaged
   * - `damaged`: a folder that it changed, or a content of a selected change, is damaged
   * - `root`: a root could not be captured
   */
  readonly kind: 'unreadable' | 'damaged' | 'root';
  /** For display, without the checkpoint. */
  readonly why: string;
}

export interface SelectedRange {
  readonly selection: Selection<TreePath>;
  /** All readable ones, oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  readonly unreadable: readonly CheckpointId[];
  /** Those of which damage was found while their changes were read. */
  readonly damaged: ReadonlySet<CheckpointId>;
  /** Whether a readable checkpoint has a change by the selected author. */
  readonly isByAuthor: (checkpoint: Checkpoint) => boolean;
}

/** Oldest first. Empty if the selection names its changes. */
export function incompleteCheckpoints(range: SelectedRange): readonly IncompleteCheckpoint[] {
  const { selection, checkpoints, unreadable, damaged } = range;
  const isNamed = selection.changes !== undefined || selection.hunks !== undefined;
  const from = firstNumber(range);
  const found: IncompleteCheckpoint[] = [];
  for (const checkpoint of checkpoints) {
    const { id, number } = checkpoint;
    const isInRange = !isNamed && number >= from && checkpoint.previous !== null;
    if (damaged.has(id) || (isInRange && checkpoint.incomplete === true)) {
      found.push({ checkpoint: id, kind: 'damaged', why: 'something that it changed is damaged in the store' });
    }
    const roots = isInRange ? failedRoots(selection, checkpoint) : [];
    if (roots.length === 0) continue;
    found.push({ checkpoint: id, kind: 'root', why: `${roots.map(rootName).join(', ')} could not be captured` });
  }
  for (const id of isNamed ? [] : unreadable) {
    if (checkpointNumber(id) >= from) found.push({ checkpoint: id, kind: 'unreadable', why: 'it cannot be read' });
  }
  return found.sort((a, b) => checkpointNumber(a.checkpoint) - checkpointNumber(b.checkpoint));
}

/** Returns the number from which on a checkpoint may have selected changes. */
function firstNumber({ selection, checkpoints, isByAuthor }: SelectedRange): number {
  const { after, session, call, own } = selection;
  let first = 1;
  // The time of an unreadable checkpoint is unknown. It is after the newest readable one that is not selected.
  if (after !== undefined) {
    const before = checkpoints.filter(({ time, number }) =>
      'time' in after ? time <= after.time : number <= after.checkpoint,
    );
    first = 'time' in after ? (before.at(-1)?.number ?? 0) + 1 : after.checkpoint + 1;
  }
  // A session and a call have a beginning. Unreadable checkpoints right before it may be theirs.
  if (session === undefined && call === undefined && (own?.session ?? null) === null) return first;
  const begin = checkpoints.findIndex(isByAuthor);
  return begin < 0 ? first : Math.max(first, (checkpoints[begin - 1]?.number ?? 0) + 1);
}

function rootName(path: TreePath): string {
  return path === '' ? 'the workspace' : showName(path);
}

function failedRoots({ files, root }: Selection<TreePath>, { roots }: Checkpoint): readonly TreePath[] {
  const failed = roots.filter((one) => one.failed !== undefined).map(({ path }) => path);
  if (root !== undefined) return failed.filter((path) => path === root);
  if (files === undefined) return failed;
  return failed.filter((path) => files.some((file) => isWithin(file, path) || isWithin(path, file)));
}
