/** What an event, and the transcript that it names, say of the position in the conversation. */

import { isAbsolute } from 'node:path';
import { bytesFromText, type ConversationPosition, type DiskPath, type Session } from '@savepoint/core';
import type { Fs } from '@savepoint/core/ports';
import type { EventHeader } from '../event.ts';
import { followTranscript } from '../transcript/follow.ts';
import type { TranscriptFormat } from '../transcript/row.ts';

/** @param model null: the event does not report it. An earlier event's may be outdated, so it is not used */
export function positionOf(model: string | null): { readonly conversation?: ConversationPosition } {
  return model === null ? {} : { conversation: { messages: null, model } };
}

/**
 * Records what the session's transcript says up to this event. A sub-agent has another transcript, which says nothing
 * about the conversation with the user.
 */
export async function noteTranscript(
  { transcript, subAgentId }: Pick<EventHeader, 'transcript' | 'subAgentId'>,
  format: TranscriptFormat | undefined,
  session: Session,
  fs: Fs,
): Promise<void> {
  if (format === undefined || transcript === null || subAgentId !== null || !isAbsolute(transcript)) return;
  await session.followTranscript((known) => {
    const path = bytesFromText(transcript) as DiskPath;
    const mark = followTranscript(fs, path, format, known);
    const isKnown = mark?.file === known?.file && mark?.offset === known?.offset && path === known?.path;
    return isKnown || mark === null ? null : { ...mark, path };
  });
}
