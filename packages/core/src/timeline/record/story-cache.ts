/** Stories that were read, kept in memory: a checkpoint never changes, and to list changes is to read many stories. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import type { ObjectId } from '../../model/ids.ts';

/** Changes in all stories that are kept: some 40 MB of memory. */
const MOST_CHANGES = 50_000;

export class StoryCache {
  /** Least lately used first. */
  readonly #stories = new Map<ObjectId, Checkpoint>();
  #weight = 0;

  get(commit: ObjectId): Checkpoint | undefined {
    const known = this.#stories.get(commit);
    if (known !== undefined) {
      this.#stories.delete(commit);
      this.#stories.set(commit, known);
    }
    return known;
  }

  keep(checkpoint: Checkpoint): void {
    if (this.#stories.has(checkpoint.commit)) return;
    this.#stories.set(checkpoint.commit, checkpoint);
    this.#weight += weightOf(checkpoint);
    for (const [commit, oldest] of this.#stories) {
      if (this.#weight <= MOST_CHANGES) break;
      this.#stories.delete(commit);
      this.#weight -= weightOf(oldest);
    }
  }
}

function weightOf({ changes }: Checkpoint): number {
  return 1 + (changes?.length ?? 0);
}
