/** What an event, and the transcript that it names, say of the position in the conversation. */

import { isAbsolute } from 'node:path';
import { bytesFromText, type ConversationPosition, type DiskPath, type Session } from '@savepoint/core';
import type { Fs } from '@savepoint/core/ports';
import type { EventHeader, EventPosition } from '../event.ts';
import { followTranscript } from '../transcript/follow.ts';
import type { TranscriptFormat } from '../transcript/row.ts';

/** @param model null: the event does not report it. An earlier event's may be outdated, so it is not used */
export function positionOf(model: string | null): { readonly conversation?: ConversationPosition } {
  return model === null ? {} : { conversation: { messages: null, model } };
}

/**
 * Records what the session's transcript, or the event itself, says up to this event. A sub-agent has another
 * conversation, which says nothing about the one with the user.
 */
export async function notePosition(
  event: EventHeader,
  format: TranscriptFormat | undefined,
  session: Session,
  fs: Fs,
): Promise<void> {
  const { transcript, subAgentId } = event;
  if (subAgentId !== null) return;
  if (event.position !== undefined) return noteReported(event.position, session);
  if (format === undefined || transcript === null || !isAbsolute(transcript)) return;
  await session.followTranscript((known) => {
    const path = bytesFromText(transcript) as DiskPath;
    const mark = followTranscript(fs, path, format, known);
    const isKnown = mark?.file === known?.file && mark?.offset === known?.offset && path === known?.path;
    return isKnown || mark === null ? null : { ...mark, path };
  });
}

/** In characters. */
const MAX_WORDS = 2_000;

/** Without model and version: the checkpoints have those that the events themselves report. */
async function noteReported({ messages, lastAssistant, contextSize }: EventPosition, session: Session): Promise<void> {
  const words = lastAssistant?.slice(0, MAX_WORDS) ?? null;
  await session.followTranscript((known) => {
    // An older plugin reports none of this.
    if (known === null && messages === null) return null;
    const isSame = known?.messages === messages && known.lastAssistant === words && known.contextSize === contextSize;
    return isSame ? null : { ...NO_TRANSCRIPT, messages, lastAssistant: words, contextSize };
  });
}

const NO_TRANSCRIPT = {
  file: '',
  offset: 0,
  isComplete: true,
  skipped: 0,
  leaf: null,
  last: null,
  model: null,
  version: null,
} as const;
