/** Finds the place at which a conversation ends again, independent of the agent. */

import {
  type ConversationEnd,
  type ConversationPlace,
  type ConversationPlan,
  MAX_REMOVED,
  MAX_REMOVED_TEXT,
} from '@savepoint/core/ports';
import type { Role } from '../transcript/row.ts';
import { planOrReason } from './transcript-file.ts';
import { type BeforePrompt, MISSING, whichPrompt } from './which-prompt.ts';

/** A message of a conversation, as its agent keeps it. */
export interface KeptMessage {
  /** `user`: a prompt. */
  readonly role: Role;
  /** Of a prompt, all of it. Null if it has none: a call, or its result. */
  readonly text: string | null;
  /** The id under which hooks report the prompt; null if there is none. */
  readonly prompt: string | null;
  /** Of a prompt: when it was written, in milliseconds since 1970; null if it is not known. */
  readonly time: number | null;
  /** The calls whose results it contains, with the ids that hooks report. */
  readonly results: readonly string[];
}

/** How many messages stay, or a sentence without its full stop. */
export type Cut = { readonly kept: number } | { readonly reason: string };

export function findCut(messages: readonly KeptMessage[], end: ConversationEnd): Cut {
  return end.kind === 'before-prompt' ? beforePrompt(messages, end) : afterCall(messages, end);
}

/** @param find returns all messages, and how many of them stay; what it throws is a reason */
export function planFound(
  { end }: ConversationPlace,
  find: () => FoundMessages | Promise<FoundMessages>,
): Promise<ConversationPlan> {
  return planOrReason(async () => {
    const { messages, kept } = await find();
    return planCut(messages, kept, end);
  });
}

/** Words of the model and results of calls are only shown. */
export function shorten(text: string | null): string | null {
  if (text === null || text.length <= MAX_REMOVED_TEXT) return text;
  return `${text.slice(0, MAX_REMOVED_TEXT - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

interface FoundMessages {
  readonly messages: readonly KeptMessage[];
  readonly kept: number;
}

function planCut(messages: readonly KeptMessage[], kept: number, end: ConversationEnd): ConversationPlan {
  const removed = messages.slice(kept);
  const first = removed[0];
  return {
    isPossible: true,
    messages: removed.length,
    prompts: removed.filter(({ role }) => role === 'user').length,
    removed: removed.slice(0, MAX_REMOVED).map(({ role, text }) => ({ role, text: shorten(text) })),
    words: end.kind === 'before-prompt' && first?.role === 'user' ? first.text : null,
  };
}

function beforePrompt(messages: readonly KeptMessage[], end: BeforePrompt): Cut {
  const { messageId, words } = end;
  const prompts = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const hasGivenWords = (index: number): boolean => words !== null && hasWords(messages[index]?.text ?? '', words);
  const named = messageId === null ? [] : prompts.filter((index) => messages[index]?.prompt === messageId);
  if (named[0] !== undefined) {
    if (named.length === 1) return { kept: named[0] };
    // A user may add a prompt to a turn that is running.
    const [said, ...others] = named.filter(hasGivenWords);
    if (said === undefined) return { reason: 'its transcript has several prompts with the same id' };
    return others.length === 0 ? { kept: said } : byWords(messages, prompts, end);
  }
  // Its agent writes ids, and has not written this prompt yet, or has removed it.
  if (messageId !== null && prompts.some((index) => messages[index]?.prompt !== null)) return { reason: MISSING };
  if (words === null) return { reason: 'the prompt is not known' };
  return byWords(messages, prompts, end);
}

/** @param prompts the indexes of all prompts */
function byWords(messages: readonly KeptMessage[], prompts: readonly number[], end: BeforePrompt): Cut {
  const said = prompts.map((index) => ({ text: messages[index]?.text ?? '', time: messages[index]?.time ?? null }));
  const found = whichPrompt(said, end, hasWords);
  return typeof found === 'string' ? { reason: found } : { kept: prompts[found] ?? 0 };
}

/** Results of other calls of the same answer stay too: a model must get a result of each of its calls. */
function afterCall(
  messages: readonly KeptMessage[],
  { call, messageId }: Extract<ConversationEnd, { readonly kind: 'after-call' }>,
): Cut {
  // Some agents use the id of a call again for another prompt.
  const prompt = messageId === null ? -1 : messages.findIndex((message) => message.prompt === messageId);
  const isOther = ({ role, prompt: id }: KeptMessage, index: number): boolean =>
    index > prompt && role === 'user' && id !== messageId;
  const next = prompt < 0 ? -1 : messages.findIndex(isOther);
  const results = messages.flatMap((message, index) => {
    const isInTurn = index > prompt && (next < 0 || index < next);
    return isInTurn && message.results.includes(call) ? [index] : [];
  });
  if (results.length > 1) return { reason: 'its agent has used the id of the call more than once' };
  if (results[0] === undefined) return { reason: 'the result of the call is not in its transcript' };
  let kept = results[0] + 1;
  while (messages[kept]?.role === 'tool') kept += 1;
  return { kept };
}

/** @param words possibly shortened. An agent may add to the words of a prompt, in further lines. */
function hasWords(text: string, words: string): boolean {
  const given = words.trim();
  const whole = text.trim();
  if (whole === given || whole.startsWith(`${given}\n`)) return true;
  return given.endsWith('…') && whole.startsWith(given.slice(0, -1));
}
