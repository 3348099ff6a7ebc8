/** What is in the folders of snapshots. A tree never changes, so each is read once for all checks of a process. */

import type { Snapshot } from '../../model/entries.ts';
import { EMPTY_TREE, type ObjectId } from '../../model/ids.ts';
import { type Name, pathComponents, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readFolder } from '../../store/snapshot/snapshot.ts';

export interface FolderNames {
  readonly files: ReadonlySet<Name>;
  readonly folders: readonly Name[];
}

interface ListedTree {
  readonly names: FolderNames;
  readonly trees: ReadonlyMap<Name, ObjectId>;
}

/** More are forgotten all at once. */
const MAX_TREES = 10_000;
const NOTHING: ListedTree = { names: { files: new Set(), folders: [] }, trees: new Map() };

export class TreeListings {
  readonly #known = new Map<ObjectId, ListedTree>();

  /** Returns empty lists if the snapshot has no such folder. @throws SavepointError STORE_DAMAGED */
  at(objects: ObjectReader, snapshot: Snapshot, folder: TreePath): FolderNames {
    let listed = this.#list(objects, snapshot.files);
    for (const name of pathComponents(folder)) {
      const tree = listed.trees.get(name);
      if (tree === undefined) return NOTHING.names;
      listed = this.#list(objects, tree);
    }
    return listed.names;
  }

  #list(objects: ObjectReader, tree: ObjectId): ListedTree {
    if (tree === EMPTY_TREE) return NOTHING;
    const known = this.#known.get(tree);
    if (known !== undefined) return known;
    const files = new Set<Name>();
    const trees = new Map<Name, ObjectId>();
    for (const [name, entry] of readFolder(objects, { kind: 'folder', files: tree, side: null }).entries) {
      if (entry.kind === 'file') files.add(name);
      else if (entry.kind === 'folder') trees.set(name, entry.files);
    }
    const listed: ListedTree = { names: { files, folders: [...trees.keys()] }, trees };
    if (this.#known.size >= MAX_TREES) this.#known.clear();
    this.#known.set(tree, listed);
    return listed;
  }
}
