/** Selects the objects of a bundle. */

import type { Pace } from '../../io/pace.ts';
import { EMPTY_TREE, type ObjectId, PURGED } from '../../model/ids.ts';
import { decodeCommit } from '../../store/objects/commit.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { decodeTree } from '../../store/objects/tree.ts';
import type { DerivedCommit } from './derived-chain.ts';

const FOLDER = 0o040000;

/**
 * Returns every object that the commits need, once: trees, contents, and the contents before each recorded change if
 * the store still has them. The order follows the chain, so equal chains produce equal packs.
 * @param base the commit that the recipient has; objects in its trees are omitted
 */
export async function objectsOf(
  objects: ObjectReader,
  links: readonly DerivedCommit[],
  base: ObjectId | null,
  pace: Pace,
): Promise<readonly ObjectId[]> {
  const seen = new Set<ObjectId>();
  if (base !== null) await collect(objects, base, seen, pace);
  const known = seen.size;
  for (const { commit, checkpoint } of links) {
    await collect(objects, commit, seen, pace);
    for (const { before } of checkpoint.changes ?? []) {
      if (before === null || before.kind === 'folder' || before.id === PURGED || seen.has(before.id)) continue;
      if (objects.has(before.id)) seen.add(before.id);
    }
  }
  return [...seen].slice(known);
}

async function collect(objects: ObjectReader, commit: ObjectId, seen: Set<ObjectId>, pace: Pace): Promise<void> {
  if (seen.has(commit)) return;
  seen.add(commit);
  const open = [decodeCommit(objects.read(commit).data, commit).tree];
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    if (seen.has(tree)) continue;
    seen.add(tree);
    if (tree === EMPTY_TREE) continue;
    if (pace.isDue()) await pace.yieldNow();
    for (const { mode, id } of decodeTree(objects.read(tree).data, { id: tree })) {
      if (mode === FOLDER) open.push(id);
      else seen.add(id);
    }
  }
}
