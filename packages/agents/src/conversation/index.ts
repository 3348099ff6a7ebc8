/** The conversations of all agents, as the engine uses them. */

import type { Conversations } from '@savepoint/core/ports';
import { AGENTS, isAgentName } from '../table.ts';
import type { AgentConversation, ConversationMachine } from './agent-conversation.ts';
import { conversationRefused } from './refused.ts';

/** Returns the conversations of the agents that can go back. */
export function conversations(machine: ConversationMachine): Conversations {
  return {
    plan: async (place) => {
      const agent = await load(place.agent);
      return agent === null ? { isPossible: false, reason: notSupported(place.agent) } : agent.plan(place, machine);
    },
    rewind: async (place) => {
      const agent = await load(place.agent);
      if (agent === null) throw conversationRefused(place, notSupported(place.agent));
      return agent.rewind(place, machine);
    },
    resume: async (place) => {
      const agent = await load(place.agent);
      return agent === null ? null : agent.resume(place, machine);
    },
  };
}

async function load(name: string): Promise<AgentConversation | null> {
  const agent = isAgentName(name) ? AGENTS[name] : null;
  return (await agent?.conversation?.()) ?? null;
}

function notSupported(name: string): string {
  const title = isAgentName(name) ? AGENTS[name].title : name;
  return `Savepoint cannot take the conversations of ${title} back`;
}
