/** What the last checkpoint has in a folder. In dependency folders, a scan looks for the paths that it captured. */

import type { Snapshot } from '../../model/entries.ts';
import type { ObjectId } from '../../model/ids.ts';
import { baseName, type Name, parentPath, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import type { TreeEntry } from '../../store/objects/tree.ts';
import { NOTE_NAME, nameFromSide } from '../../store/snapshot/side.ts';
import { type FolderContents, type FolderRef, readFolder, readTree, rootOf } from '../../store/snapshot/snapshot.ts';

const FOLDER = 0o040000;

/** A folder that cannot be read counts as missing: a damaged checkpoint must not prevent the next one. */
export class LastSnapshot {
  /** By path. */
  readonly #subfolders = new Map<TreePath, ReadonlyMap<Name, FolderRef>>();

  constructor(
    private readonly reader: ObjectReader,
    /** Null if there is no checkpoint yet. */
    private readonly snapshot: Snapshot | null,
  ) {}

  hasFolder(path: TreePath): boolean {
    return this.#folderAt(path) !== null;
  }

  /** Whether the folder at the path has exactly these trees. */
  holds(path: TreePath, { files, side }: FolderRef): boolean {
    const found = this.#folderAt(path);
    return found !== null && found.files === files && found.side === side;
  }

  /** Whether the folder at the path has a file or link of this name with this content. */
  holdsLeaf(path: TreePath, name: Name, id: ObjectId): boolean {
    const entry = this.#contentsOf(path)?.entries.get(name);
    return entry !== undefined && entry.kind !== 'folder' && entry.id === id;
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
    const folder = this.#folderAt(path);
    return folder === null ? null : unlessDamaged(undefined, () => readFolder(this.reader, folder));
  }

  /** Reads trees only, because every dependency folder is looked up. */
  #folderAt(path: TreePath): FolderRef | null {
    if (this.snapshot === null) return null;
    if (path === WORKSPACE_ITSELF) return rootOf(this.snapshot);
    const parent = parentPath(path);
    let below = this.#subfolders.get(parent);
    if (below === undefined) {
      const folder = this.#folderAt(parent);
      below = folder === null ? new Map() : this.#subfoldersIn(folder);
      this.#subfolders.set(parent, below);
    }
    return below.get(baseName(path)) ?? null;
  }

  #subfoldersIn(folder: FolderRef): ReadonlyMap<Name, FolderRef> {
    const sides = new Map(
      this.#entriesOf(folder.side).flatMap(({ name, id }) => (name === NOTE_NAME ? [] : [[nameFromSide(name), id]])),
    );
    return new Map(
      this.#entriesOf(folder.files).flatMap(({ name, mode, id }) =>
        mode === FOLDER ? [[name, { kind: 'folder', files: id, side: sides.get(name) ?? null }]] : [],
      ),
    );
  }

  #entriesOf(tree: ObjectId | null): readonly TreeEntry[] {
    return tree === null ? [] : (unlessDamaged(undefined, () => readTree(this.reader, tree)) ?? []);
  }
}
