/** Facts that the checkpoints' lists of changes lack, read from trees and contents. Rarely needed. */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { type Entry, type Snapshot, sameEntry } from '../../model/entries.ts';
import { type CheckpointId, checkpointId, parseChangeId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import { changesInGap, entryOf, statesBefore } from '../diff/gap.ts';
import { hunksOf } from '../diff/hunks.ts';
import { differences, stateAt } from '../diff/snapshot-diff.ts';
import { type CheckedOut, Checkouts } from './checkouts.ts';
import type { CheckpointReader } from './reader.ts';

export interface ActivitySource {
  /** Returns undefined if the checkpoint cannot be read. */
  snapshotOf(checkpoint: CheckpointId): Snapshot | undefined;
  /** Returns undefined if the entry is unknown. */
  entryAt(checkpoint: CheckpointId, path: TreePath): Entry | null | undefined;
  /** Returns undefined if the change cannot be read, and for a hunk. */
  changeOf(change: string): RecordedChange | undefined;
  /** Returns the paths changed by a checkpoint that does not list its changes; empty if they are unknown. */
  touchedBy(checkpoint: Checkpoint): readonly TreePath[];
  /** Returns null if the change has no separate hunks, or if they cannot be read. */
  countHunks(change: RecordedChange): number | null;
  /**
   * Handles dropped checkpoints between the two. Returns the paths that changed in between and were then again as in an
   * older checkpoint, with the number of that checkpoint.
   */
  revertedPaths(newer: Checkpoint, older: Checkpoint): ReadonlyMap<TreePath, number>;
  /** Returns the paths that git brought back before the checkpoint was taken. */
  checkedOut(checkpoint: Checkpoint): CheckedOut;
}

/** What damage hides is unknown here, and named where the changes are listed. */
const ignoreDamage = (): void => undefined;

export function activitySource(objects: ObjectReader, readable: CheckpointReader): ActivitySource {
  const snapshotOf = (id: CheckpointId): Snapshot | undefined => readable.find(id)?.snapshot;
  const entryAt = (id: CheckpointId, path: TreePath, read = cachedFolderReader(objects)): Entry | null | undefined => {
    const snapshot = snapshotOf(id);
    return snapshot === undefined ? undefined : entryOf(stateAt(read, snapshot, path));
  };
  // A checkout may change thousands of paths, which have most folders in common.
  const folders = cachedFolderReader(objects);
  const checkouts = new Checkouts(readable, (id, path) => unlessDamaged(undefined, () => entryAt(id, path, folders)));
  return {
    snapshotOf,
    entryAt: (id, path) => entryAt(id, path),
    changeOf: (given) => {
      const id = parseChangeId(given);
      return id === null ? undefined : readable.find(checkpointId(id.checkpoint))?.changes?.[id.place - 1];
    },
    touchedBy: ({ previous, snapshot }) => {
      const before = previous === null ? undefined : snapshotOf(previous);
      return before === undefined
        ? []
        : [...differences(objects, before, snapshot, ignoreDamage)].map(({ path }) => path);
    },
    countHunks: (change) => {
      const isThere = [change.before, change.after].every(
        (entry) => entry === null || entry.kind === 'folder' || objects.has(entry.id),
      );
      return isThere ? (hunksOf(objects, change)?.length ?? null) : null;
    },
    revertedPaths: (newer, older) =>
      lastCheckpointWith(readable.upTo(older.number), changedBetween(objects, newer, older)),
    checkedOut: (checkpoint) => checkouts.of(checkpoint),
  };
}

/** Returns the files at the end of the gap between the two that differ from `older`. */
function changedBetween(objects: ObjectReader, newer: Checkpoint, older: Checkpoint): Map<TreePath, Entry | null> {
  const changed = new Map<TreePath, Entry | null>();
  if (newer.changes === null) return changed;
  for (const [path, { before, after }] of changesInGap(objects, older, newer, ignoreDamage)) {
    // A file that is gone may have moved.
    if (before !== undefined && after != null && after.kind !== 'folder') changed.set(path, after);
  }
  return changed;
}

function lastCheckpointWith(
  newestFirst: Iterable<Checkpoint>,
  wanted: Map<TreePath, Entry | null>,
): Map<TreePath, number> {
  const found = new Map<TreePath, number>();
  if (wanted.size === 0) return found;
  for (const { number, changes } of newestFirst) {
    for (const change of changes ?? []) {
      for (const [at, was] of statesBefore(change)) {
        const entry = wanted.get(at);
        if (entry === undefined || was === undefined || !sameEntry(entry, was)) continue;
        found.set(at, number - 1);
        wanted.delete(at);
      }
    }
    if (wanted.size === 0) break;
  }
  return found;
}
