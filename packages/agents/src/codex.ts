/** OpenAI Codex (docs/agents.md). */

import type { Agent } from './agent.ts';
import { claudeReply, type Dialect, parseClaudeShape } from './claude-protocol.ts';
import { hookGroups } from './settings/integration.ts';
import { patchTool, reading, SHELL } from './tools.ts';

const DIALECT: Dialect = {
  agent: 'codex',
  projectVariable: null,
  tools: {
    apply_patch: patchTool('command', 'input', 'patch'),
    Bash: SHELL,
    shell: SHELL,
    exec_command: SHELL,
    ...reading('update_plan', 'view_image', 'web_search', 'read_file', 'list_dir', 'grep_files', 'tool_search'),
  },
};

const WRITING = 'Bash|apply_patch|mcp__.*';
/** It has a short timeout for hooks when it exits. */
const AT_THE_END_MS = 3_000;
/** It validates answers against a schema, so a context is sent only for events that accept one. */
const HEARING = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse']);

export const codex: Agent = {
  name: 'codex',
  variables: [],
  title: 'OpenAI Codex',
  parse: (event, env) => parseClaudeShape(event, env, DIALECT),
  reply: claudeReply,
  hearsContext: (native) => HEARING.has(native),
  limitMs: (native) => (native === 'SessionEnd' || native === 'Interrupt' ? AT_THE_END_MS : null),
  integration: {
    project: ['.codex', 'hooks.json'],
    user: { variable: 'CODEX_HOME', folder: ['.codex'], file: ['hooks.json'] },
    form: hookGroups({
      SessionStart: null,
      UserPromptSubmit: null,
      PreToolUse: WRITING,
      PostToolUse: WRITING,
      Stop: null,
      SubagentStop: null,
      Interrupt: null,
      SessionEnd: null,
    }),
    present: { folders: [['.codex']], programs: ['codex'] },
    notes: [
      'Codex silently skips hooks that you have not trusted: start it here, type `/hooks`, and trust those of ' +
        'Savepoint.',
      'You must also trust the project. Without a terminal, use `codex exec --dangerously-bypass-hook-trust`.',
    ],
  },
};
