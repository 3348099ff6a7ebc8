/** Finds the paths of a checkpoint that need lost objects. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';
import { childPath, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readTree } from '../../store/snapshot/snapshot.ts';

/** More paths are not listed. */
const MAX_PATHS = 1_000;
const FOLDER = 0o040000;

/** Returns the files, and the folders of which nothing is known. */
export function lostPaths(
  objects: ObjectReader,
  { snapshot }: Checkpoint,
  lost: ReadonlySet<ObjectId>,
): readonly TreePath[] {
  const paths = new Set<TreePath>();
  const intact = new Set<ObjectId>();
  const isIntact = (tree: ObjectId, path: TreePath): boolean => {
    if (intact.has(tree) || paths.size >= MAX_PATHS) return true;
    const entries = unlessDamaged(undefined, () => readTree(objects, tree));
    if (entries === null) {
      paths.add(path);
      return false;
    }
    let whole = true;
    for (const { name, mode, id } of entries) {
      const child = childPath(path, name);
      if (mode === FOLDER) whole = isIntact(id, child) && whole;
      else if (lost.has(id)) {
        whole = false;
        paths.add(child);
      }
    }
    if (whole) intact.add(tree);
    return whole;
  };
  isIntact(snapshot.files, WORKSPACE_ITSELF);
  return [...paths].slice(0, MAX_PATHS);
}
