/** Copilot CLI: a log of events. Each names the one before it; after the user has gone back, that is an earlier one. */

import { type Fields, field, fieldsOf, idIn, numberIn, textIn } from '../fields.ts';
import type { TranscriptRow } from './row.ts';
import { textOfParts } from './text.ts';

export function copilotRow(row: Fields): readonly TranscriptRow[] {
  const id = idIn(row, 'id');
  if (id === null) return [];
  const data = fieldsOf(field(row, 'data'));
  const node = { kind: 'node', id, after: idIn(row, 'parentId') } as const;
  // Of a sub-agent.
  if (textIn(row, 'agentId') !== null || textIn(data, 'parentToolCallId') !== null) return [node];
  switch (textIn(row, 'type')) {
    case 'session.start':
    case 'session.resume':
      return [node, { kind: 'about', version: textIn(data, 'copilotVersion'), model: textIn(data, 'selectedModel') }];
    case 'session.model_change':
      return [node, { kind: 'about', model: textIn(data, 'newModel') }];
    case 'session.usage_record': {
      const usage = fieldsOf(field(data, 'usage'));
      // Titles and summaries are made with other models.
      if (textIn(usage, 'interactionType') !== 'conversation-agent') return [node];
      return [node, { kind: 'about', model: textIn(usage, 'model'), contextSize: numberIn(usage, 'inputTokens') }];
    }
    case 'user.message': {
      // Skills and other agents also write under the user's name.
      const text = textIn(data, 'source') === null ? textIn(data, 'content') : null;
      return [node, { kind: 'message', id, role: 'user', text }];
    }
    case 'assistant.message':
      return [
        node,
        { kind: 'message', id, role: 'assistant', text: textOfParts(field(data, 'content')) },
        { kind: 'about', model: textIn(data, 'model') },
      ];
    case 'tool.execution_complete':
      return [node, { kind: 'message', id, role: 'tool', text: null }];
    default:
      return [node];
  }
}
