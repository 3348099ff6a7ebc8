/** What a preview shows on request: what would change as a patch, and whole contents of what is in conflict. */

import { type MergePart, mergeThreeWay } from '../content/three-way.ts';
import type { Patch } from '../content/unified-patch.ts';
import { PatchWriter } from '../content/unified-patch.ts';
import type { Pace } from '../io/pace.ts';
import type { Entry } from '../model/entries.ts';
import type { TreePath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import { addPathToPatch } from '../timeline/diff/compare.ts';
import type { ChangeSet } from './change-set.ts';

export interface DetailRequest {
  readonly patch: boolean;
  /** Paths in conflict. Others are ignored: they may have been decided meanwhile. */
  readonly sides: readonly TreePath[];
}

export interface PreviewDetail {
  /** From the current files to what the operation would write; null: not requested. */
  readonly patch: Patch | null;
  readonly sides: readonly WholeSides[];
}

/** The contents of a path in conflict. Null: there is none, or it is not a file, or it is too long. */
export interface WholeSides {
  readonly path: TreePath;
  readonly base: Buffer | null;
  /** The current content. */
  readonly ours: Buffer | null;
  /** What the operation would write. */
  readonly theirs: Buffer | null;
  /** The merge, with its conflicts; null: it cannot be merged by line. */
  readonly parts: readonly MergePart[] | null;
}

export async function detailOf(
  objects: ObjectReader,
  { paths, conflicts }: ChangeSet,
  { patch, sides }: DetailRequest,
  pace: Pace,
): Promise<PreviewDetail> {
  const wanted = new Set(sides);
  const writer = new PatchWriter();
  for (const { path, from, to } of patch ? paths : []) {
    if (pace.isDue()) await pace.yieldNow();
    addPathToPatch(writer, objects, path, from, to);
  }
  return {
    patch: patch ? writer.finish() : null,
    sides: conflicts.flatMap((conflict) =>
      wanted.has(conflict.path) && conflict.sides !== undefined
        ? [wholeSides(objects, conflict.path, conflict.sides)]
        : [],
    ),
  };
}

/** A person edits what is shorter. */
const MAX_BYTES = 2 * 1024 * 1024;

function wholeSides(
  objects: ObjectReader,
  path: TreePath,
  entries: { readonly base: Entry | null; readonly ours: Entry | null; readonly theirs: Entry | null },
): WholeSides {
  const contentOf = (entry: Entry | null): Buffer | null =>
    entry?.kind === 'file' && (objects.info(entry.id)?.size ?? 0) <= MAX_BYTES ? readBlob(objects, entry.id) : null;
  const [base, ours, theirs] = [contentOf(entries.base), contentOf(entries.ours), contentOf(entries.theirs)];
  return { path, base, ours, theirs, parts: partsOf(entries.base === null ? Buffer.alloc(0) : base, ours, theirs) };
}

function partsOf(base: Buffer | null, ours: Buffer | null, theirs: Buffer | null): readonly MergePart[] | null {
  if (base === null || ours === null || theirs === null) return null;
  const merge = mergeThreeWay(base, ours, theirs);
  return merge.ok ? null : merge.parts;
}
