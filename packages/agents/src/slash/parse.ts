/** Recognises a command of Savepoint in the text of a prompt. Any other prompt is the model's. */

import type { TypedCommand } from './request.ts';
import { SLASH_COMMANDS } from './table.ts';

/**
 * Follows the command in the files that agents expand. The model reads it only if the hook did not answer.
 */
export const NOT_ANSWERED = [
  "Savepoint's hook answers this command before it reaches a model. You can read it, so the hook did not run. Change",
  'nothing. Tell the user to run `savepoint status`, and that the command `savepoint` in a terminal does the same.',
].join('\n');

const MAX_LENGTH = 4_000;

/**
 * Parses a prompt. `/savepoint:rewind 2` is the form where an agent has folders of commands, `/savepoint-rewind 2` where
 * it does not, and `$savepoint-rewind 2` where it refuses unknown commands with a slash.
 * @returns null if the prompt is not for Savepoint
 */
export function parseSlash(prompt: string): TypedCommand | null {
  const text = withoutNotice(prompt).trim();
  const [, prefix, name = '', blank = '', rest = ''] = /^([/$]savepoint[:-])(\w*)(\s?)(.*)$/s.exec(text) ?? [];
  if (prefix === undefined) return text === '/savepoint' ? { prefix: '/savepoint:', request: { kind: 'usage' } } : null;
  const command = SLASH_COMMANDS.find((one) => one.name === name);
  if (command === undefined || (blank === '' && rest !== '')) {
    // With another prefix it may be a path or a variable that begins like this.
    return prefix === '/savepoint:' ? { prefix, request: { kind: 'usage' } } : null;
  }
  const isOneLine = !/[\r\n]/.test(text) && text.length <= MAX_LENGTH;
  const words = rest.split(/\s+/).filter((word) => word !== '');
  return { prefix, request: (isOneLine ? command.parse(words, rest.trim()) : null) ?? { kind: 'usage' } };
}

function withoutNotice(prompt: string): string {
  const text = prompt.trimEnd();
  return text.endsWith(NOT_ANSWERED) ? text.slice(0, -NOT_ANSWERED.length) : text;
}
