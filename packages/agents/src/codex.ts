/** OpenAI Codex (docs/agents.md). */

import type { Agent } from './agent.ts';
import { claudeReply, type Dialect, parseClaudeEvent } from './claude-protocol.ts';
import { codexRun } from './codex-run.ts';
import { textIn } from './fields.ts';
import { hookGroups } from './settings/integration.ts';
import { codexSkills } from './slash/files.ts';
import { patchTool, readOnlyTools, SHELL } from './tools.ts';
import { codexRow } from './transcript/codex.ts';

const DIALECT: Dialect = {
  agent: 'codex',
  projectVariable: null,
  tools: {
    apply_patch: patchTool('command', 'input', 'patch'),
    Bash: SHELL,
    shell: SHELL,
    exec_command: SHELL,
    ...readOnlyTools('update_plan', 'view_image', 'web_search', 'read_file', 'list_dir', 'grep_files', 'tool_search'),
  },
};

const WRITE_MATCHER = 'Bash|apply_patch|mcp__.*';
/** It has a short timeout for hooks when it exits. */
const SESSION_END_MS = 3_000;
/** It validates answers against a schema, so a context is sent only for events that accept one. */
const CONTEXT_EVENTS = new Set(['SessionStart', 'UserPromptSubmit', 'PostToolUse']);

export const codex: Agent = {
  name: 'codex',
  variables: [],
  transcript: codexRow,
  conversation: async () => (await import('./conversation/codex.ts')).codexConversation,
  shell: { any: 'CODEX_CI', session: 'CODEX_SESSION_ID' },
  title: 'OpenAI Codex',
  planLimit:
    'It reads files by shell commands, which plan mode refuses: use `savepoint run --isolated --plan -- codex`.',
  parse: (event, env) => parseClaudeEvent(event, env, DIALECT),
  callEvent: 'PreToolUse',
  reply: claudeReply,
  continuesTurn: (native) => native === 'Stop',
  // With this mode, the user has turned its sandbox off.
  sandboxesShell: (event) => textIn(event, 'permission_mode') !== 'bypassPermissions',
  acceptsContext: (native) => CONTEXT_EVENTS.has(native),
  answersPrompts: (native) => native === 'UserPromptSubmit',
  limitMs: (native) => (native === 'SessionEnd' || native === 'Interrupt' ? SESSION_END_MS : null),
  integration: {
    project: ['.codex', 'hooks.json'],
    user: { variable: 'CODEX_HOME', folder: ['.codex'], file: ['hooks.json'] },
    form: hookGroups({
      SessionStart: null,
      UserPromptSubmit: null,
      PreToolUse: WRITE_MATCHER,
      PostToolUse: WRITE_MATCHER,
      Stop: null,
      SubagentStop: null,
      Interrupt: null,
      SessionEnd: null,
    }),
    commands: {
      files: codexSkills(),
      project: ['.codex', 'skills'],
      user: ['skills'],
      // It refuses unknown commands with a slash.
      prefix: '$savepoint-',
    },
    oneRun: codexRun,
    present: { folders: [['.codex']], programs: ['codex'] },
    notes: [
      'Codex silently skips hooks that you have not trusted: start it here, type `/hooks`, and trust those of ' +
        'Savepoint.',
      'You must also trust the project. Without a terminal, use `codex exec --dangerously-bypass-hook-trust`.',
    ],
  },
};
