/** What happened between two states of the timeline: the changes, and the prompts to which their authors worked. */

import type { Actor, Checkpoint, RecordedChange } from '../model/checkpoint.ts';
import type { CheckpointId, SessionId } from '../model/ids.ts';
import type { Timeline } from '../timeline/record/timeline.ts';

/** The prompt to which an agent worked. */
export interface StepPrompt {
  readonly session: SessionId;
  readonly actor: Actor;
  /** The checkpoint of the prompt, with the state before the work. Null: no prompt is recorded. */
  readonly checkpoint: CheckpointId | null;
  /** Its words, shortened; null if no prompt is recorded. */
  readonly words: string | null;
}

/** What leads from one state to another. */
export interface Step {
  readonly from: Checkpoint;
  readonly to: Checkpoint;
  /** All changes in between, oldest first. */
  readonly changes: readonly RecordedChange[];
  /** False if some changes are not known: too many to list, or a checkpoint in between was dropped or is damaged. */
  readonly isComplete: boolean;
  /** The prompts of the changes' possible authors, in the order of their changes. */
  readonly prompts: readonly StepPrompt[];
}

/** Knows the steps of a timeline up to a checkpoint. Reads each record once. */
export class Steps {
  readonly #prompts = new Map<SessionId, Checkpoint[]>();
  readonly #checkpoints: readonly Checkpoint[];

  constructor(timeline: Timeline, to: Checkpoint) {
    const checkpoints: Checkpoint[] = [];
    for (const checkpoint of timeline.oldestFirst()) {
      if (checkpoint.number > to.number) break;
      checkpoints.push(checkpoint);
      const { trigger, session } = checkpoint;
      if (trigger !== 'prompt' || session === null) continue;
      this.#prompts.set(session, [...(this.#prompts.get(session) ?? []), checkpoint]);
    }
    this.#checkpoints = checkpoints;
  }

  between(from: Checkpoint, to: Checkpoint): Step {
    const between = this.#checkpoints.filter(({ number }) => number > from.number && number <= to.number);
    const prompts = new Map<string, StepPrompt>();
    for (const checkpoint of between) {
      for (const { by } of checkpoint.changes ?? []) {
        for (const { session, actor } of by.authors) {
          if (session === null) continue;
          const prompt = this.#promptOf(session, actor, checkpoint);
          prompts.set(`${session} ${prompt.checkpoint}`, prompt);
        }
      }
    }
    return {
      from,
      to,
      changes: between.flatMap(({ changes }) => changes ?? []),
      isComplete: between.every(
        ({ changes, incomplete, previous }, index) =>
          changes !== null && incomplete !== true && previous === (between[index - 1] ?? from).id,
      ),
      prompts: [...prompts.values()],
    };
  }

  /** What the checkpoint of a prompt itself records happened before the prompt. */
  #promptOf(session: SessionId, actor: Actor, { number }: Checkpoint): StepPrompt {
    const prompt = this.#prompts.get(session)?.findLast((one) => one.number < number);
    return {
      session,
      actor,
      checkpoint: prompt?.id ?? null,
      words: prompt === undefined ? null : (prompt.conversation?.lastUser ?? ''),
    };
  }
}
