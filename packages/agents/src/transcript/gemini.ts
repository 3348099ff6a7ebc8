/** Gemini CLI: a log of messages, in which a later row with the same id replaces an earlier one. */

import { type Fields, field, fieldsOf, idIn, numberIn, textIn } from '../fields.ts';
import type { MessageRow, TranscriptRow } from './row.ts';
import { textOfParts } from './text.ts';

export function geminiRow(row: Fields): readonly TranscriptRow[] {
  const from = idIn(row, '$rewindTo');
  if (from !== null) return [{ kind: 'cut', from }];
  const messages = field(fieldsOf(field(row, '$set')), 'messages');
  if (Array.isArray(messages)) {
    return [{ kind: 'replaced', messages: messages.flatMap((one) => messageOf(fieldsOf(one))) }];
  }
  const [message] = messageOf(row);
  if (message === undefined) return [];
  const contextSize = numberIn(fieldsOf(field(row, 'tokens')), 'input');
  const about = { kind: 'about', model: textIn(row, 'model'), contextSize } as const;
  return message.role === 'assistant' ? [message, about] : [message];
}

function messageOf(row: Fields): readonly MessageRow[] {
  const id = idIn(row, 'id');
  const type = textIn(row, 'type');
  if (id === null || (type !== 'user' && type !== 'gemini')) return [];
  const content = field(row, 'content');
  const text = textOfParts(content);
  if (type === 'gemini') return [{ kind: 'message', id, role: 'assistant', text }];
  // The surroundings, which the program adds under the user's name.
  if (text?.startsWith('<session_context>') === true) return [];
  return [{ kind: 'message', id, role: text === null ? 'tool' : 'user', text }];
}
