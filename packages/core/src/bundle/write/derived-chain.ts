/**
 * Derives the commit chain that leaves the machine (docs/format.md, "The derived chain"). Each checkpoint becomes a
 * commit whose parent is the commit of the previous checkpoint. The chain is deterministic: it depends only on the
 * checkpoints and the options, not on the clock, random values or the store's layout.
 */

import type { Pace } from '../../io/pace.ts';
import { type Checkpoint, isDeletion, type RecordedChange } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { writeCheckpoint } from '../../timeline/record/timeline.ts';
import { deriveRecord, type TextOptions } from './derived-record.ts';
import { SnapshotDeriver } from './derived-snapshot.ts';
import { isPrivatePath } from './private.ts';

export interface BundleContentOptions extends TextOptions {
  /** Includes files that are private because of their names or an ignore rule. */
  readonly private: boolean;
}

/** A commit of the chain, with its checkpoint. */
export interface DerivedCommit {
  readonly checkpoint: Checkpoint;
  readonly commit: ObjectId;
}

export interface DerivedChain {
  /** Oldest first. */
  readonly links: readonly DerivedCommit[];
  /** Reads the objects of the store and those created for the chain. */
  readonly objects: ObjectBatch;
  /** Number of private paths omitted from the newest checkpoint. */
  readonly leftOut: number;
  /** A commit with the trees of the checkpoint that the chain continues; null if the chain starts here. */
  readonly base: ObjectId | null;
}

/** Where to continue a chain that was started earlier. */
export interface DerivedChainStart {
  readonly checkpoint: Checkpoint;
  /** The commit of the checkpoint in that chain. */
  readonly commit: ObjectId;
}

export interface ChainRequest {
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** All checkpoints of the timeline by id, used to look up the state before a change. */
  readonly all: ReadonlyMap<string, Checkpoint>;
  readonly content: BundleContentOptions;
  /** Null: the chain starts here. */
  readonly start: DerivedChainStart | null;
}

export async function deriveChain(
  objects: ObjectReader,
  { checkpoints, all, content, start }: ChainRequest,
  pace: Pace,
): Promise<DerivedChain> {
  const batch = new OverlayBatch(objects, Number.POSITIVE_INFINITY);
  const snapshots = new SnapshotDeriver(batch, content.private);
  const links: DerivedCommit[] = [];
  let leftOut = 0;
  const link = (checkpoint: Checkpoint, parent: ObjectId | null): DerivedCommit => {
    const derived = deriveCheckpoint(checkpoint, all, content, snapshots);
    const { commit } = writeCheckpoint(batch, derived.record, derived.record.snapshot, parent === null ? [] : [parent]);
    leftOut = derived.leftOut;
    return { checkpoint: { ...derived.record, commit }, commit };
  };
  batch.add('tree', Buffer.alloc(0));
  const base = start === null ? null : link(start.checkpoint, null).commit;
  let parent = start?.commit ?? null;
  for (const [index, checkpoint] of checkpoints.entries()) {
    if (pace.isDue()) await pace.yieldNow({ phase: 'export', done: index, total: checkpoints.length });
    const next = link(checkpoint, parent);
    links.push(next);
    parent = next.commit;
  }
  return { links, objects: batch, leftOut, base };
}

function deriveCheckpoint(
  checkpoint: Checkpoint,
  all: ReadonlyMap<string, Checkpoint>,
  content: BundleContentOptions,
  snapshots: SnapshotDeriver,
): { readonly record: Checkpoint; readonly leftOut: number } {
  const { snapshot, leftOut } = snapshots.derive(checkpoint.snapshot);
  const before = checkpoint.previous === null ? null : (all.get(checkpoint.previous)?.snapshot ?? null);
  const isPrivate = ({ path, from, ...change }: RecordedChange): boolean =>
    ((change.before !== null || change.uncapturedBefore !== undefined) &&
      isPrivatePath(snapshots.read, before, from ?? path)) ||
    (!isDeletion(change) && isPrivatePath(snapshots.read, checkpoint.snapshot, path));
  const { files, links, folders, bytes, skipped } = checkpoint.counts;
  const record: Checkpoint = {
    ...deriveRecord(checkpoint, content, (change) => !content.private && isPrivate(change)),
    snapshot,
    counts: {
      files: files - leftOut.files,
      links: links - leftOut.links,
      folders: folders - leftOut.folders,
      bytes: bytes - leftOut.bytes,
      skipped: skipped + leftOut.paths,
    },
  };
  return { record, leftOut: leftOut.paths };
}
