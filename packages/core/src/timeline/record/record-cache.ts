/** Caches checkpoint records in memory. A checkpoint never changes, and listing changes reads many records. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';

/** Total number of changes in all cached records: about 40 MB of memory. */
const MAX_CHANGES = 50_000;

export class RecordCache {
  /** Least recently used first. */
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
