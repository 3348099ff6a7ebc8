/** What an event says of the position in the conversation, apart from its text. */

import type { ConversationPosition } from '@savepoint/core';

/** @param model null: the event does not report it. An earlier event's may be outdated, so it is not used */
export function positionOf(model: string | null): { readonly conversation?: ConversationPosition } {
  return model === null ? {} : { conversation: { messages: null, model } };
}
