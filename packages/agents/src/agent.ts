/** The definition of an agent: its hook protocol and its settings. */

import type { ShellVariables } from '@savepoint/core';
import type { HookAnswer, HookReply } from './answer.ts';
import type { LoadAgentConversation } from './conversation/agent-conversation.ts';
import type { AgentEvent, AgentName, IgnoredEvent } from './event.ts';
import type { Fields } from './fields.ts';
import type { Integration } from './settings/integration.ts';
import type { TranscriptFormat } from './transcript/row.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Protocol {
  readonly name: AgentName;
  /** All environment variables that it reads. The hook sends these to the daemon, and `parse` gets no others. */
  readonly variables: readonly string[];
  /**
   * Parses an event as the agent sends it. The event is untrusted.
   * @param hint the event's name, from our own settings, for agents that do not send it
   */
  parse(event: Fields, env: Environment, hint: string | null): AgentEvent | IgnoredEvent;
  /** The agent's own name of the event before a call. */
  readonly callEvent: string;
  /** @param native the agent's own name of the event */
  reply(native: string, answer: HookAnswer): HookReply;
  /** The variables that it sets for its commands, as its released program does. Absent: it sets none, or it is unknown. */
  readonly shell?: ShellVariables;
  /** The format of its transcripts. Absent: it names none, or it is not known. */
  readonly transcript?: TranscriptFormat;
  /** Whether the answer to this event can pass text to the model. */
  acceptsContext(native: string): boolean;
  /** Whether the answer to this event can make the model go on instead of ending its turn. */
  continuesTurn(native: string): boolean;
  /**
   * Whether its program runs commands in a sandbox, in which this hook does not run. Absent: it does not, or its hooks
   * run in the sandbox, too.
   */
  readonly sandboxesShell?: (event: Fields) => boolean;
  /** Whether the answer to this event can end a prompt before the model gets it, and show the user a text instead. */
  answersPrompts(native: string): boolean;
  /** The agent's own timeout of the hook in milliseconds, if it is shorter than the one in our settings. */
  limitMs(native: string): number | null;
}

export interface Agent extends Protocol {
  /** The product name. */
  readonly title: string;
  /** What plan mode cannot do with its hooks, in one or two sentences. Absent: they hold back each call that may write. */
  readonly planLimit?: string;
  readonly integration: Integration;
  /** How its conversation goes back. Absent: it cannot. */
  readonly conversation?: LoadAgentConversation;
}
