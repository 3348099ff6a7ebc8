/**
 * The words of prompts to an agent in a copy are in the timeline of the copy, where its hooks recorded them. Before the
 * changes of the copy are applied, they are recorded as a prompt of the session that the changes are by. Every program in
 * the copy can write them, so they are only words to show.
 */

import { truncate } from '../../content/truncate.ts';
import type { OpenCopy } from '../../copy/copy.ts';
import { FsError } from '../../io/fs.ts';
import { type Actor, type Checkpoint, type ConversationPosition, RECORDED_IN_COPY } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { SessionId } from '../../model/ids.ts';
import { diskChild } from '../../model/names.ts';
import { describeTrigger } from '../../session/describe-trigger.ts';
import { capture } from '../../timeline/capture/capture.ts';
import { checkpointInfo } from '../../timeline/capture/compose.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';
import { timelinesIn } from '../../timeline/record/timelines-in.ts';
import type { WriteContext } from '../write-context.ts';

/** Several prompts become one, because it is not known which of the changes followed which of them. */
export async function recordPromptsOf(
  { workspace, lock, pace }: WriteContext,
  copy: OpenCopy,
  author: { readonly actor: Actor; readonly session: SessionId },
): Promise<void> {
  const { actor, session } = author;
  const prompts = sinceRecorded(promptsIn(workspace, copy), lastPromptOf(workspace.timeline, session));
  if (prompts.length === 0) return;
  const words = truncate(prompts.map(({ lastUser }) => lastUser).join(BETWEEN), WORDS);
  // No id of the message: it could be that of a prompt outside.
  const conversation = { messages: null, lastUser: words, recordedIn: 'copy' } as const;
  const description = `${describeTrigger('prompt', actor, words, false)} (${RECORDED_IN_COPY})`;
  const info = { ...checkpointInfo('prompt', actor), session, conversation, description };
  await capture(workspace, lock, pace, info, { always: true });
}

/** The words of the last prompts in a copy, the oldest first. */
export function promptsOf(workspace: Workspace, copy: OpenCopy): readonly string[] {
  return promptsIn(workspace, copy)
    .slice(-MOST_PROMPTS)
    .map(({ lastUser }) => truncate(lastUser, WORDS));
}

const MOST_PROMPTS = 1_000;

type Prompt = ConversationPosition & { readonly lastUser: string; readonly time: number };

const WORDS = 2_000;
const BETWEEN = ' / ';

/** Oldest first. None if the store of the copy cannot be read: its changes are applied all the same. */
function promptsIn({ ports }: Workspace, { record: { place } }: OpenCopy): readonly Prompt[] {
  try {
    const prompts: Prompt[] = [];
    for (const { timeline } of timelinesIn(ports, diskChild(place, 'home'))) {
      const found = [...timeline.newestFirst()].flatMap(({ checkpoint }) => promptOf(checkpoint) ?? []);
      prompts.push(...found.reverse());
    }
    return prompts;
  } catch (error) {
    if (error instanceof SavepointError || error instanceof FsError) return [];
    throw error;
  }
}

function promptOf(checkpoint: Checkpoint | null): Prompt | null {
  if (checkpoint?.trigger !== 'prompt') return null;
  const { conversation } = checkpoint;
  const words = conversation?.lastUser?.trim() ?? '';
  return conversation === null || words === '' ? null : { ...conversation, lastUser: words, time: checkpoint.time };
}

function lastPromptOf(timeline: Timeline, session: SessionId): Prompt | null {
  for (const { checkpoint } of timeline.newestFirst()) {
    if (checkpoint?.session !== session) continue;
    if (checkpoint.trigger === 'session') return null;
    const found = promptOf(checkpoint);
    if (found !== null) return found;
  }
  return null;
}

/** Those after the last one that is recorded. */
function sinceRecorded(prompts: readonly Prompt[], recorded: Prompt | null): readonly Prompt[] {
  if (recorded === null) return prompts;
  const { lastUser, time } = recorded;
  // A later one may have the same words.
  const at = prompts.findLastIndex((one) => one.time <= time && lastUser.endsWith(one.lastUser));
  // If the words were too many to keep, only the time is left.
  return at < 0 ? prompts.filter((one) => one.time > time) : prompts.slice(at + 1);
}
