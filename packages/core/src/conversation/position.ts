/** The position in a conversation: what events report, completed by what the transcript says. */

import type { Actor, ConversationPosition } from '../model/checkpoint.ts';
import type { TranscriptMark } from '../store/state/session-state.ts';

/** Events take precedence: an agent may write its transcript later than it reports. */
export function withTranscript(
  reported: ConversationPosition | null,
  transcript: TranscriptMark | null,
): ConversationPosition | null {
  if (transcript === null) return reported;
  const { messages, isComplete, lastAssistant, model, contextSize } = transcript;
  return {
    ...(lastAssistant === null ? {} : { lastAssistant }),
    ...(model === null ? {} : { model }),
    ...(contextSize === null ? {} : { contextSize }),
    ...reported,
    messages: reported?.messages ?? (isComplete ? messages : null),
  };
}

/** The session's agent, or a sub-agent of it: both are the same program. */
export function withVersion(actor: Actor, transcript: TranscriptMark | null): Actor {
  const version = actor.version ?? transcript?.version ?? null;
  return version === null || actor.kind !== 'agent' ? actor : { ...actor, version };
}
