/** The hook protocol of Claude Code. Codex, and Copilot CLI and VS Code with Claude Code's settings, use it as well. */

import type { Environment } from './agent.ts';
import { EMPTY_REPLY, type HookAnswer, type HookReply, jsonReply } from './answer.ts';
import { type AgentEvent, type EventHeader, type IgnoredEvent, ignoreEvent, type ToolCall } from './event.ts';
import { callIn, durationIn, type Fields, field, fieldsOf, idIn, sessionIn, stampIn, textIn } from './fields.ts';
import { type TypedDoubt, unknownOrigin } from './slash/expansion.ts';
import { NOT_ANSWERED } from './slash/parse.ts';
import { classifyCall, isOwnTool, type ToolTable } from './tools.ts';

/** The variations of one agent. */
export interface Dialect {
  readonly agent: EventHeader['agent'];
  readonly tools: ToolTable;
  /** The environment variable with the folder in which the session was started. */
  readonly projectVariable: string | null;
  /** Whether `PermissionRequest` means that the user is asked, and that the tool has not run before. */
  readonly asksBeforeRunning?: true;
  /** Its own names of Claude Code's events, if they differ. */
  readonly eventNames?: Readonly<Record<string, string>>;
}

export function parseClaudeEvent(event: Fields, env: Environment, dialect: Dialect): AgentEvent | IgnoredEvent {
  const native = textIn(event, 'hook_event_name', 'hookEventName');
  const session = sessionIn(event, 'session_id', 'sessionId', 'conversation_id');
  const cwd = textIn(event, 'cwd');
  if (native === null || session === null || cwd === null) {
    return ignoreEvent('it lacks an event, a session or a folder');
  }
  const header: EventHeader = {
    agent: dialect.agent,
    version: null,
    model: textIn(event, 'model'),
    session,
    subAgentId: idIn(event, 'agent_id'),
    cwd,
    project: dialect.projectVariable === null ? null : (env[dialect.projectVariable] ?? null),
    transcript: textIn(event, 'transcript_path', 'transcriptPath'),
    nativeName: native,
    stamp: stampIn(event, 'timestamp'),
  };
  const { eventNames: names = {} } = dialect;
  switch (Object.hasOwn(names, native) ? names[native] : native) {
    case 'SessionStart':
      // The session continues; only its conversation was shortened.
      if (textIn(event, 'source') === 'compact') return ignoreEvent('the conversation was compacted');
      return { ...header, kind: 'session-started' };
    case 'UserPromptSubmit':
      return {
        ...header,
        kind: 'prompt-given',
        ...promptText(textIn(event, 'prompt') ?? ''),
        messageId: idIn(event, 'prompt_id', 'turn_id', 'generation_id'),
      };
    case 'PreToolUse':
      return parseCall(event, dialect, (call) => ({ ...header, kind: 'call-began', call }));
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return parseCall(event, dialect, (call) => ({
        ...header,
        kind: 'call-ended',
        call,
        background: runsInBackground(event),
        ranMs: durationIn(event, 'duration_ms', 'duration'),
      }));
    case 'PermissionRequest':
      return parsePermission(event, header, dialect);
    case 'SubagentStop':
      return header.subAgentId === null ? ignoreEvent('it lacks a sub-agent') : { ...header, kind: 'turn-ended' };
    case 'Stop':
    case 'StopFailure':
    case 'Interrupt':
      return { ...header, kind: 'turn-ended' };
    case 'SessionEnd':
      return { ...header, kind: 'session-ended' };
    default:
      return ignoreEvent(`${native} is not an event that changes files`);
  }
}

const CONTEXT_EVENTS = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure']);

export function claudeAcceptsContext(native: string): boolean {
  return CONTEXT_EVENTS.has(native);
}

export function claudeReply(native: string, answer: HookAnswer): HookReply {
  if (answer.kind === 'nothing' || answer.kind === 'elsewhere') return EMPTY_REPLY;
  if (answer.kind === 'continue') return jsonReply({ decision: 'block', reason: answer.reason });
  if (answer.kind === 'context') {
    return jsonReply({ hookSpecificOutput: { hookEventName: native, additionalContext: answer.text } });
  }
  if (answer.kind === 'answered') return jsonReply({ decision: 'block', reason: answer.text });
  return jsonReply({
    hookSpecificOutput: {
      hookEventName: native,
      permissionDecision: 'deny',
      permissionDecisionReason: answer.reason,
    },
  });
}

/** Claude Code and Codex send what was typed. Others that run their hooks may send what a file of ours expands to. */
function promptText(text: string): { readonly text: string; readonly typedDoubt?: TypedDoubt } {
  return text.trimEnd().endsWith(NOT_ANSWERED) ? { text, typedDoubt: unknownOrigin('This agent') } : { text };
}

/** The result of a call whose agent reports only that it failed. */
const FAILED = { success: false };

function parseCall(event: Fields, { tools }: Dialect, make: (call: ToolCall) => AgentEvent): AgentEvent | IgnoredEvent {
  const tool = textIn(event, 'tool_name', 'toolName');
  if (tool === null) return ignoreEvent('it lacks a tool');
  const input = field(event, 'tool_input') ?? field(event, 'toolInput');
  const native = textIn(event, 'hook_event_name');
  const response =
    native === 'PostToolUseFailure' ? FAILED : (field(event, 'tool_response') ?? field(event, 'toolResult'));
  const known = classifyCall(tools, tool, input, response);
  if (known === null) return ignoreEvent(`${tool} only reads`);
  return make({ id: callIn(event, 'tool_use_id', 'toolUseId'), tool, input, own: isOwnTool(tool), ...known });
}

/** The event has no id in some versions. */
function parsePermission(
  event: Fields,
  header: EventHeader,
  { tools, asksBeforeRunning }: Dialect,
): AgentEvent | IgnoredEvent {
  const tool = textIn(event, 'tool_name');
  if (asksBeforeRunning !== true || tool === null) return ignoreEvent('it is not known whether a call waits');
  const input = field(event, 'tool_input');
  if (classifyCall(tools, tool, input) === null) return ignoreEvent(`${tool} only reads`);
  const call = { id: callIn(event, 'tool_use_id'), tool, input };
  return { ...header, kind: 'permission-asked', call, isGrantReported: false };
}

/** Whether a shell command has returned but continues in the background. */
function runsInBackground(event: Fields): boolean {
  if (textIn(event, 'tool_name') === 'Monitor') return true;
  const response = fieldsOf(field(event, 'tool_response'));
  if (textIn(response, 'backgroundTaskId', 'bash_id') !== null) return true;
  const input = fieldsOf(field(event, 'tool_input'));
  return field(input, 'run_in_background') === true || field(input, 'is_background') === true;
}
