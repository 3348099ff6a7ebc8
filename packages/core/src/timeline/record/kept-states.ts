/** Commits without parents that keep files outside of the timeline: a JSON record beside one or more snapshots. */

import type { Snapshot } from '../../model/entries.ts';
import { EMPTY_TREE, type ObjectId } from '../../model/ids.ts';
import { type Name, nameOf } from '../../model/names.ts';
import { decodeCommit, encodeCommit } from '../../store/objects/commit.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { encodeTree, type TreeEntry } from '../../store/objects/tree.ts';
import { readTree } from '../../store/snapshot/snapshot.ts';

const FILES = nameOf('files');
const SIDE = nameOf('side');
export const BLOB = 0o100644 as const;
export const TREE = 0o040000 as const;

/** Entries of a tree by name. */
export type TreeParts = ReadonlyMap<Name, ObjectId>;

/** The entries of a snapshot in the tree of a commit. */
export function treesOf(batch: ObjectBatch, { files, side }: Snapshot) {
  for (const id of [files, side]) if (id === EMPTY_TREE) batch.add('tree', Buffer.alloc(0));
  const own = { name: FILES, mode: TREE, id: files } as const;
  return side === EMPTY_TREE ? [own] : [own, { name: SIDE, mode: TREE, id: side } as const];
}

/** @returns null if there are no files in it */
export function snapshotIn(parts: TreeParts): Snapshot | null {
  const files = parts.get(FILES);
  return files === undefined ? null : { files, side: parts.get(SIDE) ?? EMPTY_TREE };
}

/** @returns the entries of the commit's tree */
export function partsOfCommit(objects: ObjectReader, commit: ObjectId): TreeParts {
  return partsOf(objects, decodeCommit(objects.read(commit).data, commit).tree);
}

export function partsOf(objects: ObjectReader, tree: ObjectId): TreeParts {
  return new Map(readTree(objects, tree).map((one) => [one.name, one.id]));
}

/** Adds a commit of Savepoint without parents. @param time in milliseconds since 1970 */
export function addCommit(
  batch: ObjectBatch,
  entries: readonly TreeEntry[],
  { time, message }: { readonly time: number; readonly message: string },
): ObjectId {
  const tree = batch.add('tree', encodeTree(entries));
  const who = {
    name: 'Savepoint',
    email: 'savepoint@savepoint.invalid',
    time: Math.floor(time / 1000),
    zone: '+0000',
  };
  return batch.add('commit', encodeCommit({ tree, parents: [], author: who, committer: who, message }));
}
