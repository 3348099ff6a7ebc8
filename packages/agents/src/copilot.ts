/** GitHub Copilot CLI (docs/agents.md). It also runs the hooks in Claude Code's settings, with events in that form. */

import { readJson } from '@savepoint/core/ports';
import type { Agent, Environment } from './agent.ts';
import { jsonReply, SILENCE } from './answer.ts';
import { type Dialect, parseClaudeShape } from './claude-protocol.ts';
import { type AgentEvent, type Ignored, ignored, type Told } from './event.ts';
import { callIn, type Fields, field, sessionIn, stampIn, textIn } from './fields.ts';
import { HOOK_SECONDS, hookList } from './settings/integration.ts';
import { fileTool, isOwnTool, patchTool, reading, SHELL, type ToolTable, toolCalled } from './tools.ts';

const TOOLS: ToolTable = {
  create: fileTool('write', 'path', 'file_path'),
  edit: fileTool('edit', 'path', 'file_path'),
  apply_patch: patchTool('input', 'patch', 'command'),
  bash: SHELL,
  powershell: SHELL,
  ...reading('view', 'glob', 'grep', 'web_fetch', 'web_search', 'read_bash', 'list_bash', 'stop_bash', 'report_intent'),
  ...reading('update_todo', 'ask_user', 'task', 'read_powershell', 'list_powershell', 'stop_powershell', 'show_file'),
};

/** With Claude Code's settings, it uses Claude Code's names of tools, but its own names of arguments. */
const AS_CLAUDE: Dialect = {
  agent: 'copilot',
  projectVariable: 'COPILOT_PROJECT_DIR',
  tools: {
    ...TOOLS,
    Write: fileTool('write', 'path', 'file_path'),
    Edit: fileTool('edit', 'path', 'file_path'),
    Bash: SHELL,
    ...reading('Read', 'Glob', 'Grep', 'Task', 'WebFetch', 'WebSearch', 'TodoWrite'),
  },
};

const EVENTS = [
  'sessionStart',
  'userPromptSubmitted',
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'agentStop',
  'sessionEnd',
];
const LONGEST_ARGS = 16 * 1024 * 1024;

function parse(event: Fields, env: Environment, hint: string | null): AgentEvent | Ignored {
  if (textIn(event, 'hook_event_name') !== null) return parseClaudeShape(event, env, AS_CLAUDE);
  const native = hint ?? textIn(event, 'hookName');
  const session = sessionIn(event, 'sessionId');
  const cwd = textIn(event, 'cwd');
  if (native === null || session === null || cwd === null) {
    return ignored('it lacks an event, a session or a folder');
  }
  const told: Told = {
    agent: 'copilot',
    version: null,
    session,
    sub: null,
    cwd,
    project: env['COPILOT_PROJECT_DIR'] ?? null,
    transcript: textIn(event, 'transcriptPath'),
    native,
    stamp: stampIn(event, 'timestamp'),
  };
  switch (native) {
    case 'sessionStart':
      return { ...told, kind: 'session-started' };
    case 'userPromptSubmitted':
      return { ...told, kind: 'prompt-given', text: textIn(event, 'prompt') ?? '', messageId: null };
    case 'agentStop':
      return { ...told, kind: 'turn-ended' };
    case 'sessionEnd':
      return { ...told, kind: 'session-ended' };
    case 'preToolUse':
    case 'postToolUse':
    case 'postToolUseFailure':
      break;
    default:
      return ignored(`${native} is not an event that changes files`);
  }
  const tool = textIn(event, 'toolName');
  if (tool === null) return ignored('it lacks a tool');
  const input = argsOf(field(event, 'toolArgs'));
  const known = toolCalled(TOOLS, tool, input);
  if (known === null) return ignored(`${tool} only reads`);
  const call = { id: callIn(event, 'toolCallId'), tool, input, own: isOwnTool(tool), ...known };
  if (native === 'preToolUse') return { ...told, kind: 'call-began', call };
  return { ...told, kind: 'call-ended', call, background: textIn(input as Fields, 'mode') === 'async' };
}

/** Some versions send the arguments as text. */
function argsOf(given: unknown): unknown {
  if (typeof given !== 'string' || given.length > LONGEST_ARGS) return given ?? {};
  try {
    return readJson(given, { keys: 'any' }) ?? {};
  } catch {
    return {};
  }
}

const HEARING = new Set(['preToolUse', 'postToolUse', 'sessionStart', 'SessionStart', 'PreToolUse', 'PostToolUse']);

export const copilot: Agent = {
  name: 'copilot',
  variables: ['COPILOT_CLI', 'COPILOT_HOME', 'COPILOT_PROJECT_DIR'],
  title: 'GitHub Copilot CLI',
  parse,
  reply: (native, answer) => {
    if (answer.kind === 'nothing') return SILENCE;
    const plain =
      answer.kind === 'deny'
        ? { permissionDecision: 'deny', permissionDecisionReason: answer.reason }
        : { additionalContext: answer.text };
    // With Claude Code's settings, it may read the fields that Claude Code reads.
    const asClaude = /^[A-Z]/.test(native) ? { hookSpecificOutput: { hookEventName: native, ...plain } } : {};
    return jsonReply({ ...plain, ...asClaude });
  },
  hearsContext: (native) => HEARING.has(native),
  limitMs: () => null,
  integration: {
    project: ['.github', 'hooks', 'savepoint.json'],
    user: { variable: 'COPILOT_HOME', folder: ['.copilot'], file: ['settings.json'] },
    form: hookList(EVENTS, (command, event) => {
      const { shell, powershell } = command.about(event);
      return { type: 'command', bash: shell, powershell, timeoutSec: HOOK_SECONDS };
    }),
    present: { folders: [['.copilot']], programs: ['copilot'] },
    notes: [
      'Copilot CLI runs hooks only in trusted folders. `.github/hooks/savepoint.json` is visible to everyone on the ' +
        'project.',
    ],
  },
};
