/** The hook protocol of Claude Code. Codex, and Copilot CLI and VS Code with Claude Code's settings, use it as well. */

import type { Environment } from './agent.ts';
import { type Answer, jsonReply, type Reply, SILENCE } from './answer.ts';
import { type AgentEvent, type Ignored, ignored, type Told, type ToolCall } from './event.ts';
import { callIn, type Fields, field, fieldsOf, idIn, sessionIn, stampIn, textIn } from './fields.ts';
import { isOwnTool, type ToolTable, toolCalled } from './tools.ts';

/** The variations of one agent. */
export interface Dialect {
  readonly agent: Told['agent'];
  readonly tools: ToolTable;
  /** The environment variable with the folder in which the session was started. */
  readonly projectVariable: string | null;
  /** Its own names of Claude Code's events, if they differ. */
  readonly names?: Readonly<Record<string, string>>;
}

export function parseClaudeShape(event: Fields, env: Environment, dialect: Dialect): AgentEvent | Ignored {
  const native = textIn(event, 'hook_event_name', 'hookEventName');
  const session = sessionIn(event, 'session_id', 'sessionId', 'conversation_id');
  const cwd = textIn(event, 'cwd');
  if (native === null || session === null || cwd === null) {
    return ignored('it lacks an event, a session or a folder');
  }
  const told: Told = {
    agent: dialect.agent,
    version: null,
    session,
    sub: idIn(event, 'agent_id'),
    cwd,
    project: dialect.projectVariable === null ? null : (env[dialect.projectVariable] ?? null),
    transcript: textIn(event, 'transcript_path', 'transcriptPath'),
    native,
    stamp: stampIn(event, 'timestamp'),
  };
  const { names = {} } = dialect;
  switch (Object.hasOwn(names, native) ? names[native] : native) {
    case 'SessionStart':
      // The session continues; only its conversation was shortened.
      if (textIn(event, 'source') === 'compact') return ignored('the conversation was compacted');
      return { ...told, kind: 'session-started' };
    case 'UserPromptSubmit':
      return {
        ...told,
        kind: 'prompt-given',
        text: textIn(event, 'prompt') ?? '',
        messageId: idIn(event, 'prompt_id', 'turn_id', 'generation_id'),
      };
    case 'PreToolUse':
      return called(event, dialect, (call) => ({ ...told, kind: 'call-began', call }));
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return called(event, dialect, (call) => ({
        ...told,
        kind: 'call-ended',
        call,
        background: goesOn(event),
      }));
    case 'SubagentStop':
      return told.sub === null ? ignored('it lacks a sub-agent') : { ...told, kind: 'turn-ended' };
    case 'Stop':
    case 'StopFailure':
    case 'Interrupt':
      return { ...told, kind: 'turn-ended' };
    case 'SessionEnd':
      return { ...told, kind: 'session-ended' };
    default:
      return ignored(`${native} is not an event that changes files`);
  }
}

const HEARING = new Set(['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure']);

export function claudeHearsContext(native: string): boolean {
  return HEARING.has(native);
}

export function claudeReply(native: string, answer: Answer): Reply {
  if (answer.kind === 'nothing') return SILENCE;
  if (answer.kind === 'context') {
    return jsonReply({ hookSpecificOutput: { hookEventName: native, additionalContext: answer.text } });
  }
  return jsonReply({
    hookSpecificOutput: {
      hookEventName: native,
      permissionDecision: 'deny',
      permissionDecisionReason: answer.reason,
    },
  });
}

function called(event: Fields, { tools }: Dialect, make: (call: ToolCall) => AgentEvent): AgentEvent | Ignored {
  const tool = textIn(event, 'tool_name', 'toolName');
  if (tool === null) return ignored('it lacks a tool');
  const input = field(event, 'tool_input') ?? field(event, 'toolInput');
  const known = toolCalled(tools, tool, input);
  if (known === null) return ignored(`${tool} only reads`);
  return make({ id: callIn(event, 'tool_use_id', 'toolUseId'), tool, input, own: isOwnTool(tool), ...known });
}

/** Whether a shell command has returned but continues in the background. */
function goesOn(event: Fields): boolean {
  const response = fieldsOf(field(event, 'tool_response'));
  if (textIn(response, 'backgroundTaskId', 'bash_id') !== null) return true;
  const input = fieldsOf(field(event, 'tool_input'));
  return field(input, 'run_in_background') === true || field(input, 'is_background') === true;
}
