/** Finds all contents that some paths ever had, and other paths with the same bytes. */

import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { EMPTY_TREE, type ObjectId, PURGED } from '../model/ids.ts';
import { childPath, isWithin, joinPaths, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readTree } from '../store/snapshot/snapshot.ts';
import { stagedContentsAt } from './indexes.ts';

/** A content, and a path that has it. */
export interface ContentPath {
  readonly path: TreePath;
  readonly id: ObjectId;
}

export interface PurgedContents {
  /** Blobs of files and links. */
  readonly contents: ReadonlySet<ObjectId>;
  readonly elsewhere: readonly ContentPath[];
}

const FOLDER = 0o040000;

export async function findContents(
  objects: ObjectReader,
  states: readonly Pick<Checkpoint, 'snapshot' | 'changes' | 'roots'>[],
  paths: readonly TreePath[],
  pace: Pace,
): Promise<PurgedContents> {
  const isSelected = (path: TreePath): boolean => paths.some((each) => isWithin(path, each));
  const contents = new Set<ObjectId>(stagedContentsAt(objects, states, paths));
  const named: ContentPath[] = [];
  const seen = new Set<ObjectId>();
  for (const { snapshot, changes } of states) {
    if (!seen.has(snapshot.files))
      await collectContents({ objects, paths, contents, pace }, snapshot.files, WORKSPACE_ITSELF);
    seen.add(snapshot.files);
    // Contents before a change or at the old path of a rename may not be in any remaining checkpoint.
    for (const { path, from, before, after } of changes ?? []) {
      for (const [at, entry] of [
        [from ?? path, before],
        [path, after],
      ] as const) {
        if (entry === null || entry.kind === 'folder' || entry.id === PURGED) continue;
        if (isSelected(at)) contents.add(entry.id);
        else named.push({ path: at, id: entry.id });
      }
    }
  }
  const elsewhere = named.filter(({ id }) => contents.has(id));
  const known = new Map<ObjectId, readonly ContentPath[]>();
  for (const files of seen) {
    for (const place of await pathsWithContent(objects, files, contents, known, pace)) {
      if (!isSelected(place.path)) elsewhere.push(place);
    }
  }
  return { contents, elsewhere };
}

interface Collection {
  readonly objects: ObjectReader;
  readonly paths: readonly TreePath[];
  /** The contents found at the paths so far. */
  readonly contents: Set<ObjectId>;
  readonly pace: Pace;
}

/** Visits only folders on the way to the paths, and below them. */
async function collectContents(collection: Collection, tree: ObjectId, at: TreePath): Promise<void> {
  const { objects, paths, contents, pace } = collection;
  if (pace.isDue()) await pace.yieldNow();
  for (const { name, mode, id } of readTree(objects, tree)) {
    const path = childPath(at, name);
    const isInside = paths.some((each) => isWithin(path, each));
    if (!isInside && !paths.some((each) => isWithin(each, path))) continue;
    if (mode === FOLDER) await collectContents(collection, id, path);
    else if (isInside) contents.add(id);
  }
}

/** Visits each tree once, even if several checkpoints share it. Paths are relative to the tree. */
async function pathsWithContent(
  objects: ObjectReader,
  tree: ObjectId,
  wanted: ReadonlySet<ObjectId>,
  known: Map<ObjectId, readonly ContentPath[]>,
  pace: Pace,
): Promise<readonly ContentPath[]> {
  if (tree === EMPTY_TREE || wanted.size === 0) return [];
  const before = known.get(tree);
  if (before !== undefined) return before;
  if (pace.isDue()) await pace.yieldNow();
  const found: ContentPath[] = [];
  for (const { name, mode, id } of readTree(objects, tree)) {
    if (mode === FOLDER) {
      for (const inner of await pathsWithContent(objects, id, wanted, known, pace)) {
        found.push({ path: joinPaths(childPath(WORKSPACE_ITSELF, name), inner.path), id: inner.id });
      }
    } else if (wanted.has(id)) found.push({ path: childPath(WORKSPACE_ITSELF, name), id });
  }
  known.set(tree, found);
  return found;
}
