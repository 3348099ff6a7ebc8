/**
 * Turns of agents: a prompt with all that its session did until its next prompt. They are derived from the checkpoints,
 * newest first, so that a page of turns reads nothing older than its last one.
 *
 * - A turn begins with a checkpoint of trigger `prompt`. Work before the first prompt of a session is a turn without
 *   words; so is work whose prompt was dropped by clean-up.
 * - A change belongs to the turn of each of its possible authors that was open when it was recorded. What the checkpoint
 *   of a prompt itself records happened before the prompt, so it belongs to the turn before.
 */

import { type Actor, type Checkpoint, isReversion, type RecordedChange } from '../model/checkpoint.ts';
import { type CallId, type CheckpointId, checkpointNumber, type SessionId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { Activity } from '../timeline/activity/activity.ts';
import { activitySource } from '../timeline/activity/source.ts';
import type { DamagedCheckpoint, Timeline } from '../timeline/record/timeline.ts';

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
  /** Number of changes, and of those among them that were taken back since. */
  readonly changes: number;
  readonly takenBack: number;
  /** Whether the workspace's newest state is in this turn: an older one than the newest after a restore. */
  readonly isCurrent: boolean;
}

/** What to list, and where the page begins. */
export interface TurnQuery {
  readonly session?: SessionId;
  readonly limit: number;
  /** Only turns that began before this checkpoint. */
  readonly before?: number;
}

/** A page of turns. */
export interface TurnPage {
  /** Newest first, by their begin. */
  readonly turns: readonly Turn[];
  /** The checkpoint with the workspace's newest state: an older one after a restore. Null if there is no checkpoint. */
  readonly here: CheckpointId | null;
  readonly damaged: readonly DamagedCheckpoint[];
  readonly more: boolean;
}

/** @param deletedUpTo returns the checkpoint number up to which a session was deleted; 0: it was not */
export function listTurns(
  timeline: Timeline,
  objects: ObjectReader,
  query: TurnQuery,
  deletedUpTo: (session: SessionId) => number,
): TurnPage {
  const activity = new Activity(activitySource(objects, timeline.reader()));
  const open = new Map<SessionId, OpenTurn>();
  const turns: Turn[] = [];
  const damaged: DamagedCheckpoint[] = [];
  let newest: Checkpoint | null = null;
  let here: CheckpointId | null = null;
  const isListed = (session: SessionId | null, number: number): session is SessionId =>
    session !== null && (query.session === undefined || session === query.session) && number > deletedUpTo(session);
  const turnOf = (session: SessionId, actor: Actor): OpenTurn => {
    const known = open.get(session) ?? new OpenTurn(session, actor);
    open.set(session, known);
    return known;
  };
  const page = (more: boolean): TurnPage => {
    const id = here ?? newest?.id ?? null;
    // A restore goes back to before a prompt, which is the end of the turn before it.
    const end = id === null ? 0 : checkpointNumber(id) + (id === newest?.id ? 1 : 0);
    const current = turns.find(({ before }) => before !== null && checkpointNumber(before) < end);
    return {
      turns: turns.map((turn) => (turn === current ? { ...turn, isCurrent: true } : turn)),
      here: id,
      damaged,
      more,
    };
  };
  for (const { checkpoint, damaged: damagedCheckpoint } of timeline.newestFirst()) {
    if (checkpoint === null) {
      damaged.push(damagedCheckpoint);
      continue;
    }
    const { number, session, trigger } = checkpoint;
    newest ??= checkpoint;
    here ??= isHere(newest, checkpoint) ? checkpoint.id : null;
    const effectOf = activity.visit(checkpoint);
    const add = (): void => {
      if (trigger === 'freeze') return;
      for (const change of checkpoint.changes ?? []) {
        for (const { actor, call, session: author } of change.by.authors) {
          if (!isListed(author, number)) continue;
          turnOf(author, actor).add(checkpoint, change, call, effectOf(change).reversion !== null);
        }
      }
    };
    if (!isListed(session, number)) {
      add();
      continue;
    }
    // A prompt's own changes happened before it.
    const begun = isStart(checkpoint) ? turnOf(session, checkpoint.actor) : null;
    if (begun !== null) {
      open.delete(session);
      if (trigger === 'prompt' || begun.hasWork) {
        const isInPage = query.before === undefined || number < query.before;
        if (isInPage && turns.length === query.limit) return page(true);
        if (isInPage) turns.push(begun.beginWith(checkpoint));
      }
    } else turnOf(session, checkpoint.actor).addCheckpoint(checkpoint);
    add();
  }
  const unbegun = [...open.values()].filter(({ hasWork }) => hasWork).map((turn) => turn.withoutBegin());
  const left = unbegun.filter(({ oldest }) => query.before === undefined || oldest < query.before);
  for (const { turn } of left.sort((a, b) => b.oldest - a.oldest)) {
    if (turns.length === query.limit) return page(true);
    turns.push(turn);
  }
  return page(false);
}

function isStart({ trigger }: Checkpoint): boolean {
  return trigger === 'prompt' || trigger === 'session';
}

/** The newest checkpoint, or if it only brought back an earlier state, the one that had this state before. */
function isHere(newest: Checkpoint, { trigger, snapshot: { files, side } }: Checkpoint): boolean {
  return !isReversion(trigger) && files === newest.snapshot.files && side === newest.snapshot.side;
}

/** Filled from its newest checkpoint to its oldest. */
class OpenTurn {
  readonly #calls = new Set<CallId>();
  readonly #paths = new Set<TreePath>();
  readonly #seen = new Set<string>();
  #actor: Actor;
  #after: CheckpointId | null = null;
  #oldest = Number.POSITIVE_INFINITY;
  #began = 0;
  #ended: number | null = null;
  #added = 0;
  #removed = 0;
  #takenBack = 0;

  constructor(
    private readonly session: SessionId,
    actor: Actor,
  ) {
    this.#actor = actor;
  }

  /** Whether anything happened in it: a session that only began is not a turn. */
  get hasWork(): boolean {
    return this.#seen.size > 0;
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
    this.#added += change.added ?? 0;
    this.#removed += change.removed ?? 0;
    if (isTakenBack) this.#takenBack += 1;
  }

  beginWith(start: Checkpoint): Turn {
    const { trigger, conversation, actor, time, id } = start;
    const isPrompt = trigger === 'prompt';
    return {
      ...this.#turn(id, time, actor),
      prompt: isPrompt ? (conversation?.lastUser ?? '') : null,
      messageId: isPrompt ? (conversation?.messageId ?? null) : null,
    };
  }

  withoutBegin(): { readonly turn: Turn; readonly oldest: number } {
    return { turn: this.#turn(null, this.#began, this.#actor), oldest: this.#oldest };
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
      files: this.#paths.size,
      added: this.#added,
      removed: this.#removed,
      changes: this.#seen.size,
      takenBack: this.#takenBack,
      isCurrent: false,
    };
  }

  #reach({ id, time }: Checkpoint): void {
    this.#after ??= id;
    this.#ended ??= time;
    this.#oldest = checkpointNumber(id);
    this.#began = time;
  }
}
