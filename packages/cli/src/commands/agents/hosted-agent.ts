/** The agent that `savepoint run` starts, with its hooks: those of its settings, or else hooks for this run only. */
import { basename } from 'node:path';
import { type DiskPath, showText } from '@savepoint/core';
import { type AgentName, loadAgents, storesFolder, surroundings } from '../../agents.ts';
import type { Environment } from '../../command.ts';

/** Contains the id of the session, so that processes are recognised that the command leaves behind. */
export const SESSION_VARIABLE = 'SAVEPOINT_RUN_SESSION';

export interface HostedAgent {
  /** The agent whose program this is, with or without hooks; null if it is not a known one. */
  readonly known: string | null;
  /** The same if it has hooks, which report this name. */
  readonly agent: string | null;
  readonly args: readonly string[];
  readonly env: Environment;
  /** What the user should know, or null. */
  readonly note: string | null;
}

/** @param file the program, as given */
export async function hostedAgent(
  file: string,
  args: readonly string[],
  folder: DiskPath,
  env: Environment,
): Promise<HostedAgent> {
  const { AGENTS, hooksForRun, ONE_RUN_VARIABLE } = await loadAgents();
  const name = await agentOf(file);
  const plain = { known: name, agent: null, args, env, note: null };
  if (name === null) return plain;
  const hooks = hooksForRun(AGENTS[name], { args, env }, surroundings(folder, env), storesFolder(env));
  switch (hooks.kind) {
    case 'installed':
      return { ...plain, agent: name };
    case 'added': {
      const { start } = hooks;
      return { ...plain, agent: name, args: start.args, env: { ...env, ...start.env, [ONE_RUN_VARIABLE]: name } };
    }
    case 'none': {
      const hint = `Use \`savepoint install ${name}\` to know which call made a change.`;
      return { ...plain, note: `savepoint: no hooks for this run: ${showText(hooks.reason)}. ${hint}` };
    }
  }
}

/**
 * The same for a start that continues a conversation of this agent.
 * @param args those that continue it, and those of the start before
 */
export async function continuedAgent(
  file: string,
  [more, earlier]: readonly [more: readonly string[], earlier: readonly string[]],
  folder: DiskPath,
  env: Environment,
): Promise<HostedAgent> {
  const { keptOptions } = await loadAgents();
  const name = await agentOf(file);
  return hostedAgent(file, [...more, ...(name === null ? [] : keptOptions(name, earlier))], folder, env);
}

async function agentOf(file: string): Promise<AgentName | null> {
  const { AGENTS } = await loadAgents();
  const programs = (name: AgentName) => AGENTS[name].integration.present.programs;
  return (Object.keys(AGENTS) as AgentName[]).find((name) => programs(name).includes(basename(file))) ?? null;
}
