/**
 * A bundle from anybody, looked through to its last byte before anything is made of it: what passes could have been
 * written by a capture of ours. It is read where it lies, so there is nothing to clean up after a refusal.
 */

import { showName } from '../../content/show-name.ts';
import { kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { EMPTY_TREE, type ObjectId, PURGED } from '../../model/ids.ts';
import { type DiskPath, nameToJson } from '../../model/names.ts';
import { type Commit, decodeCommit } from '../../store/objects/commit.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { readFully } from '../../store/objects/handles.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { type BundleHeader, type Continued, continuedIn, decodeHeader, HEADER_BYTES } from '../write/header.ts';
import { SnapshotCheck } from './check-snapshot.ts';
import { checkStory } from './check-story.ts';
import { checkTree, plainNames, TreeProblem } from './check-tree.ts';
import { BUNDLE_LIMITS, type BundleLimits } from './limits.ts';
import { BundleObjects } from './objects.ts';
import { incomplete, refused } from './refusal.ts';
import { scanPack } from './scan-pack.ts';

export interface SoundBundle {
  /** Oldest first; at least one. */
  readonly checkpoints: readonly Checkpoint[];
  /** What it goes on from; null where it holds all that it needs. */
  readonly continues: Continued | null;
  readonly objects: BundleObjects;
  close(): void;
}

/**
 * @param file a regular file; its links are resolved
 * @param store what the bundle may go on from; null where there is nothing
 * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, IO
 */
export async function checkBundle(
  ports: Ports,
  file: DiskPath,
  store: ObjectReader | null,
  pace: Pace,
  limits: BundleLimits = BUNDLE_LIMITS,
): Promise<SoundBundle> {
  const { header, length, fileBytes } = readHeader(ports, file, limits);
  const continues = continuedBy(header);
  if (header.prerequisites.length > 0 && store === null) {
    const needs = continues === null ? 'other checkpoints' : `cp_${continues.number}`;
    throw incomplete(`continues ${needs}, but there are no checkpoints here`, {}, { needs, newest: null });
  }
  const scanned = await scanPack(ports.fs, { path: file, start: length, fileBytes }, limits, pace);
  const objects = new BundleObjects(ports.clock, scanned, store, header.prerequisites.length === 0);
  try {
    const chain = chainOf(objects, header, limits);
    const snapshots = new SnapshotCheck(objects, ports.platform, limits, pace);
    const checkpoints: Checkpoint[] = [];
    for (const { id, commit } of chain) {
      const checkpoint = checkpointOf(objects, id, commit, ports.platform, limits);
      const before = checkpoints.at(-1);
      if (before !== undefined && before.number >= checkpoint.number) {
        throw refused(`has ${checkpoint.id} after ${before.id}`, { object: id });
      }
      await snapshots.check(checkpoint.id, checkpoint.snapshot);
      needContentsBefore(objects, checkpoint);
      checkpoints.push(checkpoint);
    }
    return { checkpoints, continues, objects, close: () => objects.close() };
  } catch (error) {
    objects.close();
    throw changedMeanwhile(error);
  }
}

function readHeader(
  { fs }: Ports,
  file: DiskPath,
  limits: BundleLimits,
): { readonly header: BundleHeader; readonly length: number; readonly fileBytes: number } {
  const fd = fs.openRead(file);
  try {
    const stat = fs.fstat(fd);
    if (kindOf(stat) !== 'file') {
      throw new SavepointError('IO', `${showName(file)} is not a file.`, {
        path: nameToJson(file),
        operation: 'openRead',
        code: 'EINVAL',
      });
    }
    if (stat.size > limits.fileBytes) {
      throw refused(`has ${stat.size} bytes; the limit is ${limits.fileBytes}`);
    }
    const start = Buffer.allocUnsafe(Math.min(HEADER_BYTES, stat.size));
    const decoded = decodeHeader(start.subarray(0, readFully(fs, fd, start, start.length, 0)));
    return { ...decoded, fileBytes: stat.size };
  } catch (error) {
    if (error instanceof FormatProblem) throw refused(error.message, { offset: 0 }, error);
    throw error;
  } finally {
    fs.close(fd);
  }
}

/** What its first line says, where it is one of ours. */
function continuedBy({ prerequisites }: BundleHeader): Continued | null {
  if (prerequisites.length > 1) throw refused('continues several histories, but a timeline has only one');
  const [first] = prerequisites;
  if (first === undefined) return null;
  const continued = continuedIn(first.comment);
  if (continued === null) throw refused('continues a commit that is not a checkpoint', { object: first.commit });
  return continued;
}

interface ChainLink {
  readonly id: ObjectId;
  readonly commit: Commit;
}

/** From the ref back to the first; oldest first. */
function chainOf(objects: BundleObjects, header: BundleHeader, limits: BundleLimits): readonly ChainLink[] {
  const [tip, ...others] = new Set(header.refs.map(({ commit }) => commit));
  if (tip === undefined || others.length > 0) throw refused('has refs to different commits');
  const before = header.prerequisites[0]?.commit ?? null;
  const chain: ChainLink[] = [];
  for (let id: ObjectId | null = tip; id !== null && id !== before; ) {
    if (!objects.isOfBundle(id)) throw refused('lacks a commit', { object: id });
    if (chain.length >= limits.checkpoints) {
      throw refused(`has more than ${limits.checkpoints} checkpoints`);
    }
    const commit = commitOf(objects, id);
    chain.push({ id, commit });
    if (commit.parents.length > 1) throw refused('has a commit with several parents', { object: id });
    id = commit.parents[0] ?? null;
    if (id === null && before !== null)
      throw refused('does not contain the checkpoint that it claims to continue', { object: before });
  }
  if (chain.length === 0) throw refused('has no checkpoint');
  return chain.reverse();
}

function commitOf(objects: BundleObjects, id: ObjectId): Commit {
  const { type, data } = objects.read(id);
  if (type !== 'commit') throw refused(`has a ${type} where a commit should be`, { object: id });
  try {
    return decodeCommit(data, id);
  } catch (error) {
    throw refused('has an invalid commit', { object: id }, error);
  }
}

function checkpointOf(
  objects: BundleObjects,
  commit: ObjectId,
  { tree }: Commit,
  platform: Ports['platform'],
  limits: BundleLimits,
): Checkpoint {
  const parts = topOf(objects, tree);
  const story = parts.get('checkpoint.json');
  const files = parts.get('files');
  const side = parts.get('side');
  const isOne =
    story?.kind === 'file' &&
    files?.kind === 'folder' &&
    (side === undefined || side.kind === 'folder') &&
    parts.size === (side === undefined ? 2 : 3);
  if (!isOne) throw refused('has a commit that is not a checkpoint', { object: commit });
  const snapshot: Snapshot = { files: files.id, side: side?.id ?? EMPTY_TREE };
  const info = objects.info(story.id);
  if (info === null) throw refused('lacks the record of a checkpoint', { object: story.id });
  if (info.type !== 'blob' || info.size > limits.storyBytes) {
    throw refused('has a checkpoint without a valid record', { object: story.id });
  }
  try {
    return checkStory(objects.read(story.id).data, commit, snapshot, platform);
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    throw refused(`has an invalid checkpoint record: ${error.message}`, { object: story.id }, error);
  }
}

function topOf(
  objects: BundleObjects,
  tree: ObjectId,
): ReadonlyMap<string, { readonly kind: string; readonly id: ObjectId }> {
  const info = objects.info(tree);
  if (info === null) throw refused('lacks the tree of a commit', { object: tree });
  if (info.type !== 'tree') throw refused(`has a ${info.type} where a tree should be`, { object: tree });
  try {
    return new Map(
      checkTree(objects.read(tree).data, plainNames).map(({ name, kind, id }) => [name as string, { kind, id }]),
    );
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error;
    throw refused(`has a tree that ${error.why}`, { object: tree }, error);
  }
}

/** Contents that a change found may be gone where the bundle was made; where they are there, they are contents. */
function needContentsBefore(objects: BundleObjects, { id, changes }: Checkpoint): void {
  for (const { before } of changes ?? []) {
    if (before === null || before.kind === 'folder' || before.id === PURGED) continue;
    const info = objects.info(before.id);
    if (info !== null && info.type !== 'blob') {
      throw refused('has a change of something other than a file', { checkpoint: id, object: before.id });
    }
    objects.need(before.id);
  }
}

/** An object that was sound when it was counted and is not now. */
function changedMeanwhile(error: unknown): unknown {
  if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') {
    return refused(`cannot be read: ${error.message.replace(/\.$/, '')}`, {}, error);
  }
  return error;
}
