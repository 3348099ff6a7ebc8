/** What the lists of checkpoints do not say, and their trees and contents do. Rarely asked for. */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { type Entry, type Snapshot, sameEntry } from '../../model/entries.ts';
import { type CheckpointId, checkpointId, parseChangeId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import { hunksOf } from '../diff/hunks.ts';
import { differences, type PathState, stateAt } from '../diff/snapshot-diff.ts';

export interface ActivitySource {
  /** Undefined where the checkpoint cannot be read. */
  snapshotOf(checkpoint: CheckpointId): Snapshot | undefined;
  /** Undefined where that is not known. */
  entryAt(checkpoint: CheckpointId, path: TreePath): Entry | null | undefined;
  /** Undefined where it cannot be read, and for a hunk. */
  changeOf(change: string): RecordedChange | undefined;
  /** Paths that a checkpoint changed which does not list them; none where that is not known. */
  touchedBy(checkpoint: Checkpoint): readonly TreePath[];
  /** Null: it has none to tell apart, or they cannot be had. */
  countHunks(change: RecordedChange): number | null;
  /**
   * Checkpoints between the two are gone: paths that changed there and were then again as in an older checkpoint, with the
   * number of that one.
   */
  revertedPaths(newer: Checkpoint, older: Checkpoint): ReadonlyMap<TreePath, number>;
}

/** Checkpoints that can be read. */
export interface CheckpointReader {
  find(checkpoint: CheckpointId): Checkpoint | undefined;
  /** The newest first. */
  upTo(number: number): Iterable<Checkpoint>;
}

export function activitySource(objects: ObjectReader, readable: CheckpointReader): ActivitySource {
  const snapshotOf = (id: CheckpointId): Snapshot | undefined => readable.find(id)?.snapshot;
  return {
    snapshotOf,
    entryAt: (id, path) => {
      const snapshot = snapshotOf(id);
      return snapshot === undefined ? undefined : entryOf(stateAt(cachedFolderReader(objects), snapshot, path));
    },
    changeOf: (given) => {
      const id = parseChangeId(given);
      return id === null ? undefined : readable.find(checkpointId(id.checkpoint))?.changes?.[id.place - 1];
    },
    touchedBy: ({ previous, snapshot }) => {
      const before = previous === null ? undefined : snapshotOf(previous);
      return before === undefined ? [] : [...differences(objects, before, snapshot)].map(({ path }) => path);
    },
    countHunks: (change) => {
      const isThere = [change.before, change.after].every(
        (entry) => entry === null || entry.kind === 'folder' || objects.has(entry.id),
      );
      return isThere ? (hunksOf(objects, change)?.length ?? null) : null;
    },
    revertedPaths: (newer, older) =>
      lastCheckpointWith(readable.upTo(older.number), changedBetween(objects, newer, older)),
  };
}

/** What paths were just before `newer`, where `older` had something else there. */
function changedBetween(objects: ObjectReader, newer: Checkpoint, older: Checkpoint): Map<TreePath, Entry | null> {
  const changed = new Map<TreePath, Entry | null>();
  if (newer.changes === null) return changed;
  for (const { path, before, after } of differences(objects, older.snapshot, newer.snapshot)) {
    const [was, is] = [entryOf(before), entryOf(after)];
    if (was !== undefined && is !== undefined) changed.set(path, is);
  }
  const read = cachedFolderReader(objects);
  for (const change of newer.changes) {
    for (const [at, entry] of statesBefore(change)) {
      const was = entryOf(stateAt(read, older.snapshot, at));
      if (was === undefined || sameEntry(was, entry)) changed.delete(at);
      else changed.set(at, entry);
    }
  }
  // What is not there any more may have moved.
  for (const [path, entry] of changed) if (entry === null || entry.kind === 'folder') changed.delete(path);
  return changed;
}

/** What its paths held before a change. */
function statesBefore({
  path,
  from,
  before,
}: Pick<RecordedChange, 'path' | 'from' | 'before'>): readonly (readonly [TreePath, Entry | null])[] {
  if (from === null) return [[path, before]];
  return [
    [path, null],
    [from, before],
  ];
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
        if (entry === undefined || !sameEntry(entry, was)) continue;
        found.set(at, number - 1);
        wanted.delete(at);
      }
    }
    if (wanted.size === 0) break;
  }
  return found;
}

function entryOf({ entry, skip }: PathState): Entry | null | undefined {
  return skip === null ? entry : undefined;
}
