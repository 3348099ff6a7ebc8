/** Caches checkpoint records in memory. A checkpoint never changes, and listing changes reads many records. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';

/** Of all cached records together, about. A process that runs for hours reaches it. */
const MAX_BYTES = 4 * 1024 * 1024;
/** What a record takes in memory without its changes, and what each change takes: measured with records of calls. */
const RECORD_BYTES = 3_000;
const CHANGE_BYTES = 800;

/** A few hundred bytes each. A timeline may have more checkpoints; then all are read again. */
const MAX_OUTLINES = 20_000;

/** What every clean-up needs to know of every checkpoint. */
export type CheckpointOutline = Pick<Checkpoint, 'number' | 'time' | 'session' | 'previous'>;

export class RecordCache {
  /** Least recently used first. */
  readonly #records = new Map<ObjectId, Checkpoint>();
  readonly #outlines = new Map<ObjectId, CheckpointOutline>();
  #bytes = 0;

  get(commit: ObjectId): Checkpoint | undefined {
    const known = this.#records.get(commit);
    if (known !== undefined) {
      this.#records.delete(commit);
      // `commit` may be a part of the text of all refs, and would keep that in memory.
      this.#records.set(known.commit, known);
    }
    return known;
  }

  /** @param read called if the outline is not known */
  outline(commit: ObjectId, read: () => Checkpoint | null): CheckpointOutline | null {
    const known = this.#outlines.get(commit);
    if (known !== undefined) return known;
    const checkpoint = read();
    if (checkpoint === null) return null;
    if (this.#outlines.size === MAX_OUTLINES) this.#outlines.clear();
    const { number, time, session, previous } = checkpoint;
    const outline = { number, time, session, previous };
    this.#outlines.set(checkpoint.commit, outline);
    return outline;
  }

  keep(checkpoint: Checkpoint): void {
    if (this.#records.has(checkpoint.commit)) return;
    this.#records.set(checkpoint.commit, checkpoint);
    this.#bytes += bytesOf(checkpoint);
    for (const [commit, oldest] of this.#records) {
      // The newest one stays, however large it is: it is often asked for many times in a row.
      if (this.#bytes <= MAX_BYTES || commit === checkpoint.commit) break;
      this.#records.delete(commit);
      this.#bytes -= bytesOf(oldest);
    }
  }
}

function bytesOf({ changes }: Checkpoint): number {
  return RECORD_BYTES + CHANGE_BYTES * (changes?.length ?? 0);
}
