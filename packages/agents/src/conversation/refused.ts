import { SavepointError } from '@savepoint/core';
import type { ConversationPlace } from '@savepoint/core/ports';

/** @param why a sentence without its full stop */
export function conversationRefused(
  { agent, nativeSession }: Pick<ConversationPlace, 'agent' | 'nativeSession'>,
  why: string,
): SavepointError {
  return new SavepointError('CONVERSATION_REFUSED', `The conversation of ${agent} cannot go back: ${why}.`, {
    agent,
    session: nativeSession,
    why,
  });
}
