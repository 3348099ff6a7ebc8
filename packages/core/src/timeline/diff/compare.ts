/** Compares two states, as a list of changes and as a patch. */

import { type Patch, type PatchSide, PatchWriter } from '../../content/unified-patch.ts';
import type { Pace } from '../../io/pace.ts';
import type { Change, ChangeTotals } from '../../model/checkpoint.ts';
import type { Entry, Snapshot } from '../../model/entries.ts';
import type { TreePath } from '../../model/names.ts';
import { type OnDamage, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { listChanges } from './changes.ts';

export interface SnapshotComparison {
  readonly changes: readonly Change[];
  readonly totals: ChangeTotals;
  /** Null unless requested. */
  readonly patch: Patch | null;
}

export interface CompareInput {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Only these paths and everything below them. Default: everything. */
  readonly paths?: readonly TreePath[];
  /** Default false. */
  readonly patch?: boolean;
  /** See `ListOptions`. A patch then lacks damaged contents. Default: a damaged folder or content is an error. */
  readonly onDamage?: OnDamage;
  /** See `ListOptions`. */
  readonly uncaptured?: boolean;
}

export async function compare(
  objects: ObjectReader,
  { before, after, paths = [], patch = false, onDamage, uncaptured = true }: CompareInput,
  pace: Pace,
): Promise<SnapshotComparison> {
  const options = {
    uncaptured,
    ...(paths.length === 0 ? {} : { within: paths }),
    ...(onDamage === undefined ? {} : { onDamage }),
  };
  const { changes, totals } = await listChanges(objects, before, after, pace, options);
  return { changes, totals, patch: patch ? await patchOf(objects, changes, pace, onDamage) : null };
}

/**
 * Returns a patch, without changes of which a content was not captured. A moved file is written as a deletion and a
 * creation, which every tool can apply.
 */
export async function patchOf(
  objects: ObjectReader,
  changes: readonly Change[],
  pace: Pace,
  onDamage?: OnDamage,
): Promise<Patch> {
  const writer = new PatchWriter();
  for (const change of changes) {
    if (pace.isDue()) await pace.yieldNow();
    addToPatch(writer, objects, change, onDamage);
  }
  return writer.finish();
}

/** Adds a change as `patchOf` does. */
export function addToPatch(
  writer: PatchWriter,
  objects: ObjectReader,
  { path, from, before, uncapturedBefore, after, uncapturedAfter }: Change,
  onDamage?: OnDamage,
): void {
  if (uncapturedBefore !== undefined || uncapturedAfter !== undefined) return;
  const sideOf = (entry: Entry | null): PatchSide | null => patchSide(objects, entry, onDamage);
  if (from !== null) writer.add({ path: from, before: sideOf(before), after: null });
  writer.add({ path, before: from === null ? sideOf(before) : null, after: sideOf(after) });
}

/** Adds what one path becomes. */
export function addPathToPatch(
  writer: PatchWriter,
  objects: ObjectReader,
  path: TreePath,
  before: Entry | null,
  after: Entry | null,
): void {
  writer.add({ path, before: patchSide(objects, before, undefined), after: patchSide(objects, after, undefined) });
}

function patchSide(objects: ObjectReader, entry: Entry | null, onDamage: OnDamage | undefined): PatchSide | null {
  if (entry === null || entry.kind === 'folder') return entry;
  const { id } = entry;
  if (onDamage === undefined) return { ...entry, size: objects.info(id)?.size ?? 0, read: () => readBlob(objects, id) };
  const size = unlessDamaged(onDamage, () => objects.info(id))?.size ?? 0;
  return { ...entry, size, read: () => unlessDamaged(onDamage, () => readBlob(objects, id)) };
}
