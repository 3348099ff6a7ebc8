/** Gemini CLI (docs/agents.md). */

import type { Agent, Environment } from './agent.ts';
import { EMPTY_REPLY, jsonReply } from './answer.ts';
import { type Dialect, parseClaudeEvent } from './claude-protocol.ts';
import type { AgentEvent, IgnoredEvent } from './event.ts';
import type { Fields } from './fields.ts';
import { hookGroups, hookSeconds } from './settings/integration.ts';
import { geminiDoubt } from './slash/expansion.ts';
import { geminiCommands } from './slash/files.ts';
import { parseSlash } from './slash/parse.ts';
import { fileTool, readOnlyTools, SHELL } from './tools.ts';
import { geminiRow } from './transcript/gemini.ts';

const DIALECT: Dialect = {
  agent: 'gemini',
  projectVariable: 'GEMINI_PROJECT_DIR',
  eventNames: {
    BeforeAgent: 'UserPromptSubmit',
    BeforeTool: 'PreToolUse',
    AfterTool: 'PostToolUse',
    AfterAgent: 'Stop',
  },
  tools: {
    write_file: fileTool('write', 'file_path'),
    replace: fileTool('edit', 'file_path'),
    run_shell_command: SHELL,
    ...readOnlyTools('read_file', 'read_many_files', 'list_directory', 'glob', 'search_file_content', 'grep_search'),
    ...readOnlyTools('google_web_search', 'web_fetch', 'write_todos', 'ask_user', 'save_memory'),
  },
};

const WRITE_MATCHER = 'write_file|replace|run_shell_command|mcp_.*';
const CONTEXT_EVENTS = new Set(['SessionStart', 'BeforeAgent', 'AfterTool']);

function parse(given: Fields, env: Environment): AgentEvent | IgnoredEvent {
  const event = parseClaudeEvent(given, env, DIALECT);
  if (event.kind !== 'prompt-given' || parseSlash(event.text) === null) return event;
  return { ...event, typedDoubt: geminiDoubt(event.text, [event.project, event.cwd]) };
}

export const gemini: Agent = {
  name: 'gemini',
  variables: ['GEMINI_PROJECT_DIR'],
  transcript: geminiRow,
  conversation: async () => (await import('./conversation/gemini.ts')).geminiConversation,
  shell: { any: 'GEMINI_CLI', session: null },
  title: 'Gemini CLI',
  parse,
  callEvent: 'BeforeTool',
  reply: (native, answer) => {
    if (answer.kind === 'nothing' || answer.kind === 'elsewhere') return EMPTY_REPLY;
    if (answer.kind === 'deny' || answer.kind === 'continue')
      return jsonReply({ decision: 'deny', reason: answer.reason });
    if (answer.kind === 'answered') return jsonReply({ decision: 'deny', reason: answer.text });
    return jsonReply({ hookSpecificOutput: { hookEventName: native, additionalContext: answer.text } });
  },
  continuesTurn: (native) => native === 'AfterAgent',
  acceptsContext: (native) => CONTEXT_EVENTS.has(native),
  answersPrompts: (native) => native === 'BeforeAgent',
  limitMs: () => null,
  integration: {
    project: ['.gemini', 'settings.json'],
    user: { variable: null, folder: ['.gemini'], file: ['settings.json'] },
    form: hookGroups(
      {
        SessionStart: null,
        BeforeAgent: null,
        BeforeTool: WRITE_MATCHER,
        AfterTool: WRITE_MATCHER,
        AfterAgent: null,
        SessionEnd: null,
      },
      // Milliseconds here.
      (event) => hookSeconds(event) * 1_000,
      { name: 'savepoint' },
    ),
    commands: {
      files: geminiCommands(),
      project: ['.gemini', 'commands', 'savepoint'],
      user: ['commands', 'savepoint'],
      prefix: '/savepoint:',
    },
    present: { folders: [['.gemini']], programs: ['gemini'] },
    notes: [
      'Gemini CLI runs the hooks of a project only in trusted folders: answer its question, or use `/permissions`.',
    ],
  },
};
