import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import type { AgentName } from './event.ts';

/** Every agent, in the order in which people are told of them. */
export const AGENTS = { claude } as unknown as Readonly<Record<AgentName, Agent>>;

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(AGENTS, name);
}
