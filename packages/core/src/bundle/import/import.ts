/** Imports the objects and checkpoints of a valid bundle into a store. */

import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { EMPTY_TREE, type ObjectId } from '../../model/ids.ts';
import type { OpenStore } from '../../store/layout.ts';
import { STREAM_BYTES } from '../../store/objects/limits.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import type { ObjectSource } from '../../store/objects/pieces.ts';
import { type CheckpointRef, writeCheckpoint } from '../../timeline/record/timeline.ts';
import type { BundleObjects } from '../check/objects.ts';
import { bundleRefused } from '../check/refusal.ts';

/**
 * Imports the needed objects and writes the commits of the checkpoints. The objects are durable when it returns. The
 * checkpoints exist only after the caller has published them. Each commit is encoded again from the decoded record, so
 * nothing that Savepoint does not understand enters the store.
 */
export async function importObjects(
  store: OpenStore,
  objects: BundleObjects,
  checkpoints: readonly Checkpoint[],
  pace: Pace,
): Promise<readonly CheckpointRef[]> {
  const batch = store.objects.batch();
  try {
    let done = 0;
    for (const id of objects.needed) {
      if (pace.isDue()) await pace.yieldNow({ phase: 'import', done, total: objects.needed.size });
      copyObject(batch, objects, id);
      done++;
    }
    batch.add('tree', Buffer.alloc(0));
    const refs = checkpoints.map((checkpoint) => writeCheckpoint(batch, checkpoint, checkpoint.snapshot));
    pace.throwIfCancelled();
    await batch.finish();
    return refs;
  } finally {
    batch.abandon();
  }
}

function copyObject(batch: ObjectBatch, objects: BundleObjects, id: ObjectId): void {
  if (id === EMPTY_TREE) return;
  const info = objects.info(id);
  let added: ObjectId;
  if (info !== null && info.type === 'blob' && info.size > STREAM_BYTES) {
    const reading = new SourceReader(() => objects.source(id));
    try {
      added = batch.addBlobFrom(info.size, (into, position) => reading.read(into, position));
    } finally {
      reading.close();
    }
  } else {
    const { type, data } = objects.read(id);
    added = batch.add(type, data);
  }
  if (added !== id) throw bundleRefused('changed while being read', { object: id });
}

/** Reads an object by position. Reading before the current piece starts again from the beginning. */
class SourceReader {
  #source: ObjectSource | null = null;
  #piece: Buffer = Buffer.alloc(0);
  /** Position of the current piece. */
  #at = 0;

  constructor(private readonly open: () => ObjectSource) {}

  read(into: Buffer, position: number): number {
    if (this.#source === null || position < this.#at) {
      this.close();
      this.#source = this.open();
      this.#at = 0;
      this.#piece = Buffer.alloc(0);
    }
    while (position >= this.#at + this.#piece.length) {
      this.#at += this.#piece.length;
      const next = this.#source.next();
      if (next === null) {
        this.#piece = Buffer.alloc(0);
        return 0;
      }
      this.#piece = next;
    }
    const from = position - this.#at;
    return this.#piece.copy(into, 0, from, Math.min(this.#piece.length, from + into.length));
  }

  close(): void {
    this.#source?.close();
    this.#source = null;
  }
}
