/** Lists the sessions of a timeline. */

import type { Actor, Change, Checkpoint, Grade } from '../../model/checkpoint.ts';
import type { CallId, CheckpointId, SessionId } from '../../model/ids.ts';
import { COUNTED_FILES } from '../diff/changes.ts';
import type { DamagedCheckpoint, Timeline } from '../record/timeline.ts';
import { unlistedAuthors, unlistedCount } from './unlisted-changes.ts';

export interface SessionSummary {
  readonly id: SessionId;
  readonly actor: Actor;
  /** Times of its first and its last checkpoint or change, in milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
  /** The first prompt; null if no prompt is recorded. */
  readonly title: string | null;
  readonly prompts: number;
  /** Number of recorded calls. Only calls that changed something are recorded. */
  readonly calls: number;
  /** Changes that the session may have made. `unsure` counts those of them with an uncertain author. */
  readonly changes: number;
  readonly unsure: number;
  /** Lines, in total over `changes`. */
  readonly added: number;
  readonly removed: number;
  /** Number of changes whose lines were counted. */
  readonly counted: number;
  /** Its own checkpoints, newest first. */
  readonly checkpoints: readonly CheckpointId[];
}

/** The sessions of agents on a timeline. */
export interface SessionList {
  /** Ordered by the newest checkpoint or change, newest first. */
  readonly sessions: readonly SessionSummary[];
  /** Damaged checkpoints. Their changes are not counted. */
  readonly damaged: readonly DamagedCheckpoint[];
}

/** @param deletedUpTo returns the checkpoint number up to which a session was deleted; 0: it was not */
export function listSessions(timeline: Timeline, deletedUpTo: (session: SessionId) => number): SessionList {
  const found = new Map<SessionId, Tally>();
  const damaged: DamagedCheckpoint[] = [];
  const isDeleted = (session: SessionId, { number }: Checkpoint): boolean => number <= deletedUpTo(session);
  const addUnlisted = (checkpoint: Checkpoint): void => {
    const count = unlistedCount(checkpoint);
    if (count === 0) return;
    const { authors, grade } = unlistedAuthors(checkpoint);
    for (const { session, actor } of authors) {
      if (session === null || isDeleted(session, checkpoint)) continue;
      tallyOf(session, actor, checkpoint.time).addUnlisted(checkpoint, count, grade);
    }
  };
  const tallyOf = (session: SessionId, actor: Actor, time: number): Tally => {
    const known = found.get(session);
    if (known !== undefined) {
      known.first = time;
      return known;
    }
    const tally = new Tally(session, actor, time);
    found.set(session, tally);
    return tally;
  };
  for (const { checkpoint, damaged: damagedCheckpoint } of timeline.newestFirst()) {
    if (checkpoint === null) {
      damaged.push(damagedCheckpoint);
      continue;
    }
    const { session, actor, time } = checkpoint;
    if (session !== null && !isDeleted(session, checkpoint)) tallyOf(session, actor, time).checkpoint(checkpoint);
    // Reverting a frozen path is not work of the session whose call changed it.
    if (checkpoint.trigger === 'freeze') continue;
    for (const change of checkpoint.changes ?? []) {
      // Several calls of one session may be its possible authors.
      const counted = new Set<SessionId>();
      for (const author of change.by.authors) {
        if (author.session === null || isDeleted(author.session, checkpoint)) continue;
        const tally = tallyOf(author.session, author.actor, time);
        if (author.call !== null) tally.calls.add(author.call);
        if (counted.has(author.session)) continue;
        counted.add(author.session);
        tally.changes += 1;
        if (change.by.grade === 'open') tally.unsure += 1;
        tally.addLines(change);
      }
    }
    addUnlisted(checkpoint);
  }
  return { sessions: [...found.values()].map((tally) => tally.summary()), damaged };
}

/** Filled from the newest checkpoint to the oldest. */
class Tally {
  readonly #checkpoints: CheckpointId[] = [];
  readonly calls = new Set<CallId>();
  #actor: Actor;
  #title: string | null = null;
  #prompts = 0;
  first: number;
  changes = 0;
  unsure = 0;
  added = 0;
  removed = 0;
  counted = 0;

  constructor(
    private readonly id: SessionId,
    actor: Actor,
    private readonly last: number,
  ) {
    this.#actor = actor;
    this.first = last;
  }

  checkpoint({ id, trigger, actor, conversation, toolCall }: Checkpoint): void {
    this.#checkpoints.push(id);
    // A session's oldest checkpoint is by its own agent; sub-agents come later.
    this.#actor = actor;
    if (trigger === 'call' && toolCall !== null) this.calls.add(toolCall);
    if (trigger !== 'prompt') return;
    this.#prompts += 1;
    this.#title = conversation?.lastUser ?? this.#title;
  }

  addLines({ added, removed }: Pick<Change, 'added' | 'removed'>): void {
    this.added += added ?? 0;
    this.removed += removed ?? 0;
    if (added !== null) this.counted += 1;
  }

  addUnlisted({ totals: { added, removed } }: Checkpoint, count: number, grade: Grade): void {
    this.changes += count;
    if (grade === 'open') this.unsure += count;
    this.added += added;
    this.removed += removed;
    this.counted += Math.min(count, COUNTED_FILES);
  }

  summary(): SessionSummary {
    const { id, first, last, calls, changes, unsure, added, removed, counted } = this;
    return {
      id,
      actor: this.#actor,
      first,
      last,
      title: this.#title,
      prompts: this.#prompts,
      calls: calls.size,
      changes,
      unsure,
      added,
      removed,
      counted,
      checkpoints: this.#checkpoints,
    };
  }
}
