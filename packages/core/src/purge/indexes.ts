/** Recorded indexes of which nothing may be left after a purge. */

import { Unusable } from '../git/file.ts';
import { type IndexFile, parseIndexFile } from '../git/index-file.ts';
import { type IndexEntry, trackedIn } from '../git/tracked.ts';
import type { Checkpoint, RecordedIndex } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, isWithin, joinPaths, type TreePath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import { withoutIndex } from '../timeline/capture/record-index.ts';

const ID_BYTES = 20;

/** Contents that were staged at the paths; they may stand in no snapshot. */
export function stagedAt(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  paths: readonly TreePath[],
): ReadonlySet<ObjectId> {
  const found = new Set<ObjectId>();
  const seen = new Set<string>();
  for (const { path: root, index } of checkpoints.flatMap(({ roots }) => roots)) {
    if (index === undefined || index.staged.length === 0 || seen.has(`${index.id} ${root}`)) continue;
    seen.add(`${index.id} ${root}`);
    const staged = new Map<string, ObjectId>(index.staged.map((one) => [one, one]));
    for (const { path, id } of entriesOf(objects, index.id)) {
      const wanted = staged.get(id);
      if (wanted !== undefined && isAt(paths, root, path)) found.add(wanted);
    }
  }
  return found;
}

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
      return parsed(id, bytes).paths.some((path) => isAt(this.paths, root, path));
    } catch (error) {
      // Of what cannot be read nobody knows what it tells.
      if (cannotBeRead(error)) return true;
      throw error;
    }
  }
}

/** None where it cannot be read: then it goes anyway, and nothing of it is left. */
function entriesOf(objects: ObjectReader, id: ObjectId): Iterable<IndexEntry> {
  try {
    return trackedIn(parsed(id, readBlob(objects, id)))?.entries() ?? [];
  } catch (error) {
    if (cannotBeRead(error)) return [];
    throw error;
  }
}

function parsed(id: ObjectId, bytes: Buffer): IndexFile {
  return parseIndexFile(id as string as DiskPath, bytes, ID_BYTES);
}

function isAt(paths: readonly TreePath[], root: TreePath, path: string): boolean {
  const full = joinPaths(root, path as TreePath);
  return paths.some((each) => isWithin(full, each));
}

function cannotBeRead(error: unknown): boolean {
  return error instanceof Unusable || (error instanceof SavepointError && error.code === 'STORE_DAMAGED');
}
