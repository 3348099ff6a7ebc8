/**
 * Gaps of the timeline: between two neighbouring checkpoints, others were dropped or cannot be read. What changed in
 * between is known from the two states, but nothing records who changed it.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { type Entry, sameEntry } from '../../model/entries.ts';
import { parentPath, type TreePath } from '../../model/names.ts';
import { type OnDamage, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import { differences, type PathState, stateAt } from './snapshot-diff.ts';

/** Undefined if the path was not captured, or its state cannot be read. */
type KnownEntry = Entry | null | undefined;

/** A path that changed in a gap, with its entries at the end of the older checkpoint and at the end of the gap. */
export interface GapChange {
  readonly before: KnownEntry;
  readonly after: KnownEntry;
}

/** Returns whether checkpoints between the two are missing. `older` is the readable checkpoint before `newer`. */
export function isGap(older: Pick<Checkpoint, 'id'>, newer: Pick<Checkpoint, 'previous'>): boolean {
  return newer.previous !== null && newer.previous !== older.id;
}

/**
 * Returns the paths that changed in the gap between two checkpoints. If the newer one does not list its own changes,
 * they cannot be distinguished from those in the gap, and are included. Folders that appear or disappear together with a
 * path in them are left out.
 * @param onDamage receives each error of a damaged folder, whose paths count as not captured
 */
export function changesInGap(
  objects: ObjectReader,
  older: Checkpoint,
  newer: Checkpoint,
  onDamage: OnDamage,
): ReadonlyMap<TreePath, GapChange> {
  const changed = new Map<TreePath, GapChange>();
  for (const { path, before, after } of differences(objects, older.snapshot, newer.snapshot, onDamage)) {
    changed.set(path, { before: entryOf(before), after: entryOf(after) });
  }
  const read = cachedFolderReader(objects);
  const own = newer.changes ?? [];
  for (const change of own) {
    for (const [path, after] of statesBefore(change)) {
      const state = unlessDamaged(onDamage, () => stateAt(read, older.snapshot, path));
      const before = state === null ? undefined : entryOf(state);
      if (before !== undefined && after !== undefined && sameEntry(before, after)) changed.delete(path);
      else changed.set(path, { before, after });
    }
  }
  const parents = parentsOf([
    ...own.flatMap((change) => statesBefore(change).map(([path]) => path)),
    ...changed.keys(),
  ]);
  for (const [path, change] of changed) if (isOnlyFolder(change) && parents.has(path)) changed.delete(path);
  return changed;
}

/** Returns the paths of a change with their entries before it. */
export function statesBefore({
  path,
  from,
  before,
  uncapturedBefore,
}: Pick<RecordedChange, 'path' | 'from' | 'before' | 'uncapturedBefore'>): readonly (readonly [
  TreePath,
  KnownEntry,
])[] {
  if (from === null) return [[path, uncapturedBefore === undefined ? before : undefined]];
  return [
    [path, null],
    [from, before],
  ];
}

export function entryOf({ entry, skip }: PathState): KnownEntry {
  return skip === null ? entry : undefined;
}

/** Returns all folders above the paths. */
function parentsOf(paths: readonly TreePath[]): ReadonlySet<TreePath> {
  const parents = new Set<TreePath>();
  for (const path of paths) {
    for (let at = parentPath(path); at !== '' && !parents.has(at); at = parentPath(at)) parents.add(at);
  }
  return parents;
}

/** A folder that was created or removed, and is not the same as a file that became a folder. */
function isOnlyFolder({ before, after }: GapChange): boolean {
  return (before === null && after?.kind === 'folder') || (after === null && before?.kind === 'folder');
}
