/** Which checkpoint holds the state that belongs to a message of a conversation. */

import { type Checkpoint, type ConversationPosition, isReversion, type Trigger } from '../../model/checkpoint.ts';
import type { SessionId } from '../../model/ids.ts';

/** Taken when a message begins, before anything is done about it. */
const MESSAGE_STARTS: ReadonlySet<Trigger> = new Set(['session', 'prompt', 'message']);

export interface MessageState {
  readonly state: Checkpoint;
  /** Where the conversation was then. */
  readonly conversation: ConversationPosition | null;
}

/**
 * The state before anything was done about a message; or after what was done about it and before the next one: as it was
 * when the next began, or, where the conversation went back or ended there, as the last of its own checkpoints has it. Of a
 * message that was gone back to, the path that was taken last counts.
 * @param checkpoints of all sessions, oldest first
 * @returns null where nothing is on record of the message, or nothing from before it
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

/** Sessions that have a checkpoint of the message. */
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
