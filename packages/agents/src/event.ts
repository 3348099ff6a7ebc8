/** What agents tell of, in one language. Each agent's own file translates from its protocol. */

import type { CallId, SessionId, ToolKind } from '@savepoint/core';

/** The agents whose hooks Savepoint installs. */
export type AgentName = 'claude' | 'gemini' | 'codex' | 'copilot' | 'opencode' | 'cline' | 'cursor';

/** What every event says. */
export interface Told {
  /** Who acts, as the timeline names it. An agent that runs another one's settings is named by its own name. */
  readonly agent: AgentName | 'vscode';
  /** The agent's version, where it tells it. */
  readonly version: string | null;
  readonly session: SessionId;
  /** The sub-agent that it is about; null: the session itself. */
  readonly sub: string | null;
  /** The folder that the agent works in, as it names it; declared paths are relative to it. */
  readonly cwd: string;
  /** The folder that the session was started for; null where the agent does not tell. */
  readonly project: string | null;
  /** The file that holds the conversation; null where the agent does not tell. */
  readonly transcript: string | null;
  /** The agent's own name of the event. */
  readonly native: string;
  /** Tells one happening from the next where calls have no id; null where the agent does not tell. */
  readonly stamp: string | null;
}

/** A call of a tool that may write. */
export interface ToolCall {
  /** The agent's own id of it; null: its begin and its end are paired by what it is called with. */
  readonly id: CallId | null;
  readonly tool: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  /** The paths that it writes, as the agent names them; null: it may write anywhere. */
  readonly paths: readonly string[] | null;
  /** One of Savepoint's own tools. */
  readonly own: boolean;
}

export type AgentEvent =
  | (Told & { readonly kind: 'session-started' })
  | (Told & { readonly kind: 'prompt-given'; readonly text: string; readonly messageId: string | null })
  | (Told & { readonly kind: 'call-began'; readonly call: ToolCall })
  | (Told & { readonly kind: 'call-ended'; readonly call: ToolCall; readonly background: boolean })
  /** The agent, or the sub-agent that is named, has nothing more to do for now. */
  | (Told & { readonly kind: 'turn-ended' })
  | (Told & { readonly kind: 'session-ended' });

/** Nothing to do, and why. */
export interface Ignored {
  readonly kind: 'ignored';
  readonly why: string;
}

export function ignored(why: string): Ignored {
  return { kind: 'ignored', why };
}
