/** Where a conversation of Claude Code is cut: which rows stay, and which messages of the current conversation do not. */

import type { ConversationEnd } from '@savepoint/core/ports';
import { type ConversationTree, pathTo, type TreeRow } from './claude-tree.ts';
import { type BeforePrompt, MISSING, whichPrompt } from './which-prompt.ts';

export interface Cut {
  /** The rows that stay, oldest first. */
  readonly kept: readonly TreeRow[];
  /** Calls of the last answer that stays, without their results: they had not ended. */
  readonly open: readonly { readonly call: string; readonly row: TreeRow }[];
  /** One row of each message that the conversation loses, oldest first. */
  readonly removed: readonly TreeRow[];
  /** The prompt that it goes back to; null for a place after a call. */
  readonly prompt: TreeRow | null;
}

/** @param textOf reads the text of a row @returns a reason if the place is not found: a sentence without its full stop */
export function cut(
  { rows }: ConversationTree,
  end: ConversationEnd,
  textOf: (row: TreeRow) => string | null,
): Cut | string {
  const current = pathTo(rows.at(-1) ?? null);
  if (end.kind === 'after-call') {
    const results = rows.filter((row) => row.results.includes(end.call));
    const ofPrompt = results.filter(({ promptId }) => promptId !== null && promptId === end.messageId);
    const found = ofPrompt.at(-1) ?? results.at(-1);
    return found === undefined ? 'the result of the call is not in its transcript' : cutAfter(found, current, null);
  }
  const found = promptRow(rows, current, end, textOf);
  return typeof found === 'string' ? found : cutAfter(firstOf(found).parent, current, found);
}

/** How much of the recorded words must match. They are shortened. */
const MATCHED_CHARACTERS = 1_000;

function promptRow(
  rows: readonly TreeRow[],
  current: readonly TreeRow[],
  end: BeforePrompt,
  textOf: (row: TreeRow) => string | null,
): TreeRow | string {
  const { messageId, words } = end;
  const named = messageId === null ? [] : rows.filter((row) => row.isPrompt && row.promptId === messageId);
  const last = named.at(-1);
  if (last === undefined) {
    const prompts = current.filter(({ isPrompt }) => isPrompt);
    // A version that writes ids has not written this prompt yet. An older version writes none.
    if (messageId !== null && prompts.some(({ promptId }) => promptId !== null)) return MISSING;
    const said = prompts.map((row) => ({ text: textOf(row) ?? '', time: row.time }));
    const found = whichPrompt(said, end, hasWords);
    return typeof found === 'string' ? found : (prompts[found] ?? MISSING);
  }
  // In a fork, the program gives all earlier prompts the id of the first one after it, which is the last of them.
  const ofLast = named.filter((row) => firstOf(row) === firstOf(last));
  const said = ofLast.find((row) => words !== null && hasWords(textOf(row) ?? '', words));
  if (said !== undefined) return said;
  if (ofLast.length < named.length) return 'its transcript has several prompts with the same id';
  // It is an earlier one if a fork has not written this prompt yet.
  return ofLast.every((row) => isOther(textOf(row), words)) ? MISSING : last;
}

/** Whether a prompt was recorded with other words. A command is recorded as it was typed, and written in another form. */
function isOther(text: string | null, words: string | null): boolean {
  if (text === null || words === null || text.trimStart().startsWith('<command-')) return false;
  return !onOneLine(text).includes(onOneLine(words).slice(0, COMPARED_CHARACTERS));
}

/** An editor may add to the words, before and after them. */
const COMPARED_CHARACTERS = 200;

function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** A prompt may have several rows: a command, and notes on it before. */
function firstOf(prompt: TreeRow): TreeRow {
  let first = prompt;
  for (let { parent } = first; parent !== null && isSamePrompt(parent, prompt); { parent } = parent) first = parent;
  return first;
}

function isSamePrompt({ message, promptId }: TreeRow, prompt: TreeRow): boolean {
  return message?.role === 'user' && promptId !== null && promptId === prompt.promptId;
}

function hasWords(text: string, words: string): boolean {
  return words !== '' && beginningOf(text) === beginningOf(words);
}

function beginningOf(text: string): string {
  return text.trim().slice(0, MATCHED_CHARACTERS);
}

function cutAfter(last: TreeRow | null, current: readonly TreeRow[], prompt: TreeRow | null): Cut {
  const kept = pathTo(last);
  const keptRows = new Set(kept);
  const removed: TreeRow[] = [];
  let before: string | null = null;
  for (const row of current) {
    const id: string | null = row.message?.id ?? before;
    // A message may have several rows.
    if (id !== before && !keptRows.has(row)) removed.push(row);
    before = id;
  }
  return { kept, open: openCalls(kept), removed, prompt };
}

/** Only of the last answer: the program itself copes with earlier ones. */
function openCalls(kept: readonly TreeRow[]): Cut['open'] {
  const open = new Map<string, TreeRow>();
  let answer: string | null = null;
  for (const row of kept) {
    const { message } = row;
    if (message !== null && message.role !== 'tool' && message.id !== answer) {
      open.clear();
      answer = message.id;
    }
    for (const call of row.calls) open.set(call, row);
    for (const call of row.results) open.delete(call);
  }
  return [...open].map(([call, row]) => ({ call, row }));
}
