/** What Savepoint knows of an agent. */

import type { Answer, Reply } from './answer.ts';
import type { AgentEvent, AgentName, Ignored } from './event.ts';
import type { Fields } from './fields.ts';
import type { Integration } from './settings/integration.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Protocol {
  readonly name: AgentName;
  /** All that it reads of the environment. The daemon is told these, and `parse` is given no others. */
  readonly variables: readonly string[];
  /**
   * From an event as the agent sends it. Nothing in it is believed.
   * @param hint the event's name, from our own settings, for agents that do not send it
   */
  parse(event: Fields, env: Environment, hint: string | null): AgentEvent | Ignored;
  /** @param native the agent's own name of the event */
  reply(native: string, answer: Answer): Reply;
  /** Whether an answer to that event can tell the model something. */
  hearsContext(native: string): boolean;
  /** Milliseconds after which the agent gives the hook up, where that is less than what our settings ask for. */
  limitMs(native: string): number | null;
}

export interface Agent extends Protocol {
  /** As people call it. */
  readonly title: string;
  readonly integration: Integration;
}
