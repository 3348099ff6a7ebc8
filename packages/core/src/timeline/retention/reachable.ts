/** Finds every object that checkpoints need. */

import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CheckpointId, checkpointId, EMPTY_TREE, type ObjectId } from '../../model/ids.ts';
import { decodeCommit } from '../../store/objects/commit.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { decodeTree } from '../../store/objects/tree.ts';
import { type CheckpointRef, readCheckpoint } from '../record/timeline.ts';

const FOLDER = 0o040000;

/**
 * Returns the ids of all objects that the commits need, visiting each once. These are their trees, and the contents
 * before each change that they list: the checkpoint that held those may have been dropped. The only blobs it reads
 * are checkpoint records.
 * @param seen known ids; everything below them is assumed to be known as well
 * @throws SavepointError STORE_DAMAGED at the first commit or tree that cannot be read
 */
export async function reachable(
  objects: ObjectReader,
  commits: Iterable<ObjectId>,
  pace: Pace,
  seen: Set<ObjectId> = new Set(),
): Promise<Set<ObjectId>> {
  for (const commit of commits) {
    if (seen.has(commit)) continue;
    seen.add(commit);
    const open = [decodeCommit(readTyped(objects, commit, 'commit'), commit).tree];
    for (const id of contentsBefore(objects, commit)) seen.add(id);
    for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
      if (seen.has(tree)) continue;
      seen.add(tree);
      // Readers have the empty tree built in, but git's fsck does not.
      if (tree === EMPTY_TREE) continue;
      if (pace.isDue()) await pace.yieldNow();
      for (const { mode, id } of decodeTree(readTyped(objects, tree, 'tree'), { id: tree })) {
        if (mode === FOLDER) open.push(id);
        else seen.add(id);
      }
    }
  }
  return seen;
}

/** A damaged checkpoint, with the objects it needs that are missing or cannot be read. */
export interface CheckpointDamage {
  readonly checkpoint: CheckpointId;
  readonly objects: readonly ObjectId[];
}

/**
 * Checks that every object a checkpoint needs exists and, for commits and trees, is readable.
 * @param damaged objects known to be damaged from a full read
 */
export async function findCheckpointDamage(
  objects: ObjectReader,
  refs: readonly CheckpointRef[],
  damaged: ReadonlySet<ObjectId>,
  pace: Pace,
): Promise<readonly CheckpointDamage[]> {
  const below = new Map<ObjectId, ReadonlySet<ObjectId>>();
  const NONE: ReadonlySet<ObjectId> = new Set();

  async function problemsOf(id: ObjectId, kind: 'commit' | 'tree' | 'blob'): Promise<ReadonlySet<ObjectId>> {
    if (id === EMPTY_TREE) return NONE;
    const known = below.get(id);
    if (known !== undefined) return known;
    if (pace.isDue()) await pace.yieldNow();
    let found: ReadonlySet<ObjectId> = NONE;
    if (damaged.has(id) || !objects.has(id)) found = new Set([id]);
    else if (kind !== 'blob') {
      try {
        const data = readTyped(objects, id, kind);
        const parts =
          kind === 'commit'
            ? [{ mode: FOLDER, id: decodeCommit(data, id).tree }]
            : decodeTree(data, { id }).map((entry) => ({ mode: entry.mode as number, id: entry.id }));
        for (const part of parts) {
          const problems = await problemsOf(part.id, part.mode === FOLDER ? 'tree' : 'blob');
          if (problems.size > 0) found = new Set([...found, ...problems]);
        }
      } catch (error) {
        if (!(error instanceof SavepointError)) throw error;
        found = new Set([id]);
      }
    }
    below.set(id, found);
    return found;
  }

  const affected: CheckpointDamage[] = [];
  for (const { number, commit } of refs) {
    const problems = await problemsOf(commit, 'commit');
    if (problems.size > 0) affected.push({ checkpoint: checkpointId(number), objects: [...problems].sort() });
  }
  return affected;
}

/** An unreadable checkpoint record names no contents. The files of its checkpoint are still needed. */
function* contentsBefore(objects: ObjectReader, commit: ObjectId): Generator<ObjectId> {
  let changes: Checkpoint['changes'];
  try {
    changes = readCheckpoint(objects, commit).changes;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') return;
    throw error;
  }
  for (const { before } of changes ?? []) if (before !== null && before.kind !== 'folder') yield before.id;
}

function readTyped(objects: ObjectReader, id: ObjectId, type: 'commit' | 'tree'): Buffer {
  const object = objects.read(id);
  if (object.type !== type) {
    throw new SavepointError('STORE_DAMAGED', `Object ${id} is a ${object.type}, but should be a ${type}.`, {
      object: id,
    });
  }
  return object.data;
}
