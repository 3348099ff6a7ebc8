/**
 * Claude Code: going back starts another branch, with a prompt whose `parentUuid` is an earlier row. Other rows continue
 * the row before them: the results of parallel calls name the rows of their calls and do not branch.
 */

import { type Fields, field, fieldsOf, idIn, numberIn, textIn } from '../fields.ts';
import type { TranscriptRow } from './row.ts';
import { textOfParts } from './text.ts';

export function claudeRow(row: Fields): readonly TranscriptRow[] {
  const id = idIn(row, 'uuid');
  // Rows of sub-agents, and notes that are not part of the conversation.
  if (id === null || field(row, 'isSidechain') === true) return [];
  const node = (after: string | null) => ({ kind: 'node', id, after }) as const;
  const message = fieldsOf(field(row, 'message'));
  switch (textIn(row, 'type')) {
    case 'user': {
      const content = field(message, 'content');
      const isResult =
        Array.isArray(content) && content.some((part) => textIn(fieldsOf(part), 'type') === 'tool_result');
      // What Claude Code itself adds is not the user's.
      const text = isResult || field(row, 'isMeta') === true ? null : textOfParts(content);
      const after = isResult ? null : idIn(row, 'parentUuid');
      return [node(after), { kind: 'message', id, role: isResult ? 'tool' : 'user', text }];
    }
    case 'assistant': {
      const text = textOfParts(field(message, 'content'));
      const usage = fieldsOf(field(message, 'usage'));
      const read = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map((key) =>
        numberIn(usage, key),
      );
      const contextSize = read.reduce<number>((sum, tokens) => sum + (tokens ?? 0), 0);
      return [
        node(null),
        { kind: 'message', id: idIn(message, 'id') ?? id, role: 'assistant', text },
        {
          kind: 'about',
          model: textIn(message, 'model'),
          contextSize: contextSize > 0 ? contextSize : null,
          version: textIn(row, 'version'),
        },
      ];
    }
    default:
      return [node(null)];
  }
}
