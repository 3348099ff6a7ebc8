/** How the conversation of one agent goes back: one implementation for each agent that can. */

import type { ConversationPlace, ConversationPlan, Ports, RewoundConversation } from '@savepoint/core/ports';

/** What an implementation uses of the machine. */
export interface ConversationMachine {
  readonly ports: Pick<Ports, 'fs' | 'clock' | 'random' | 'programs' | 'uid'>;
  /** The whole environment, which programs of the agent need. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A session, wherever it ends. */
export type SessionPlace = Omit<ConversationPlace, 'end'>;

/** See `Conversations` in @savepoint/core/ports. `place` is untrusted, and so is all that the agent has written. */
export interface AgentConversation {
  /** Whether it can continue in a copy of the workspace (`ConversationPlace.copy`). */
  readonly canMove: boolean;
  plan(place: ConversationPlace, machine: ConversationMachine): Promise<ConversationPlan>;
  rewind(place: ConversationPlace, machine: ConversationMachine): Promise<RewoundConversation>;
  /** How the session itself continues, which stays as it is. */
  resume(place: SessionPlace, machine: ConversationMachine): Promise<RewoundConversation>;
}

/** Loads an implementation on demand: hooks need none. */
export type LoadAgentConversation = () => Promise<AgentConversation>;
