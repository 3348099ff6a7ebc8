/** What differs between two states, as a list and as a patch. */

import { type Patch, type PatchSide, PatchWriter } from '../content/unified-patch.ts';
import type { Pace } from '../io/pace.ts';
import type { Change, ChangeTotals } from '../model/checkpoint.ts';
import type { Entry, Snapshot } from '../model/entries.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot.ts';
import { listChanges, totalsOf } from './changes.ts';

export interface Comparison {
  readonly changes: readonly Change[];
  readonly totals: ChangeTotals;
  /** Null unless asked for. */
  readonly patch: Patch | null;
}

/** @param paths only these and what is below them; none for everything */
export async function compare(
  objects: ObjectReader,
  before: Snapshot,
  after: Snapshot,
  paths: readonly TreePath[],
  withPatch: boolean,
  pace: Pace,
): Promise<Comparison> {
  const all = await listChanges(objects, before, after, pace);
  const changes =
    paths.length === 0 ? all.changes : all.changes.filter(({ path }) => paths.some((folder) => isWithin(path, folder)));
  return {
    changes,
    totals: paths.length === 0 ? all.totals : totalsOf(changes),
    patch: withPatch ? await patchOf(objects, changes, pace) : null,
  };
}

async function patchOf(objects: ObjectReader, changes: readonly Change[], pace: Pace): Promise<Patch> {
  const writer = new PatchWriter();
  for (const { path, before, after } of changes) {
    if (pace.due()) await pace.breathe();
    writer.add({ path, before: side(objects, before), after: side(objects, after) });
  }
  return writer.finish();
}

function side(objects: ObjectReader, entry: Entry | null): PatchSide | null {
  if (entry === null || entry.kind === 'folder') return entry;
  const { id } = entry;
  return { ...entry, size: objects.info(id)?.size ?? 0, read: () => readBlob(objects, id) };
}
