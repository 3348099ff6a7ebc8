/** Cline (docs/agents.md): one executable file per event. */

import type { Agent, Environment } from './agent.ts';
import { jsonReply } from './answer.ts';
import { messagesFile, plainPrompt, startingPrompt } from './cline-prompt.ts';
import { type AgentEvent, type EventHeader, type IgnoredEvent, ignoreEvent } from './event.ts';
import {
  callIn,
  durationIn,
  type Fields,
  field,
  fieldsOf,
  firstTextIn,
  idIn,
  sessionIn,
  stampIn,
  textIn,
} from './fields.ts';
import { classifyCall, fileTool, isOwnTool, patchTool, readOnlyTools, SHELL, type ToolTable } from './tools.ts';
import { clineRows } from './transcript/cline.ts';

const TOOLS: ToolTable = {
  editor: fileTool('edit', 'path'),
  write_to_file: fileTool('write', 'path'),
  replace_in_file: fileTool('edit', 'path'),
  apply_patch: patchTool('input', 'patch'),
  run_commands: SHELL,
  execute_command: SHELL,
  ...readOnlyTools('read_files', 'read_file', 'list_files', 'search_files', 'search_codebase', 'fetch_web_content'),
  ...readOnlyTools(
    'ask_followup_question',
    'ask_question',
    'attempt_completion',
    'skills',
    'list_code_definition_names',
  ),
};

const EVENTS = [
  'TaskStart',
  'TaskResume',
  'TaskCancel',
  'TaskComplete',
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'SessionShutdown',
];

/** Event names of the command line. The editor's extension uses the names of the files. */
const NAMES: Readonly<Record<string, string>> = {
  agent_start: 'TaskStart',
  agent_resume: 'TaskResume',
  agent_end: 'TaskComplete',
  agent_abort: 'TaskCancel',
  tool_call: 'PreToolUse',
  tool_result: 'PostToolUse',
  prompt_submit: 'UserPromptSubmit',
  session_shutdown: 'SessionShutdown',
};

function parse(event: Fields, env: Environment, hint: string | null): AgentEvent | IgnoredEvent {
  const named = textIn(event, 'hookName');
  const native = hint ?? (named !== null && Object.hasOwn(NAMES, named) ? (NAMES[named] ?? named) : named);
  const session = sessionIn(event, 'taskId');
  const cwd = firstTextIn(event, 'workspaceRoots');
  if (native === null || session === null || cwd === null) {
    return ignoreEvent('it lacks an event, a task or a folder');
  }
  const header: EventHeader = {
    agent: 'cline',
    version: textIn(event, 'clineVersion'),
    model: textIn(fieldsOf(field(event, 'model')), 'slug'),
    session,
    subAgentId: textIn(event, 'parent_agent_id') === null ? null : idIn(event, 'agent_id'),
    cwd,
    project: cwd,
    transcript: messagesFile(event, env),
    nativeName: native,
    stamp: stampIn(event, 'timestamp'),
  };
  switch (native) {
    case 'TaskStart': {
      const prompt = header.subAgentId === null ? startingPrompt(event, env) : null;
      if (prompt === null) return { ...header, kind: 'session-started' };
      return { ...header, kind: 'prompt-given', text: prompt, messageId: null };
    }
    case 'TaskResume':
      return { ...header, kind: 'session-started' };
    case 'UserPromptSubmit': {
      const prompt = textIn(fieldsOf(field(event, 'userPromptSubmit')), 'prompt') ?? textIn(event, 'prompt') ?? '';
      return { ...header, kind: 'prompt-given', text: plainPrompt(prompt), messageId: null };
    }
    case 'TaskCancel':
    case 'TaskComplete':
      return { ...header, kind: 'turn-ended' };
    case 'SessionShutdown':
      return { ...header, kind: 'session-ended' };
    case 'PreToolUse':
    case 'PostToolUse':
      return parseCall(event, header);
    default:
      return ignoreEvent(`${native} is not an event that changes files`);
  }
}

function parseCall(event: Fields, header: EventHeader): AgentEvent | IgnoredEvent {
  const begins = header.nativeName === 'PreToolUse';
  const about = fieldsOf(field(event, begins ? 'tool_call' : 'tool_result'));
  const also = fieldsOf(field(event, begins ? 'preToolUse' : 'postToolUse'));
  const tool = textIn(about, 'name') ?? textIn(also, 'toolName');
  if (tool === null) return ignoreEvent('it lacks a tool');
  const input = field(about, 'input') ?? field(also, 'parameters');
  const known = classifyCall(TOOLS, tool, input, begins ? null : (field(about, 'output') ?? also));
  if (known === null || (tool === 'editor' && textIn(fieldsOf(input), 'command') === 'view')) {
    return ignoreEvent(`${tool} only reads`);
  }
  const call = { id: callIn(about, 'id'), tool, input, own: isOwnTool(tool), ...known };
  return begins
    ? { ...header, kind: 'call-began', call }
    : { ...header, kind: 'call-ended', call, background: false, ranMs: durationIn(about, 'durationMs') };
}

export const cline: Agent = {
  name: 'cline',
  variables: ['HOME', 'USERPROFILE'],
  transcript: { document: clineRows },
  shell: { any: 'CLINE_CONNECTOR_CLI_LAUNCH', session: null },
  title: 'Cline',
  planLimit:
    'its edits of files become a plan, but each of them ends its turn, as every refused call does: prompt it to go on.',
  parse,
  callEvent: 'PreToolUse',
  reply: (_native, answer) => {
    if (answer.kind === 'deny') return jsonReply({ cancel: true, errorMessage: answer.reason });
    return jsonReply({ cancel: false, ...(answer.kind === 'context' ? { contextModification: answer.text } : {}) });
  },
  continuesTurn: () => false,
  acceptsContext: (native) => native !== 'SessionShutdown' && native !== 'TaskComplete' && native !== 'TaskCancel',
  // For the first prompt of a task, it goes on whatever the answer is.
  answersPrompts: () => false,
  limitMs: () => null,
  integration: {
    project: ['.clinerules', 'hooks'],
    user: { variable: null, folder: ['.cline'], file: ['hooks'] },
    form: {
      kind: 'files',
      files: (command) =>
        EVENTS.map((name) => ({
          name,
          content: `#!/bin/sh\n# Created by \`savepoint install cline\`; \`savepoint uninstall cline\` removes it. It runs: savepoint hook cline\nexec ${command.forEvent(name).shell}\n`,
          mode: 0o755,
        })),
    },
    commands: null,
    present: { folders: [['.cline']], programs: ['cline'] },
    notes: [],
  },
};
