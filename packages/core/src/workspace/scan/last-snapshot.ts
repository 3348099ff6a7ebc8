/** What the last checkpoint has in a folder. In dependency folders, a scan looks for the paths that it captured. */

import type { Snapshot } from '../../model/entries.ts';
import type { ObjectId } from '../../model/ids.ts';
import { baseName, type Name, parentPath, type TreePath } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { type FolderContents, folderAt, readFolder, readTree } from '../../store/snapshot/snapshot.ts';

const FOLDER = 0o040000;

/** A folder that cannot be read counts as missing: a damaged checkpoint must not prevent the next one. */
export class LastSnapshot {
  /** By path: the `files/` trees of the subfolders. */
  readonly #subfolders = new Map<TreePath, ReadonlyMap<Name, ObjectId>>();

  constructor(
    private readonly reader: ObjectReader,
    /** Null if there is no checkpoint yet. */
    private readonly snapshot: Snapshot | null,
  ) {}

  /** @param files the `files/` tree that the folder must have; by default, any */
  hasFolder(path: TreePath, files: ObjectId | null = null): boolean {
    const found = this.snapshot === null ? null : this.#treeOf(path, this.snapshot);
    return found !== null && (files === null || found === files);
  }

  /** Returns the names that it captured in the folder, and those that it recorded as absent. */
  namesIn(path: TreePath): readonly Name[] {
    const contents = this.#contentsOf(path);
    return contents === null ? [] : [...contents.entries.keys(), ...contents.note.absent];
  }

  hasCaptured(path: TreePath): boolean {
    return this.#contentsOf(parentPath(path))?.entries.has(baseName(path)) ?? false;
  }

  #contentsOf(path: TreePath): FolderContents | null {
    const { reader, snapshot } = this;
    if (snapshot === null || !this.hasFolder(path)) return null;
    return unlessDamaged(undefined, () => {
      const folder = folderAt(reader, snapshot, path);
      return folder === null ? null : readFolder(reader, folder);
    });
  }

  /** Reads trees only, because every dependency folder is looked up. */
  #treeOf(path: TreePath, snapshot: Snapshot): ObjectId | null {
    if (path === '') return snapshot.files;
    const parent = parentPath(path);
    let below = this.#subfolders.get(parent);
    if (below === undefined) {
      const tree = this.#treeOf(parent, snapshot);
      below = tree === null ? new Map() : this.#subfoldersIn(tree);
      this.#subfolders.set(parent, below);
    }
    return below.get(baseName(path)) ?? null;
  }

  #subfoldersIn(tree: ObjectId): ReadonlyMap<Name, ObjectId> {
    const entries = unlessDamaged(undefined, () => readTree(this.reader, tree)) ?? [];
    return new Map(entries.filter(({ mode }) => mode === FOLDER).map(({ name, id }) => [name, id]));
  }
}
