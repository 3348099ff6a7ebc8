/** Stories that were read, kept in memory: a checkpoint never changes, and to list changes is to read many stories. */

import type { Checkpoint } from '../model/checkpoint.ts';
import type { ObjectId } from '../model/ids.ts';
import type { CheckpointRef, DamagedCheckpoint, Timeline } from './timeline.ts';

/** Changes in all stories that are kept: some 40 MB of memory. */
const MOST_CHANGES = 50_000;

export type Told =
  | { readonly checkpoint: Checkpoint; readonly damaged: null }
  | { readonly checkpoint: null; readonly damaged: DamagedCheckpoint };

export class StoryCache {
  /** Least lately used first. */
  readonly #stories = new Map<ObjectId, Checkpoint>();
  #weight = 0;

  /** Checkpoints as they are asked for, newest first, those that cannot be read with what is wrong. */
  *newestFirst(timeline: Timeline): Generator<Told> {
    const refs = timeline.list();
    for (let at = refs.length - 1; at >= 0; at--) yield this.#read(timeline, refs[at] as CheckpointRef);
  }

  /** All that can be read. */
  *oldestFirst(timeline: Timeline): Generator<Checkpoint> {
    for (const ref of timeline.list()) {
      const { checkpoint } = this.#read(timeline, ref);
      if (checkpoint !== null) yield checkpoint;
    }
  }

  #read(timeline: Timeline, ref: CheckpointRef): Told {
    const known = this.#stories.get(ref.commit);
    if (known !== undefined && known.number === ref.number) {
      this.#stories.delete(ref.commit);
      this.#stories.set(ref.commit, known);
      return { checkpoint: known, damaged: null };
    }
    const { checkpoints, damaged } = timeline.readAll([ref]);
    const [checkpoint] = checkpoints;
    if (checkpoint === undefined) return { checkpoint: null, damaged: damaged[0] as DamagedCheckpoint };
    this.#keep(checkpoint);
    return { checkpoint, damaged: null };
  }

  #keep(checkpoint: Checkpoint): void {
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
