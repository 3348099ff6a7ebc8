/** Finds the checkpoint with the state that belongs to a message of a conversation. */

import { type Checkpoint, type ConversationPosition, isReversion, type Trigger } from '../../model/checkpoint.ts';
import type { SessionId } from '../../model/ids.ts';

/** Triggers of checkpoints that are taken when a message begins, before any work on it. */
const MESSAGE_STARTS: ReadonlySet<Trigger> = new Set(['session', 'prompt', 'message']);

export interface MessageState {
  readonly state: Checkpoint;
  /** Where the conversation was at that time. */
  readonly conversation: ConversationPosition | null;
}

/**
 * Returns the state before any work on a message, or the state after that work and before the next message. The latter
 * is the state when the next message began. If the conversation went back or ended there, it is the last checkpoint of
 * the message itself. If the user went back to the message, the path taken last counts.
 * @param checkpoints of all sessions, oldest first
 * @returns null if nothing is recorded about the message, or nothing from before it
 */
export function stateOfMessage(
  checkpoints: readonly Checkpoint[],
  session: SessionId,
  message: string,
  before: boolean,
): MessageState | null {
  const own = checkpoints.filter((one) => one.session === session);
  const ofMessage = own.filter(({ conversation }) => conversation?.messageId === message);
  const [first] = ofMessage;
  const last = ofMessage.at(-1);
  if (first === undefined || last === undefined) return null;
  if (!before) return { state: stateAfter(checkpoints, session, last), conversation: last.conversation };
  const earlier = own[own.indexOf(first) - 1];
  const state = MESSAGE_STARTS.has(first.trigger) ? first : checkpoints[checkpoints.indexOf(first) - 1];
  return state === undefined ? null : { state, conversation: earlier?.conversation ?? null };
}

/** Returns the sessions that have a checkpoint of the message. */
export function sessionsOf(checkpoints: readonly Checkpoint[], message: string): readonly SessionId[] {
  const found = checkpoints.filter(({ conversation }) => conversation?.messageId === message);
  return [...new Set(found.flatMap(({ session }) => (session === null ? [] : [session])))];
}

function stateAfter(checkpoints: readonly Checkpoint[], session: SessionId, last: Checkpoint): Checkpoint {
  for (const later of checkpoints.slice(checkpoints.indexOf(last) + 1)) {
    if (isReversion(later.trigger) && later.trigger !== 'freeze') return last;
    if (later.session === session && MESSAGE_STARTS.has(later.trigger)) return later;
  }
  return last;
}
