/**
 * Validates an untrusted bundle completely before anything is imported. A bundle that passes could have been written by
 * our own capture. Nothing is copied out of the file, so a rejected bundle leaves nothing to clean up.
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
import { readFully } from '../../store/objects/file-handle-cache.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import {
  type BundleHeader,
  decodeHeader,
  HEADER_BYTES,
  type PrerequisiteCheckpoint,
  parsePrerequisiteComment,
} from '../write/header.ts';
import { checkCheckpointRecord } from './check-checkpoint-record.ts';
import { SnapshotChecker } from './check-snapshot.ts';
import { checkPlainName, checkTree, TreeProblem } from './check-tree.ts';
import { BUNDLE_LIMITS, type BundleLimits } from './limits.ts';
import { BundleObjects } from './objects.ts';
import { bundleIncomplete, bundleRefused } from './refusal.ts';
import { scanPack } from './scan-pack.ts';

export interface ValidBundle {
  /** Oldest first; at least one. */
  readonly checkpoints: readonly Checkpoint[];
  /** The checkpoint that this bundle continues; null if the bundle is self-contained. */
  readonly continues: PrerequisiteCheckpoint | null;
  readonly objects: BundleObjects;
  close(): void;
}

/**
 * Validates a bundle file.
 * @param file a regular file; symbolic links are resolved
 * @param store provides the objects of the checkpoint that the bundle continues; null if there is no store
 * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, IO
 */
export async function checkBundle(
  ports: Ports,
  file: DiskPath,
  store: ObjectReader | null,
  pace: Pace,
  limits: BundleLimits = BUNDLE_LIMITS,
): Promise<ValidBundle> {
  const { header, headerBytes, fileBytes } = readHeader(ports, file, limits);
  const continues = prerequisiteOf(header);
  if (continues !== null && store === null) {
    const needs = `cp_${continues.number}`;
    throw bundleIncomplete(`continues ${needs}, but there are no checkpoints here`, {}, { needs, newest: null });
  }
  const scanned = await scanPack(ports.fs, { path: file, start: headerBytes, fileBytes }, limits, pace);
  const objects = new BundleObjects(ports.clock, scanned, store, continues === null);
  try {
    const chain = chainOf(objects, header, limits);
    const snapshots = new SnapshotChecker(objects, ports.platform, limits, pace);
    const checkpoints: Checkpoint[] = [];
    for (const { id, commit } of chain) {
      const checkpoint = checkpointOf(objects, id, commit, ports.platform, limits);
      const before = checkpoints.at(-1);
      if (before !== undefined && before.number >= checkpoint.number) {
        throw bundleRefused(`has ${checkpoint.id} after ${before.id}`, { object: id });
      }
      await snapshots.check(checkpoint.id, checkpoint.snapshot);
      markPreviousContents(objects, checkpoint);
      checkpoints.push(checkpoint);
    }
    return { checkpoints, continues, objects, close: () => objects.close() };
  } catch (error) {
    objects.close();
    throw asRefusal(error);
  }
}

function readHeader(
  { fs }: Ports,
  file: DiskPath,
  limits: BundleLimits,
): { readonly header: BundleHeader; readonly headerBytes: number; readonly fileBytes: number } {
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
      throw bundleRefused(`has ${stat.size} bytes; the limit is ${limits.fileBytes}`);
    }
    const start = Buffer.allocUnsafe(Math.min(HEADER_BYTES, stat.size));
    const { header, length } = decodeHeader(start.subarray(0, readFully(fs, fd, start, start.length, 0)));
    return { header, headerBytes: length, fileBytes: stat.size };
  } catch (error) {
    if (error instanceof FormatProblem) throw bundleRefused(error.message, { offset: 0 }, error);
    throw error;
  } finally {
    fs.close(fd);
  }
}

/** Returns the checkpoint that the bundle's prerequisite line names; null if it has none. */
function prerequisiteOf({ prerequisites }: BundleHeader): PrerequisiteCheckpoint | null {
  if (prerequisites.length > 1) throw bundleRefused('continues several histories, but a timeline has only one');
  const [first] = prerequisites;
  if (first === undefined) return null;
  const continued = parsePrerequisiteComment(first.comment);
  if (continued === null) throw bundleRefused('continues a commit that is not a checkpoint', { object: first.commit });
  return continued;
}

interface ChainLink {
  readonly id: ObjectId;
  readonly commit: Commit;
}

/** Follows the parents from the ref to the first commit of the bundle. Returns the commits oldest first. */
function chainOf(objects: BundleObjects, header: BundleHeader, limits: BundleLimits): readonly ChainLink[] {
  const [tip, ...others] = new Set(header.refs.map(({ commit }) => commit));
  if (tip === undefined || others.length > 0) throw bundleRefused('has refs to different commits');
  const before = header.prerequisites[0]?.commit ?? null;
  const chain: ChainLink[] = [];
  for (let id: ObjectId | null = tip; id !== null && id !== before; ) {
    if (!objects.isOfBundle(id)) throw bundleRefused('lacks a commit', { object: id });
    if (chain.length >= limits.checkpoints) {
      throw bundleRefused(`has more than ${limits.checkpoints} checkpoints`);
    }
    const commit = commitOf(objects, id);
    chain.push({ id, commit });
    if (commit.parents.length > 1) throw bundleRefused('has a commit with several parents', { object: id });
    id = commit.parents[0] ?? null;
    if (id === null && before !== null)
      throw bundleRefused('does not contain the checkpoint that it claims to continue', { object: before });
  }
  if (chain.length === 0) throw bundleRefused('has no checkpoint');
  return chain.reverse();
}

function commitOf(objects: BundleObjects, id: ObjectId): Commit {
  const { type, data } = objects.read(id);
  if (type !== 'commit') throw bundleRefused(`has a ${type} where a commit should be`, { object: id });
  try {
    return decodeCommit(data, id);
  } catch (error) {
    throw bundleRefused('has an invalid commit', { object: id }, error);
  }
}

function checkpointOf(
  objects: BundleObjects,
  commit: ObjectId,
  { tree }: Commit,
  platform: Ports['platform'],
  limits: BundleLimits,
): Checkpoint {
  const parts = topLevelEntries(objects, tree);
  const recordFile = parts.get('checkpoint.json');
  const files = parts.get('files');
  const side = parts.get('side');
  const isCheckpoint =
    recordFile?.kind === 'file' &&
    files?.kind === 'folder' &&
    (side === undefined || side.kind === 'folder') &&
    parts.size === (side === undefined ? 2 : 3);
  if (!isCheckpoint) throw bundleRefused('has a commit that is not a checkpoint', { object: commit });
  const snapshot: Snapshot = { files: files.id, side: side?.id ?? EMPTY_TREE };
  const info = objects.info(recordFile.id);
  if (info === null) throw bundleRefused('lacks the record of a checkpoint', { object: recordFile.id });
  if (info.type !== 'blob' || info.size > limits.recordBytes) {
    throw bundleRefused('has a checkpoint without a valid record', { object: recordFile.id });
  }
  try {
    return checkCheckpointRecord(objects.read(recordFile.id).data, commit, snapshot, platform);
  } catch (error) {
    if (!(error instanceof FormatProblem)) throw error;
    throw bundleRefused(`has an invalid checkpoint record: ${error.message}`, { object: recordFile.id }, error);
  }
}

function topLevelEntries(
  objects: BundleObjects,
  tree: ObjectId,
): ReadonlyMap<string, { readonly kind: string; readonly id: ObjectId }> {
  const info = objects.info(tree);
  if (info === null) throw bundleRefused('lacks the tree of a commit', { object: tree });
  if (info.type !== 'tree') throw bundleRefused(`has a ${info.type} where a tree should be`, { object: tree });
  try {
    return new Map(
      checkTree(objects.read(tree).data, checkPlainName).map(({ name, kind, id }) => [name as string, { kind, id }]),
    );
  } catch (error) {
    if (!(error instanceof TreeProblem)) throw error;
    throw bundleRefused(`has a tree that ${error.why}`, { object: tree }, error);
  }
}

/**
 * Marks the content of each changed file before its change as needed by the bundle. It may be missing, but if it exists,
 * it must be a blob.
 */
function markPreviousContents(objects: BundleObjects, { id, changes }: Checkpoint): void {
  for (const { before } of changes ?? []) {
    if (before === null || before.kind === 'folder' || before.id === PURGED) continue;
    const info = objects.info(before.id);
    if (info !== null && info.type !== 'blob') {
      throw bundleRefused('has a change of something other than a file', { checkpoint: id, object: before.id });
    }
    objects.markNeeded(before.id);
  }
}

/** The code that reads objects reports a damaged one as STORE_DAMAGED. Here, it is the bundle that is damaged. */
function asRefusal(error: unknown): unknown {
  if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') {
    return bundleRefused(`cannot be read: ${error.message.replace(/\.$/, '')}`, {}, error);
  }
  return error;
}
