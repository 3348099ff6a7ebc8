/** The files of a snapshot, as an analysis of code reads them. */

import type { CodeTree } from '../../code/language.ts';
import { codeTree, Folders } from '../../code/tree.ts';
import { type Snapshot, sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import { childPath, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { type OnDamage, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob, readTree } from '../../store/snapshot/snapshot.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';

const FOLDER = 0o040000;
const LINK = 0o120000;
/** Larger files are data, or generated. They count as unreadable. */
const MAX_SOURCE_BYTES = 8 * 1024 * 1024;

/** Regular files only: a link shows a file that has a path of its own, or one outside. */
export class SnapshotTree implements CodeTree {
  readonly snapshot: Snapshot;
  readonly files: ReadonlyMap<TreePath, ObjectId>;
  readonly #reader: ObjectReader;
  readonly #tree: CodeTree;
  readonly #folders: Folders;

  private constructor(
    reader: ObjectReader,
    snapshot: Snapshot,
    files: ReadonlyMap<TreePath, ObjectId>,
    folders: Folders = new Folders(files),
  ) {
    this.#reader = reader;
    this.snapshot = snapshot;
    this.files = files;
    this.#folders = folders;
    this.#tree = codeTree(files, (path) => this.#contents(path), folders);
  }

  /** @param onDamage receives each error of a damaged folder, whose files are left out */
  static read(reader: ObjectReader, snapshot: Snapshot, onDamage: OnDamage): SnapshotTree {
    const files = new Map<TreePath, ObjectId>();
    const open: [TreePath, ObjectId][] = [[WORKSPACE_ITSELF, snapshot.files]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [folder, tree] = next;
      for (const { name, mode, id } of unlessDamaged(onDamage, () => readTree(reader, tree)) ?? []) {
        if (mode === FOLDER) open.push([childPath(folder, name), id]);
        else if (mode !== LINK) files.set(childPath(folder, name), id);
      }
    }
    return new SnapshotTree(reader, snapshot, files);
  }

  /**
   * Another snapshot of the same workspace, of which only what differs is read.
   * @returns the tree, and the paths of regular files that differ
   */
  moveTo(
    reader: ObjectReader,
    snapshot: Snapshot,
    onDamage: OnDamage,
  ): { readonly tree: SnapshotTree; readonly changed: readonly TreePath[] } {
    const changed: TreePath[] = [];
    if (sameSnapshot(snapshot, this.snapshot))
      return { tree: this.#with(reader, snapshot, this.files, false), changed };
    const files = new Map(this.files);
    let isMoved = false;
    for (const { path, before, after } of differences(reader, this.snapshot, snapshot, onDamage)) {
      const was = before.entry?.kind === 'file' ? before.entry.id : null;
      const now = after.entry?.kind === 'file' ? after.entry.id : null;
      if (was === now) continue;
      changed.push(path);
      isMoved ||= was === null || now === null;
      if (now === null) files.delete(path);
      else files.set(path, now);
    }
    return { tree: this.#with(reader, snapshot, files, isMoved), changed };
  }

  #with(reader: ObjectReader, snapshot: Snapshot, files: SnapshotTree['files'], isMoved: boolean): SnapshotTree {
    return new SnapshotTree(reader, snapshot, files, isMoved ? new Folders(files) : this.#folders);
  }

  hasFolder(path: TreePath): boolean {
    return this.#tree.hasFolder(path);
  }

  read(path: TreePath): Uint8Array | null {
    return this.#tree.read(path);
  }

  #contents(path: TreePath): Uint8Array | null {
    const id = this.files.get(path);
    if (id === undefined) return null;
    try {
      const size = this.#reader.info(id)?.size ?? 0;
      return size > MAX_SOURCE_BYTES ? null : readBlob(this.#reader, id);
    } catch (error) {
      // It is damaged, or a preview of the folder did not keep it.
      if (error instanceof SavepointError) return null;
      throw error;
    }
  }
}
