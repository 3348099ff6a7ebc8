/**
 * Finds the prompt with which Cline started a task. The editor's extension sends it with the event. The command line
 * (3.0.65) does not report it; it is in the session's own file, `~/.cline/data/sessions/ID/ID.json`.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '@savepoint/core/ports';
import type { Environment } from './agent.ts';
import { type Fields, field, fieldsOf, textIn } from './fields.ts';
import { homeFolder } from './settings/home-folder.ts';

/** Enough for a prompt. A file with messages is larger, but only the one without any is of interest. */
const MAX_FILE_BYTES = 256 * 1024;

/** Returns null if it is unknown. */
export function startingPrompt(event: Fields, env: Environment): string | null {
  const task = fieldsOf(field(fieldsOf(field(event, 'taskStart')), 'taskMetadata'));
  const sent = textIn(task, 'initialTask', 'task');
  if (sent !== null) return plainPrompt(sent);
  const start = sessionPath(event, env);
  const prompt = start === null ? null : textIn(fileFields(`${start}.json`), 'prompt');
  if (prompt === null) return null;
  // The file keeps the first prompt. With messages, this is a later turn of the conversation.
  const messages = field(fileFields(`${start}.messages.json`), 'messages');
  return Array.isArray(messages) && messages.length === 0 ? plainPrompt(prompt) : null;
}

/** Returns the file with the messages of the session; null if it is unknown. */
export function messagesFile(event: Fields, env: Environment): string | null {
  const start = sessionPath(event, env);
  return start === null ? null : `${start}.messages.json`;
}

/** Returns what the user typed: Cline encloses it for its model. */
export function plainPrompt(text: string): string {
  const inside = /^\s*<user_input\b[^>]*>([\s\S]*)<\/user_input>\s*$/.exec(text);
  return inside === null ? text : inside[1]!;
}

/** Returns the start of the paths of the session's files. */
function sessionPath(event: Fields, env: Environment): string | null {
  const id = textIn(fieldsOf(field(event, 'sessionContext')), 'rootSessionId');
  if (id === null || !/^[A-Za-z0-9_-]{1,100}$/.test(id)) return null;
  return join(homeFolder(env), '.cline', 'data', 'sessions', id, id);
}

/** Returns no fields if the file cannot be read. */
function fileFields(path: string): Fields {
  try {
    if (!statSync(path).isFile() || statSync(path).size > MAX_FILE_BYTES) return {};
    return fieldsOf(readJson(readFileSync(path, 'utf8'), { keys: 'any' }));
  } catch {
    return {};
  }
}
