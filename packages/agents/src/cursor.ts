/** Cursor (docs/agents.md). Written from its documentation, and not tested with Cursor itself. */

import type { Agent, Environment } from './agent.ts';
import { EMPTY_REPLY, jsonReply } from './answer.ts';
import { type Dialect, parseClaudeEvent } from './claude-protocol.ts';
import { type AgentEvent, type IgnoredEvent, ignoreEvent } from './event.ts';
import { type Fields, firstTextIn, textIn } from './fields.ts';
import { hookList, hookSeconds } from './settings/integration.ts';
import { unknownOrigin } from './slash/expansion.ts';
import { fileTool, readOnlyTools, SHELL } from './tools.ts';

const DIALECT: Dialect = {
  agent: 'cursor',
  projectVariable: 'CURSOR_PROJECT_DIR',
  eventNames: {
    sessionStart: 'SessionStart',
    beforeSubmitPrompt: 'UserPromptSubmit',
    preToolUse: 'PreToolUse',
    postToolUse: 'PostToolUse',
    postToolUseFailure: 'PostToolUseFailure',
    afterFileEdit: 'PostToolUse',
    subagentStop: 'SubagentStop',
    stop: 'Stop',
    sessionEnd: 'SessionEnd',
  },
  tools: {
    Write: fileTool('write', 'file_path', 'path'),
    Edit: fileTool('edit', 'file_path', 'path'),
    Delete: fileTool('write', 'file_path', 'path'),
    afterFileEdit: fileTool('edit', 'file_path'),
    Shell: SHELL,
    ...readOnlyTools('Read', 'Grep', 'Glob', 'List', 'Task', 'WebSearch', 'WebFetch', 'SemanticSearch'),
  },
};

/**
 * The events that we ask for. Cursor sends `afterFileEdit` also for edits that have no tool events; such an edit is only
 * known once it has been made.
 */
const EVENTS = [
  'sessionStart',
  'beforeSubmitPrompt',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'afterFileEdit',
  'stop',
  'sessionEnd',
];

function parse(event: Fields, env: Environment, hint: string | null): AgentEvent | IgnoredEvent {
  const native = textIn(event, 'hook_event_name') ?? hint;
  if (native === null) return ignoreEvent('it lacks an event');
  const folder = firstTextIn(event, 'workspace_roots');
  const input = { file_path: event['file_path'], edits: event['edits'] };
  const edited = native === 'afterFileEdit' ? { tool_name: native, tool_input: input } : {};
  const full: Fields = { ...event, hook_event_name: native, cwd: textIn(event, 'cwd') ?? folder, ...edited };
  const parsed = parseClaudeEvent(full, env, DIALECT);
  if (parsed.kind === 'ignored') return parsed;
  const typed = parsed.kind === 'prompt-given' ? { ...parsed, typedDoubt: unknownOrigin('Cursor') } : parsed;
  return { ...typed, version: textIn(event, 'cursor_version'), project: folder ?? parsed.project };
}

export const cursor: Agent = {
  name: 'cursor',
  variables: ['CURSOR_PROJECT_DIR'],
  title: 'Cursor',
  planLimit: 'It reports some edits only after it made them: they happen. Its hooks were not tried.',
  parse,
  callEvent: 'preToolUse',
  reply: (native, answer) => {
    if (answer.kind === 'nothing' || answer.kind === 'elsewhere') return EMPTY_REPLY;
    if (answer.kind === 'continue') return jsonReply({ followup_message: answer.reason });
    if (answer.kind === 'answered') return jsonReply({ continue: false, user_message: answer.text });
    if (answer.kind === 'deny') {
      return jsonReply({ permission: 'deny', user_message: answer.reason, agent_message: answer.reason });
    }
    return jsonReply(
      native === 'preToolUse'
        ? { permission: 'allow', agent_message: answer.text }
        : { additional_context: answer.text },
    );
  },
  continuesTurn: (native) => native === 'stop',
  // It does by default, and does not say whether the user has turned that off.
  sandboxesShell: () => true,
  acceptsContext: (native) => native === 'sessionStart' || native === 'postToolUse',
  answersPrompts: (native) => native === 'beforeSubmitPrompt',
  limitMs: () => null,
  integration: {
    project: ['.cursor', 'hooks.json'],
    user: { variable: null, folder: ['.cursor'], file: ['hooks.json'] },
    form: hookList(EVENTS, (command, event) => ({ command: command.shell, timeout: hookSeconds(event) })),
    commands: { files: [], project: [], user: [], prefix: '/savepoint:' },
    present: { folders: [['.cursor']], programs: ['cursor', 'cursor-agent'] },
    notes: ['The hooks for Cursor follow its documentation and were not tested with Cursor itself.'],
  },
};
