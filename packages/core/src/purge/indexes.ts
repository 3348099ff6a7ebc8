/** Recorded indexes of which nothing may be left after a purge. */
import type { Checkpoint, RecordedIndex } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, isWithin, type TreePath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot.ts';
import { withoutIndex } from '../timeline/record-index.ts';
import { Unusable } from '../workspace/git-file.ts';
import { parseIndexFile } from '../workspace/git-index-file.ts';

const ID_BYTES = 20;

export class RecordedIndexes {
  /** Checkpoints share them. */
  readonly #goes = new Map<string, boolean>();
  readonly #gone: readonly Buffer[];

  constructor(
    private readonly objects: ObjectReader,
    private readonly paths: readonly TreePath[],
    gone: ReadonlySet<ObjectId>,
  ) {
    this.#gone = [...gone].map((id) => Buffer.from(id, 'hex'));
  }

  /**
   * Without the indexes that name what is purged, whether by its path or by its content: a file may have been staged,
   * and in no snapshot. @returns the very same checkpoint where none does
   */
  without(checkpoint: Checkpoint): Checkpoint {
    const goes = checkpoint.roots.map(({ path, index }) => index !== undefined && this.#tells(path, index));
    if (!goes.includes(true)) return checkpoint;
    return { ...checkpoint, roots: checkpoint.roots.map((root, at) => (goes[at] ? withoutIndex(root) : root)) };
  }

  #tells(root: TreePath, { id }: RecordedIndex): boolean {
    const key = `${id} ${root}`;
    const known = this.#goes.get(key) ?? this.#names(root, id);
    this.#goes.set(key, known);
    return known;
  }

  #names(root: TreePath, id: ObjectId): boolean {
    try {
      const bytes = readBlob(this.objects, id);
      if (this.#gone.some((each) => bytes.includes(each))) return true;
      const { paths } = parseIndexFile(id as string as DiskPath, bytes, ID_BYTES);
      return paths.some((path) => {
        const full = root === '' ? path : `${root}/${path}`;
        return this.paths.some((each) => isWithin(full as TreePath, each));
      });
    } catch (error) {
      // Of what cannot be read nobody knows what it tells.
      if (error instanceof Unusable || (error instanceof SavepointError && error.code === 'STORE_DAMAGED')) return true;
      throw error;
    }
  }
}
