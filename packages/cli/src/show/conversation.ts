/** Shows what a restore does with the conversation of an agent. Its texts come from outside. */

import { nameFromJson, showName, showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { shellWord } from '@savepoint/core/frontend';
import type { OutputView } from '../view.ts';
import { listedIn } from './capture.ts';
import { shortText } from './checkpoint.ts';
import { countText } from './format.ts';

type RestoreJson = OutputOf<typeof VERBS.restore>;
type ConversationJson = NonNullable<RestoreJson['conversation']>;

/** What the conversation would lose, or why it cannot go back. */
export function conversationPreviewLines({ conversation }: RestoreJson, view: Pick<OutputView, 'isPage'>): string[] {
  if (conversation === null) return [];
  const most = listedIn(view);
  const { possible, reason, removed, messages, only } = conversation;
  if (!possible) {
    const files = only ? 'Nothing would be changed' : 'Only the files would be restored';
    return [`${conversationName(conversation)} cannot go back: ${showText(reason ?? '')}. ${files}.`];
  }
  if (messages === 0) return [`${conversationName(conversation)} ends at this place.`];
  return [
    `${conversationName(conversation)} would lose ${lossText(conversation)}:`,
    ...removed
      .slice(0, most)
      .map(({ role, text }) => `  ${role.padEnd(9)}  ${text === null ? '' : shortText(text)}`.trimEnd()),
    ...(messages > most ? [`  … and ${messages - most} more (with --json)`] : []),
    'It would continue as a new session; the original stays as it is.',
  ];
}

/** The result, with the commands that continue both conversations. */
export function conversationDoneLines({ conversation, continue: next, error }: RestoreJson): string[] {
  if (conversation === null) return [];
  const { original } = conversation;
  const before = original === null ? [] : [`The conversation as it was: ${commandText(original)}`];
  if (next === null) {
    const why = error?.message ?? conversation.reason ?? '';
    return [`The conversation did not go back. ${showText(why)}`, ...before];
  }
  const { agent } = conversation;
  return [
    `The conversation of ${showText(agent ?? '')} went back and lost ${lossText(conversation)}.`,
    `Continue it: ${commandText(next)}`,
    ...before,
  ];
}

export function lossText({ messages, prompts }: ConversationJson): string {
  const among = prompts === 0 ? '' : ` (${countText(prompts, 'prompt')})`;
  return `${countText(messages, 'message')}${among}`;
}

export function commandText({ command, dir }: NonNullable<RestoreJson['continue']>): string {
  return `\`${command.map((word) => showText(shellWord(word))).join(' ')}\` in ${showName(nameFromJson(dir))}`;
}

function conversationName({ agent, session }: ConversationJson): string {
  if (agent === null) return 'The conversation';
  return `The conversation of ${showText(agent)} (session ${showText(session ?? '')})`;
}
