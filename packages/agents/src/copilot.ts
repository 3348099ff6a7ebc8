/** GitHub Copilot CLI (docs/agents.md). It also runs the hooks in Claude Code's settings, with events in that form. */

import { join } from 'node:path';
import type { SessionId } from '@savepoint/core';
import { readJson } from '@savepoint/core/ports';
import type { Agent, Environment } from './agent.ts';
import { EMPTY_REPLY, jsonReply } from './answer.ts';
import { type Dialect, parseClaudeEvent } from './claude-protocol.ts';
import { type AgentEvent, type EventHeader, type IgnoredEvent, ignoreEvent } from './event.ts';
import { callIn, type Fields, field, sessionIn, stampIn, textIn } from './fields.ts';
import { homeFolder } from './settings/home-folder.ts';
import { hookList, hookSeconds } from './settings/integration.ts';
import { copilotTyped } from './slash/expansion.ts';
import { copilotSkills } from './slash/files.ts';
import { classifyCall, fileTool, isOwnTool, patchTool, readOnlyTools, SHELL, type ToolTable } from './tools.ts';
import { copilotRow } from './transcript/copilot.ts';

const TOOLS: ToolTable = {
  create: fileTool('write', 'path', 'file_path'),
  edit: fileTool('edit', 'path', 'file_path'),
  apply_patch: patchTool('input', 'patch', 'command'),
  bash: SHELL,
  powershell: SHELL,
  ...readOnlyTools(
    'view',
    'glob',
    'grep',
    'web_fetch',
    'web_search',
    'read_bash',
    'list_bash',
    'stop_bash',
    'report_intent',
  ),
  ...readOnlyTools(
    'update_todo',
    'ask_user',
    'task',
    'read_powershell',
    'list_powershell',
    'stop_powershell',
    'show_file',
  ),
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
    ...readOnlyTools('Read', 'Glob', 'Grep', 'Task', 'WebFetch', 'WebSearch', 'TodoWrite'),
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
const MAX_ARGS_LENGTH = 16 * 1024 * 1024;

function parse(event: Fields, env: Environment, hint: string | null): AgentEvent | IgnoredEvent {
  if (textIn(event, 'hook_event_name') !== null) {
    const parsed = parseClaudeEvent(event, env, AS_CLAUDE);
    return withTranscript(parsed.kind === 'prompt-given' ? { ...parsed, text: typedText(parsed.text) } : parsed, env);
  }
  const native = hint ?? textIn(event, 'hookName');
  const session = sessionIn(event, 'sessionId');
  const cwd = textIn(event, 'cwd');
  if (native === null || session === null || cwd === null) {
    return ignoreEvent('it lacks an event, a session or a folder');
  }
  const header: EventHeader = {
    agent: 'copilot',
    version: null,
    model: textIn(event, 'model'),
    session,
    subAgentId: null,
    cwd,
    project: env['COPILOT_PROJECT_DIR'] ?? null,
    transcript: textIn(event, 'transcriptPath') ?? transcriptOf(session, env),
    nativeName: native,
    stamp: stampIn(event, 'timestamp'),
  };
  switch (native) {
    case 'sessionStart':
      return { ...header, kind: 'session-started' };
    case 'userPromptSubmitted':
      return { ...header, kind: 'prompt-given', text: typedText(textIn(event, 'prompt') ?? ''), messageId: null };
    case 'agentStop':
      return { ...header, kind: 'turn-ended' };
    case 'sessionEnd':
      return { ...header, kind: 'session-ended' };
    case 'preToolUse':
    case 'postToolUse':
    case 'postToolUseFailure':
      break;
    default:
      return ignoreEvent(`${native} is not an event that changes files`);
  }
  const tool = textIn(event, 'toolName');
  if (tool === null) return ignoreEvent('it lacks a tool');
  const input = argsOf(field(event, 'toolArgs'));
  const response = native === 'postToolUseFailure' ? { success: false } : field(event, 'toolResult');
  const known = classifyCall(TOOLS, tool, input, response);
  if (known === null) return ignoreEvent(`${tool} only reads`);
  const call = { id: callIn(event, 'toolCallId'), tool, input, own: isOwnTool(tool), ...known };
  if (native === 'preToolUse') return { ...header, kind: 'call-began', call };
  return { ...header, kind: 'call-ended', call, background: textIn(input as Fields, 'mode') === 'async', ranMs: null };
}

/** What the user typed. The text of a skill that is not ours stays as it is. */
function typedText(prompt: string): string {
  return copilotTyped(prompt) ?? prompt;
}

function withTranscript(event: AgentEvent | IgnoredEvent, env: Environment): AgentEvent | IgnoredEvent {
  if (event.kind === 'ignored' || event.transcript !== null) return event;
  return { ...event, transcript: transcriptOf(event.session, env) };
}

/** Only some of its events name the transcript. It is always in the folder of the session. */
function transcriptOf(session: SessionId, env: Environment): string | null {
  if (!/^[0-9a-f-]{36}$/.test(session)) return null;
  const home = env['COPILOT_HOME'] || join(homeFolder(env), '.copilot');
  return join(home, 'session-state', session, 'events.jsonl');
}

/** Some versions send the arguments as text. */
function argsOf(given: unknown): unknown {
  if (typeof given !== 'string' || given.length > MAX_ARGS_LENGTH) return given ?? {};
  try {
    return readJson(given, { keys: 'any' }) ?? {};
  } catch {
    return {};
  }
}

const CONTEXT_EVENTS = new Set([
  'preToolUse',
  'postToolUse',
  'sessionStart',
  'SessionStart',
  'PreToolUse',
  'PostToolUse',
]);

export const copilot: Agent = {
  name: 'copilot',
  variables: ['COPILOT_CLI', 'COPILOT_HOME', 'COPILOT_PROJECT_DIR', 'HOME', 'USERPROFILE'],
  transcript: copilotRow,
  conversation: async () => (await import('./conversation/copilot.ts')).copilotConversation,
  shell: { any: 'COPILOT_CLI', session: 'COPILOT_AGENT_SESSION_ID' },
  title: 'GitHub Copilot CLI',
  parse,
  callEvent: 'preToolUse',
  reply: (native, answer) => {
    if (answer.kind === 'nothing' || answer.kind === 'elsewhere') return EMPTY_REPLY;
    if (answer.kind === 'continue') return jsonReply({ decision: 'block', reason: answer.reason });
    if (answer.kind === 'answered') return jsonReply({ decision: 'block', reason: answer.text });
    const plain =
      answer.kind === 'deny'
        ? { permissionDecision: 'deny', permissionDecisionReason: answer.reason }
        : { additionalContext: answer.text };
    // With Claude Code's settings, it may read the fields that Claude Code reads.
    const asClaude = /^[A-Z]/.test(native) ? { hookSpecificOutput: { hookEventName: native, ...plain } } : {};
    return jsonReply({ ...plain, ...asClaude });
  },
  continuesTurn: (native) => native === 'agentStop',
  acceptsContext: (native) => CONTEXT_EVENTS.has(native),
  answersPrompts: (native) => native === 'userPromptSubmitted' || native === 'UserPromptSubmit',
  limitMs: () => null,
  integration: {
    project: ['.github', 'hooks', 'savepoint.json'],
    user: { variable: 'COPILOT_HOME', folder: ['.copilot'], file: ['settings.json'] },
    form: hookList(EVENTS, (command, event) => {
      const { shell, powershell } = command.forEvent(event);
      return { type: 'command', bash: shell, powershell, timeoutSec: hookSeconds(event) };
    }),
    commands: {
      files: copilotSkills(),
      project: ['.github', 'skills'],
      user: ['skills'],
      prefix: '/savepoint-',
    },
    present: { folders: [['.copilot']], programs: ['copilot'] },
    notes: [
      'Copilot CLI runs hooks only in trusted folders. `.github/hooks/savepoint.json` and the skills ' +
        '`.github/skills/savepoint-*` are visible to everyone on the project.',
    ],
  },
};
