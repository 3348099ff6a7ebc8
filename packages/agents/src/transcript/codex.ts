/** Codex: a log of items. Instructions and notes on the surroundings are messages as well, but not of the conversation. */

import { type Fields, field, fieldsOf, idIn, numberIn, textIn } from '../fields.ts';
import type { TranscriptRow } from './row.ts';
import { textOfParts } from './text.ts';

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);
const RESULTS = new Set(['function_call_output', 'custom_tool_call_output']);

export function codexRow(row: Fields): readonly TranscriptRow[] {
  const payload = fieldsOf(field(row, 'payload'));
  const kind = textIn(payload, 'type') ?? '';
  switch (textIn(row, 'type')) {
    case 'session_meta':
      return [{ kind: 'about', version: textIn(payload, 'cli_version') }];
    case 'turn_context':
      return [{ kind: 'about', model: textIn(payload, 'model') }];
    case 'event_msg': {
      if (kind !== 'token_count') return [];
      const usage = fieldsOf(field(fieldsOf(field(payload, 'info')), 'last_token_usage'));
      return [{ kind: 'about', contextSize: numberIn(usage, 'input_tokens') }];
    }
    case 'response_item': {
      const id = idIn(payload, 'id', 'call_id');
      if (id === null) return [];
      if (CALLS.has(kind)) return [{ kind: 'message', id, role: 'assistant', text: null }];
      if (RESULTS.has(kind)) return [{ kind: 'message', id, role: 'tool', text: null }];
      const role = textIn(payload, 'role');
      if (kind !== 'message' || (role !== 'user' && role !== 'assistant')) return [];
      const text = textOfParts(field(payload, 'content'));
      return role === 'user' && isNote(text) ? [] : [{ kind: 'message', id, role, text }];
    }
    default:
      return [];
  }
}

/** `<environment_context>…`, `<user_instructions>…`: Codex adds these under the user's name. */
function isNote(text: string | null): boolean {
  return text === null || /^<[a-z_]+>/.test(text.trimStart());
}
