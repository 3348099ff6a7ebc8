/** VS Code's agent, which runs the hooks in Claude Code's settings (docs/agents.md). Written from its documentation. */

import type { Protocol } from './agent.ts';
import { jsonReply } from './answer.ts';
import { claudeAcceptsContext, claudeReply, type Dialect, parseClaudeEvent } from './claude-protocol.ts';
import { fileTool, patchTool, readOnlyTools, SHELL } from './tools.ts';

const DIALECT: Dialect = {
  agent: 'vscode',
  projectVariable: null,
  tools: {
    create_file: fileTool('write', 'filePath'),
    replace_string_in_file: fileTool('edit', 'filePath'),
    insert_edit_into_file: fileTool('edit', 'filePath'),
    edit_notebook_file: fileTool('edit', 'filePath'),
    apply_patch: patchTool('input'),
    run_in_terminal: SHELL,
    ...readOnlyTools(
      'read_file',
      'list_dir',
      'file_search',
      'grep_search',
      'semantic_search',
      'get_errors',
      'manage_todo_list',
    ),
    ...readOnlyTools('get_terminal_output', 'fetch_webpage', 'runSubagent'),
  },
};

/** It shares the notes of Claude Code, whose settings it uses. */
export const vscode: Protocol = {
  name: 'claude',
  variables: [],
  parse: (event, env) => parseClaudeEvent(event, env, DIALECT),
  callEvent: 'PreToolUse',
  reply: (native, answer) =>
    answer.kind === 'continue'
      ? jsonReply({ hookSpecificOutput: { hookEventName: native, decision: 'block', reason: answer.reason } })
      : claudeReply(native, answer),
  continuesTurn: (native) => native === 'Stop',
  acceptsContext: claudeAcceptsContext,
  answersPrompts: () => false,
  limitMs: () => null,
};
