/** Events of agents, independent of their protocols. The file of each agent translates from its protocol. */

import type { CallId, SessionId, ToolKind } from '@savepoint/core';
import type { KnownAgent } from '@savepoint/core/frontend';
import type { TypedDoubt } from './slash/expansion.ts';
import type { WrittenText } from './written.ts';

/** The agents whose hooks Savepoint installs. */
export type AgentName = Exclude<KnownAgent, 'vscode'>;

/** The fields of every event. */
export interface EventHeader {
  /** The agent, under its name on the timeline. An agent that uses another one's settings has its own name. */
  readonly agent: KnownAgent;
  /** The agent's version, if it reports one. */
  readonly version: string | null;
  /** The model, if the event reports it. */
  readonly model: string | null;
  readonly session: SessionId;
  /** The sub-agent; null for the session itself. */
  readonly subAgentId: string | null;
  /** The agent's current folder, as it reports it. Declared paths are relative to it. */
  readonly cwd: string;
  /** The folder in which the session was started; null if the agent does not report it. */
  readonly project: string | null;
  /** The file with the conversation; null if the agent does not report it. */
  readonly transcript: string | null;
  /** What the event itself says of the conversation. Absent: nothing; its transcript may. */
  readonly position?: EventPosition;
  /** The agent's own name of the event. */
  readonly nativeName: string;
  /** Distinguishes events if calls have no id; null if the agent does not report it. */
  readonly stamp: string | null;
}

/** Null: it is not known. */
export interface EventPosition {
  /** Number of messages. */
  readonly messages: number | null;
  /** The agent's last words, possibly shortened. */
  readonly lastAssistant: string | null;
  /** In tokens. */
  readonly contextSize: number | null;
}

/** A call of a tool that may write. */
export interface ToolCall {
  /** The agent's own id of the call; null: its begin and its end are matched by its arguments. */
  readonly id: CallId | null;
  readonly tool: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  /** The paths that it writes, as the agent reports them; null: it may write anywhere. */
  readonly paths: readonly string[] | null;
  /** What it writes to them, or wrote; empty if it failed. Null: the agent does not report it. */
  readonly writes: readonly WrittenText[] | null;
  /** Whether it is one of Savepoint's own tools. */
  readonly own: boolean;
}

export type AgentEvent =
  | (EventHeader & { readonly kind: 'session-started' })
  | (EventHeader & {
      readonly kind: 'prompt-given';
      readonly text: string;
      readonly messageId: string | null;
      /** Why the user may not have typed the text, one sentence; null or absent: they typed it. */
      readonly typedDoubt?: TypedDoubt;
    })
  | (EventHeader & { readonly kind: 'call-began'; readonly call: ToolCall })
  | (EventHeader & {
      readonly kind: 'call-ended';
      readonly call: ToolCall;
      readonly background: boolean;
      /** How long the tool ran, in milliseconds, without waiting for a permission; null if the agent does not say. */
      readonly ranMs: number | null;
    })
  /** A call waits for the user's permission. Without an id, it is known by its tool and its input. */
  | (EventHeader & {
      readonly kind: 'permission-asked';
      readonly call: Pick<ToolCall, 'id' | 'tool' | 'input'>;
      /** Whether `permission-granted` follows if the user agrees. */
      readonly isGrantReported: boolean;
    })
  | (EventHeader & {
      readonly kind: 'permission-granted';
      readonly call: CallId;
      /** Milliseconds since 1970; null: now. */
      readonly at: number | null;
    })
  /** The agent, or the given sub-agent, has finished its turn. */
  | (EventHeader & { readonly kind: 'turn-ended' })
  | (EventHeader & { readonly kind: 'session-ended' });

/** An event that needs no action, and why. */
export interface IgnoredEvent {
  readonly kind: 'ignored';
  readonly why: string;
}

export function ignoreEvent(why: string): IgnoredEvent {
  return { kind: 'ignored', why };
}
