/** Puts commits that the store keeps back into a repository that has lost them, for example through `git gc`. */

import type { Pace } from '../io/pace.ts';
import { EMPTY_TREE, isObjectId, type ObjectId } from '../model/ids.ts';
import { decodeCommit } from '../store/objects/commit.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { writePack } from '../store/objects/packs/write-pack.ts';
import { decodeTree } from '../store/objects/tree.ts';
import type { GitObjects } from './objects.ts';
import { firstErrorLine, type Git } from './program.ts';
import type { GitState } from './repository.ts';

export interface LostCommits {
  /** Objects that the store has and the repository lacks. */
  readonly missing: readonly ObjectId[];
  /** Commits of the repository on which they build. */
  readonly boundary: readonly ObjectId[];
}

const FOLDER = 0o40000;
const SUBMODULE = 0o160000;
/** A pack is built in memory. */
const PACK_BYTES = 64 * 1024 * 1024;

/** @returns null if neither the repository nor the store has one of the objects */
export async function findLostCommits(
  own: GitObjects,
  kept: ObjectReader,
  commit: string,
  pace: Pace,
): Promise<LostCommits | null> {
  const missing = new Set<ObjectId>();
  const boundary = new Set<ObjectId>();
  const seen = new Set<ObjectId>();
  if (!isObjectId(commit)) return null;
  const commits: ObjectId[] = [commit];
  for (let next = commits.pop(); next !== undefined; next = commits.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (own.has(next)) {
      boundary.add(next);
      continue;
    }
    if (!kept.has(next)) return null;
    missing.add(next);
    const { tree, parents } = decodeCommit(kept.read(next).data, next);
    commits.push(...parents);
    const trees = [tree];
    for (let folder = trees.pop(); folder !== undefined; folder = trees.pop()) {
      // git knows the empty tree without an object.
      if (folder === EMPTY_TREE || seen.has(folder)) continue;
      seen.add(folder);
      if (pace.isDue()) await pace.yieldNow();
      if (!kept.has(folder)) return null;
      if (!own.has(folder)) missing.add(folder);
      for (const { mode, id } of decodeTree(kept.read(folder).data, { foreign: true, id: folder })) {
        if (mode === FOLDER) trees.push(id);
        else if (mode !== SUBMODULE && !own.has(id)) {
          if (!kept.has(id)) return null;
          missing.add(id);
        }
      }
    }
  }
  return { missing: [...missing], boundary: [...boundary] };
}

/** Returns git's error if an object is missing that these commits need; null if the repository has all of them. */
export async function findGap(git: Git, state: GitState, commits: readonly string[]): Promise<string | null> {
  if (commits.length === 0) return null;
  // Refs are assumed to be complete, as `git fetch` does. A partial clone lacks objects on purpose.
  const args = ['rev-list', '--objects', '--exclude-promisor-objects', '--quiet', ...commits, '--not', '--all'];
  const done = await git.run(state, args);
  return done.exit === 0 ? null : firstErrorLine(done);
}

/** Adds the objects to the repository, in packs that git writes. @returns git's error, or null */
export async function writePacks(
  git: Git,
  state: GitState,
  kept: ObjectReader,
  ids: readonly ObjectId[],
  pace: Pace,
): Promise<string | null> {
  for (const part of partsOf(kept, ids)) {
    const pieces: Uint8Array[] = [];
    await writePack(kept, part, (piece) => pieces.push(piece), pace, 'apply');
    const done = await git.run(state, ['index-pack', '--stdin'], Buffer.concat(pieces));
    if (done.exit !== 0) return firstErrorLine(done);
  }
  return null;
}

function* partsOf(kept: ObjectReader, ids: readonly ObjectId[]): Iterable<readonly ObjectId[]> {
  let part: ObjectId[] = [];
  let bytes = 0;
  for (const id of ids) {
    const size = kept.info(id)?.size ?? 0;
    if (part.length > 0 && bytes + size > PACK_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(id);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
