/**
 * The chain that leaves the machine (docs/format.md, "The derived chain"): for each checkpoint a commit whose parent is that
 * of the one before it. It depends on the checkpoints and on what was asked for, and on nothing else: neither on a clock
 * nor on chance nor on the store that they lie in.
 */

import type { Pace } from '../../io/pace.ts';
import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { writeCheckpoint } from '../../timeline/record/timeline.ts';
import { deriveRecord } from './derived-record.ts';
import { SnapshotDeriver } from './derived-snapshot.ts';
import { isPrivatePath } from './private.ts';

export interface BundleContentOptions {
  /** Also files that are private by their names, or because an ignore rule covers them. */
  readonly private: boolean;
  /** Also what people and agents said, and what tools were called with. */
  readonly messages: boolean;
}

/** A commit of the chain, and what it says. */
export interface DerivedCommit {
  readonly checkpoint: Checkpoint;
  readonly commit: ObjectId;
}

export interface DerivedChain {
  /** Oldest first. */
  readonly links: readonly DerivedCommit[];
  /** Reads the store, and what was made for the chain. */
  readonly objects: ObjectBatch;
  /** Private paths that were left out of the newest. */
  readonly leftOut: number;
  /** A commit with the trees of the checkpoint that it goes on from; null where it begins. */
  readonly base: ObjectId | null;
}

/** Where a chain goes on that was begun elsewhere. */
export interface DerivedChainStart {
  readonly checkpoint: Checkpoint;
  /** What it is in that chain. */
  readonly commit: ObjectId;
}

export interface ChainRequest {
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** Every checkpoint of the timeline, by its id, to know what was before a change. */
  readonly all: ReadonlyMap<string, Checkpoint>;
  readonly content: BundleContentOptions;
  /** Null: it begins here. */
  readonly start: DerivedChainStart | null;
}

export async function deriveChain(
  objects: ObjectReader,
  { checkpoints, all, content: flavour, start }: ChainRequest,
  pace: Pace,
): Promise<DerivedChain> {
  const batch = new OverlayBatch(objects, Number.POSITIVE_INFINITY);
  const snapshots = new SnapshotDeriver(batch, flavour.private);
  const links: DerivedCommit[] = [];
  let leftOut = 0;
  const link = (checkpoint: Checkpoint, parent: ObjectId | null): DerivedCommit => {
    const derived = deriveCheckpoint(checkpoint, all, flavour, snapshots);
    const { commit } = writeCheckpoint(batch, derived.story, derived.story.snapshot, parent === null ? [] : [parent]);
    leftOut = derived.leftOut;
    return { checkpoint: { ...derived.story, commit }, commit };
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
  return { links, objects: batch, leftOut, base: base };
}

function deriveCheckpoint(
  checkpoint: Checkpoint,
  all: ReadonlyMap<string, Checkpoint>,
  content: BundleContentOptions,
  snapshots: SnapshotDeriver,
): { readonly story: Checkpoint; readonly leftOut: number } {
  const { snapshot, leftOut } = snapshots.derive(checkpoint.snapshot);
  const before = checkpoint.previous === null ? null : (all.get(checkpoint.previous)?.snapshot ?? null);
  const isPrivate = ({ path, from, ...change }: RecordedChange): boolean =>
    (change.before !== null && isPrivatePath(snapshots.read, before, from ?? path)) ||
    (change.after !== null && isPrivatePath(snapshots.read, checkpoint.snapshot, path));
  const { files, links, folders, bytes, skipped } = checkpoint.counts;
  const story: Checkpoint = {
    ...deriveRecord(checkpoint, content.messages, (change) => !content.private && isPrivate(change)),
    snapshot,
    counts: {
      files: files - leftOut.files,
      links: links - leftOut.links,
      folders: folders - leftOut.folders,
      bytes: bytes - leftOut.bytes,
      skipped: skipped + leftOut.paths,
    },
  };
  return { story, leftOut: leftOut.paths };
}
