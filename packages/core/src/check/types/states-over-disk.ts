/** How two states of a workspace differ from what is on disk, as far as compilers read it. */

import type { Entry, Snapshot } from '../../model/entries.ts';
import type { TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';
import { type FilesOverDisk, isReadByCompilers, MAX_SOURCE_BYTES } from './type-findings.ts';

export interface StatesOverDisk {
  readonly base: FilesOverDisk;
  readonly proposed: FilesOverDisk;
  /** The files that differ between both. */
  readonly changed: readonly TreePath[];
}

/**
 * @param objects has what all three snapshots consist of
 * @param disk what is on disk where the checker runs
 * @returns null if more than {@link MAX_SOURCE_BYTES} differ
 * @throws SavepointError STORE_DAMAGED
 */
export function statesOverDisk(
  objects: ObjectReader,
  { disk, base, proposed }: Readonly<Record<'disk' | 'base' | 'proposed', Snapshot>>,
): StatesOverDisk | null {
  const budget = { bytes: MAX_SOURCE_BYTES };
  const states = { base: overDisk(objects, disk, base, budget), proposed: overDisk(objects, disk, proposed, budget) };
  if (budget.bytes < 0) return null;
  const changed = [...differences(objects, base, proposed)].flatMap(({ path }) =>
    isReadByCompilers(path) ? [path] : [],
  );
  return { ...states, changed };
}

function overDisk(objects: ObjectReader, disk: Snapshot, state: Snapshot, budget: { bytes: number }): FilesOverDisk {
  const files = new Map<TreePath, Uint8Array | null>();
  for (const { path, before, after } of differences(objects, disk, state)) {
    if (!isReadByCompilers(path)) continue;
    const { entry } = after;
    if (entry?.kind === 'file') {
      budget.bytes -= objects.info(entry.id)?.size ?? 0;
      if (budget.bytes < 0) break;
      files.set(path, readBlob(objects, entry.id));
    } else if (entry === null && after.skip === null && isFile(before.entry)) files.set(path, null);
  }
  return files;
}

function isFile(entry: Entry | null): boolean {
  return entry !== null && entry.kind !== 'folder';
}
