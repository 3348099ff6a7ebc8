/** Cline: one document with all messages of a session. */

import { plainPrompt } from '../cline-prompt.ts';
import { type Fields, field, fieldsOf, idIn, numberIn, textIn } from '../fields.ts';
import type { TranscriptRow } from './row.ts';
import { textOfParts } from './text.ts';

export function clineRows(document: Fields): readonly TranscriptRow[] {
  const messages = field(document, 'messages');
  const version = textIn(fieldsOf(field(document, 'origin')), 'version');
  const rows = Array.isArray(messages) ? messages.flatMap((message) => rowsOf(fieldsOf(message))) : [];
  return [{ kind: 'about', version }, ...rows];
}

function rowsOf(message: Fields): readonly TranscriptRow[] {
  const id = idIn(message, 'id');
  const role = textIn(message, 'role');
  if (id === null || (role !== 'user' && role !== 'assistant')) return [];
  const content = field(message, 'content');
  const isResult = Array.isArray(content) && content.some((part) => textIn(fieldsOf(part), 'type') === 'tool_result');
  if (isResult) return [{ kind: 'message', id, role: 'tool', text: null }];
  const text = textOfParts(content);
  if (role === 'user') return [{ kind: 'message', id, role, text: text === null ? null : plainPrompt(text) }];
  const metrics = fieldsOf(field(message, 'metrics'));
  const read = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens'].map((key) => numberIn(metrics, key) ?? 0);
  return [
    { kind: 'message', id, role, text },
    {
      kind: 'about',
      model: textIn(fieldsOf(field(message, 'modelInfo')), 'id'),
      contextSize: read.reduce((sum, tokens) => sum + tokens, 0),
    },
  ];
}
