/** The conversations of all agents, as the engine uses them. */

import type { ConversationPlace, Conversations } from '@savepoint/core/ports';
import { AGENTS, isAgentName } from '../table.ts';
import type { AgentConversation, ConversationMachine } from './agent-conversation.ts';
import { conversationRefused } from './refused.ts';

/** Returns the conversations of the agents that can go back. */
export function conversations(machine: ConversationMachine): Conversations {
  return {
    plan: async (place) => {
      const agent = await load(place.agent);
      const reason = whyNot(place, agent);
      return agent === null || reason !== null
        ? { isPossible: false, reason: reason ?? notSupported(place.agent) }
        : agent.plan(place, machine);
    },
    rewind: async (place) => {
      const agent = await load(place.agent);
      const reason = whyNot(place, agent);
      if (agent === null || reason !== null) throw conversationRefused(place, reason ?? notSupported(place.agent));
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

function whyNot({ agent: name, copy }: ConversationPlace, agent: AgentConversation | null): string | null {
  if (agent === null) return notSupported(name);
  const isElsewhere = copy !== undefined && !agent.canMove;
  return isElsewhere ? `Savepoint cannot continue the conversations of ${titleOf(name)} in another folder` : null;
}

function notSupported(name: string): string {
  return `Savepoint cannot take the conversations of ${titleOf(name)} back`;
}

function titleOf(name: string): string {
  return isAgentName(name) ? AGENTS[name].title : name;
}
