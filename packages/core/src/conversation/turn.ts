/** A turn of an agent: a prompt with all that its session did until its next prompt. */

import {
  type Actor,
  type Checkpoint,
  type ConversationPosition,
  RECORDED_IN_COPY,
  type RecordedChange,
  type TestResult,
} from '../model/checkpoint.ts';
import { type CallId, type CheckpointId, checkpointNumber, type SessionId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { CheckSummary } from '../store/state/check-summaries.ts';
import { COUNTED_FILES } from '../timeline/diff/changes.ts';

/** A prompt, and what followed it. */
export interface Turn {
  /** The checkpoint with the state before the work; null if it was dropped or never taken. */
  readonly before: CheckpointId | null;
  /** The newest checkpoint of the turn itself, with the state after the work; null if there is none. */
  readonly after: CheckpointId | null;
  readonly session: SessionId;
  readonly actor: Actor;
  /** The words of the prompt, shortened; null if no prompt is recorded. */
  readonly prompt: string | null;
  /** The agent's own id of the prompt. */
  readonly messageId: string | null;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly ended: number;
  /** Number of calls that changed something. */
  readonly calls: number;
  /** Number of different paths that its session may have changed. */
  readonly files: number;
  /** Lines, summed over all changes. */
  readonly added: number;
  readonly removed: number;
  /** Number of files whose lines were counted. */
  readonly counted: number;
  /** Number of changes, and of those among them that were taken back since. */
  readonly changes: number;
  readonly takenBack: number;
  /** Of the state after the work; null if there is none. */
  readonly testResult: TestResult | null;
  /** How checks went on the state after the work; null: none ran on it, as far as is kept. */
  readonly checks: CheckSummary | null;
  /** Whether the workspace's newest state is in this turn: an older one than the newest after a restore. */
  readonly isCurrent: boolean;
}

/** What is known about a state of the workspace. */
export type StateResults = Pick<Turn, 'testResult' | 'checks'>;

export const NO_RESULTS: StateResults = { testResult: null, checks: null };

/** Filled from its newest checkpoint to its oldest. */
export class OpenTurn {
  readonly #calls = new Set<CallId>();
  readonly #paths = new Set<TreePath>();
  readonly #counted = new Set<TreePath>();
  readonly #seen = new Set<string>();
  /** Of checkpoints that have too many changes to list. */
  #unlisted = 0;
  #unlistedCounted = 0;
  /** Numbers of its checkpoints that have no row of their own. */
  readonly folded: number[] = [];
  #actor: Actor;
  #after: CheckpointId | null = null;
  #results: StateResults = NO_RESULTS;
  #oldest = Number.POSITIVE_INFINITY;
  #stateBefore: CheckpointId | null = null;
  #began = 0;
  #ended: number | null = null;
  #added = 0;
  #removed = 0;
  #takenBack = 0;

  /** @param resultsOf returns what is known about the state of a checkpoint */
  constructor(
    private readonly session: SessionId,
    actor: Actor,
    private readonly resultsOf: (checkpoint: Checkpoint) => StateResults,
  ) {
    this.#actor = actor;
  }

  /** Whether anything happened in it: a session that only began is not a turn. */
  get hasWork(): boolean {
    return this.#seen.size > 0 || this.#unlisted > 0;
  }

  /** The number of the oldest checkpoint that it has reached. */
  get oldest(): number {
    return this.#oldest;
  }

  addCheckpoint(checkpoint: Checkpoint): void {
    const { trigger, toolCall, actor } = checkpoint;
    // The session's own agent is that of its oldest checkpoint; sub-agents come later.
    this.#actor = actor;
    this.#reach(checkpoint);
    if (trigger === 'call' && toolCall !== null) this.#calls.add(toolCall);
  }

  /** A change may have several authors of one session. */
  add(checkpoint: Checkpoint, change: RecordedChange, call: CallId | null, isTakenBack: boolean): void {
    this.#reach(checkpoint);
    if (call !== null) this.#calls.add(call);
    if (this.#seen.has(change.id)) return;
    this.#seen.add(change.id);
    this.#paths.add(change.path);
    if (change.added !== null) this.#counted.add(change.path);
    this.#added += change.added ?? 0;
    this.#removed += change.removed ?? 0;
    if (isTakenBack) this.#takenBack += 1;
  }

  /** Which paths they changed, and whether they were taken back since, is not known. */
  addUnlisted(checkpoint: Checkpoint, count: number): void {
    this.#reach(checkpoint);
    this.#unlisted += count;
    this.#unlistedCounted += Math.min(count, COUNTED_FILES);
    this.#added += checkpoint.totals.added;
    this.#removed += checkpoint.totals.removed;
  }

  beginWith(start: Checkpoint): Turn {
    const { trigger, conversation, actor, time, id } = start;
    const isPrompt = trigger === 'prompt';
    return {
      ...this.#turn(id, time, actor),
      prompt: isPrompt ? promptText(conversation) : null,
      messageId: isPrompt ? (conversation?.messageId ?? null) : null,
    };
  }

  /** @param isThere whether the timeline has a checkpoint: then it has the state before the work */
  withoutBegin(isThere: (id: CheckpointId) => boolean): Turn {
    const before = this.#stateBefore !== null && isThere(this.#stateBefore) ? this.#stateBefore : null;
    return this.#turn(before, this.#began, this.#actor);
  }

  #turn(before: CheckpointId | null, began: number, actor: Actor): Turn {
    return {
      before,
      after: this.#after,
      session: this.session,
      actor,
      prompt: null,
      messageId: null,
      began,
      ended: this.#ended ?? began,
      calls: this.#calls.size,
      files: this.#paths.size + this.#unlisted,
      added: this.#added,
      removed: this.#removed,
      counted: this.#counted.size + this.#unlistedCounted,
      changes: this.#seen.size + this.#unlisted,
      takenBack: this.#takenBack,
      ...this.#results,
      isCurrent: false,
    };
  }

  #reach(checkpoint: Checkpoint): void {
    const { id, time, trigger, previous } = checkpoint;
    // What a checkpoint between two calls records happened before the work.
    this.#stateBefore = trigger === 'before' || trigger === 'message' ? id : previous;
    if (this.#after === null) this.#results = this.resultsOf(checkpoint);
    this.#after ??= id;
    this.#ended ??= time;
    this.#oldest = checkpointNumber(id);
    this.#began = time;
  }
}

function promptText(conversation: ConversationPosition | null): string {
  const words = conversation?.lastUser ?? '';
  return conversation?.recordedIn === 'copy' ? `${words} (${RECORDED_IN_COPY})` : words;
}
