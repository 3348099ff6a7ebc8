/** The states to go back to: before each turn of an agent. */
import type { Savepoint } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { shortText } from '../../show/checkpoint.ts';

export interface EarlierState {
  /** The checkpoint with the state. */
  readonly id: string;
  /** The words of the prompt, safe to show; null if none is recorded. */
  readonly words: string | null;
  /** The same in full, as far as it is recorded, not safe to show. */
  readonly prompt: string | null;
  /** The name of the agent, safe to show. */
  readonly agent: string;
  /** The same, not safe to show. */
  readonly actor: string;
  readonly session: string;
  /** ISO 8601. */
  readonly time: string;
}

const LISTED = 100;

/** Newest first. */
export async function earlierStates(savepoint: Savepoint): Promise<readonly EarlierState[]> {
  const { turns } = await VERBS.turns.handle(savepoint, { limit: LISTED }, {});
  return turns.flatMap(({ before, prompt, session, actor, began }) => {
    if (before === null) return [];
    const words = prompt === null ? null : shortText(prompt);
    return [{ id: before, words, prompt, agent: shortText(actor.name), actor: actor.name, session, time: began }];
  });
}
