/** Recorded indexes, from which a purge must remove every trace. */

import { UnusableGitFile } from '../git/file.ts';
import { type IndexFile, parseIndexFile } from '../git/index-file.ts';
import { type IndexEntry, trackedPathsOf } from '../git/tracked.ts';
import type { Checkpoint, RecordedIndex } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, isWithin, joinPaths, type TreePath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import { withoutIndex } from '../timeline/capture/record-index.ts';

const ID_BYTES = 20;

/** Contents that were staged at the paths. They may not be in any snapshot. */
export function stagedContentsAt(
  objects: ObjectReader,
  checkpoints: readonly Pick<Checkpoint, 'roots'>[],
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
      if (wanted !== undefined && isPurgedPath(paths, root, path)) found.add(wanted);
    }
  }
  return found;
}

export class RecordedIndexes {
  /** Checkpoints share indexes. */
  readonly #known = new Map<string, boolean>();
  readonly #purgedIds: readonly Buffer[];

  constructor(
    private readonly objects: ObjectReader,
    private readonly paths: readonly TreePath[],
    purged: ReadonlySet<ObjectId>,
  ) {
    this.#purgedIds = [...purged].map((id) => Buffer.from(id, 'hex'));
  }

  /**
   * Drops the indexes that mention a purged path or content. A file may have been staged without being in any snapshot.
   * @returns the same checkpoint object if nothing is dropped
   */
  withoutPurged(checkpoint: Checkpoint): Checkpoint {
    const dropped = checkpoint.roots.map(({ path, index }) => index !== undefined && this.#mentionsPurged(path, index));
    if (!dropped.includes(true)) return checkpoint;
    return { ...checkpoint, roots: checkpoint.roots.map((root, at) => (dropped[at] ? withoutIndex(root) : root)) };
  }

  #mentionsPurged(root: TreePath, { id }: RecordedIndex): boolean {
    const key = `${id} ${root}`;
    const known = this.#known.get(key) ?? this.#namesPurged(root, id);
    this.#known.set(key, known);
    return known;
  }

  #namesPurged(root: TreePath, id: ObjectId): boolean {
    try {
      const bytes = readBlob(this.objects, id);
      if (this.#purgedIds.some((each) => bytes.includes(each))) return true;
      return parseIndex(id, bytes).paths.some((path) => isPurgedPath(this.paths, root, path));
    } catch (error) {
      // An unreadable index may mention anything, so it is dropped.
      if (isUnreadable(error)) return true;
      throw error;
    }
  }
}

/** Returns no entries for an unreadable index. The purge drops that index anyway. */
function entriesOf(objects: ObjectReader, id: ObjectId): Iterable<IndexEntry> {
  try {
    return trackedPathsOf(parseIndex(id, readBlob(objects, id)))?.entries() ?? [];
  } catch (error) {
    if (isUnreadable(error)) return [];
    throw error;
  }
}

function parseIndex(id: ObjectId, bytes: Buffer): IndexFile {
  return parseIndexFile(id as string as DiskPath, bytes, ID_BYTES);
}

function isPurgedPath(paths: readonly TreePath[], root: TreePath, path: string): boolean {
  const full = joinPaths(root, path as TreePath);
  return paths.some((each) => isWithin(full, each));
}

function isUnreadable(error: unknown): boolean {
  return error instanceof UnusableGitFile || (error instanceof SavepointError && error.code === 'STORE_DAMAGED');
}
