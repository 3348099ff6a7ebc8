/** Stories that were read, kept in memory: a checkpoint never changes, and to list changes is to read many stories. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';

/** Changes in all stories that are kept: some 40 MB of memory. */
const MAX_CHANGES = 50_000;

export class RecordCache {
  /** Least lately used first. */
  readonly #records = new Map<ObjectId, Checkpoint>();
  #weight = 0;

  get(commit: ObjectId): Checkpoint | undefined {
    const known = this.#records.get(commit);
    if (known !== undefined) {
      this.#records.delete(commit);
      this.#records.set(commit, known);
    }
    return known;
  }

  keep(checkpoint: Checkpoint): void {
    if (this.#records.has(checkpoint.commit)) return;
    this.#records.set(checkpoint.commit, checkpoint);
    this.#weight += weightOf(checkpoint);
    for (const [commit, oldest] of this.#records) {
      if (this.#weight <= MAX_CHANGES) break;
      this.#records.delete(commit);
      this.#weight -= weightOf(oldest);
    }
  }
}

function weightOf({ changes }: Checkpoint): number {
  return 1 + (changes?.length ?? 0);
}
