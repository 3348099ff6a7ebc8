/** Cline (docs/agents.md): one executable file per event. */

import type { Agent, Environment } from './agent.ts';
import { jsonReply } from './answer.ts';
import { type AgentEvent, type Ignored, ignored, type Told } from './event.ts';
import { callIn, type Fields, field, fieldsOf, firstTextIn, idIn, sessionIn, stampIn, textIn } from './fields.ts';
import { fileTool, isOwnTool, patchTool, reading, SHELL, type ToolTable, toolCalled } from './tools.ts';

const TOOLS: ToolTable = {
  editor: fileTool('edit', 'path'),
  write_to_file: fileTool('write', 'path'),
  replace_in_file: fileTool('edit', 'path'),
  apply_patch: patchTool('input', 'patch'),
  run_commands: SHELL,
  execute_command: SHELL,
  ...reading('read_files', 'read_file', 'list_files', 'search_files', 'search_codebase', 'fetch_web_content'),
  ...reading('ask_followup_question', 'ask_question', 'attempt_completion', 'skills', 'list_code_definition_names'),
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

function parse(event: Fields, _env: Environment, hint: string | null): AgentEvent | Ignored {
  const named = textIn(event, 'hookName');
  const native = hint ?? (named !== null && Object.hasOwn(NAMES, named) ? (NAMES[named] ?? named) : named);
  const session = sessionIn(event, 'taskId');
  const cwd = firstTextIn(event, 'workspaceRoots');
  if (native === null || session === null || cwd === null) {
    return ignored('it lacks an event, a task or a folder');
  }
  const told: Told = {
    agent: 'cline',
    version: textIn(event, 'clineVersion'),
    session,
    sub: textIn(event, 'parent_agent_id') === null ? null : idIn(event, 'agent_id'),
    cwd,
    project: cwd,
    transcript: null,
    native,
    stamp: stampIn(event, 'timestamp'),
  };
  switch (native) {
    case 'TaskStart':
    case 'TaskResume':
      return { ...told, kind: 'session-started' };
    case 'UserPromptSubmit': {
      const prompt = textIn(fieldsOf(field(event, 'userPromptSubmit')), 'prompt') ?? textIn(event, 'prompt') ?? '';
      return { ...told, kind: 'prompt-given', text: prompt, messageId: null };
    }
    case 'TaskCancel':
    case 'TaskComplete':
      return { ...told, kind: 'turn-ended' };
    case 'SessionShutdown':
      return { ...told, kind: 'session-ended' };
    case 'PreToolUse':
    case 'PostToolUse':
      return called(event, told);
    default:
      return ignored(`${native} is not an event that changes files`);
  }
}

function called(event: Fields, told: Told): AgentEvent | Ignored {
  const begins = told.native === 'PreToolUse';
  const about = fieldsOf(field(event, begins ? 'tool_call' : 'tool_result'));
  const also = fieldsOf(field(event, begins ? 'preToolUse' : 'postToolUse'));
  const tool = textIn(about, 'name') ?? textIn(also, 'toolName');
  if (tool === null) return ignored('it lacks a tool');
  const input = field(about, 'input') ?? field(also, 'parameters');
  const known = toolCalled(TOOLS, tool, input);
  if (known === null || (tool === 'editor' && textIn(fieldsOf(input), 'command') === 'view')) {
    return ignored(`${tool} only reads`);
  }
  const call = { id: callIn(about, 'id'), tool, input, own: isOwnTool(tool), ...known };
  return begins ? { ...told, kind: 'call-began', call } : { ...told, kind: 'call-ended', call, background: false };
}

export const cline: Agent = {
  name: 'cline',
  variables: [],
  title: 'Cline',
  parse,
  reply: (_native, answer) => {
    if (answer.kind === 'deny') return jsonReply({ cancel: true, errorMessage: answer.reason });
    return jsonReply({ cancel: false, ...(answer.kind === 'context' ? { contextModification: answer.text } : {}) });
  },
  hearsContext: (native) => native !== 'SessionShutdown' && native !== 'TaskComplete' && native !== 'TaskCancel',
  limitMs: () => null,
  integration: {
    project: ['.clinerules', 'hooks'],
    user: { variable: null, folder: ['.cline'], file: ['hooks'] },
    form: {
      kind: 'files',
      files: (command) =>
        EVENTS.map((name) => ({
          name,
          content: `#!/bin/sh\n# Created by \`savepoint install cline\`; \`savepoint uninstall cline\` removes it. It runs: savepoint hook cline\nexec ${command.about(name).shell}\n`,
          mode: 0o755,
        })),
    },
    present: { folders: [['.cline']], programs: ['cline'] },
    notes: [],
  },
};
