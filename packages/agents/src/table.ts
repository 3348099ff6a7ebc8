import { canonicalAgent } from '@savepoint/core/frontend';
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import type { AgentName } from './event.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';

/** All agents, in the order of the output. */
export const AGENTS: Readonly<Record<AgentName, Agent>> = { claude, gemini, codex, copilot, opencode, cline, cursor };

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(AGENTS, name);
}

/** @param client any name of an agent, for example as an MCP client */
export function mayUseSandbox(client: string): boolean {
  const name = canonicalAgent(client);
  return isAgentName(name) && AGENTS[name].sandboxesShell !== undefined;
}
