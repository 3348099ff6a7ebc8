/** Reports which agents are present, which have hooks, and whether the hooks fire. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { SavepointError } from '@savepoint/core';
import { programsOnPath } from '@savepoint/core/node';
import type { Agent, Environment } from './agent.ts';
import { type HookHealth, healthOf, type LastEvent, lastEventFrom } from './hook/health.ts';
import { homeFolder } from './settings/home-folder.ts';
import { commandProblems } from './settings/installed-command.ts';
import {
  findInstalled,
  type Installation,
  type InstallEnvironment,
  installedTexts,
  renewalOf,
  type SettingsScope,
} from './settings/plan.ts';
import { AGENTS } from './table.ts';

export interface AgentReport {
  readonly agent: Agent;
  /** Whether its program or its settings folder was found. */
  readonly present: boolean;
  readonly installed: readonly FoundHooks[];
  readonly health: HookHealth;
  /** The newest event from this folder, or from one below it. */
  readonly lastEventHere: LastEvent | null;
  /** Its hooks reported events from this folder and are not here any more. */
  readonly isMissed: boolean;
}

export interface FoundHooks extends Installation {
  readonly place: SettingsScope;
  /** Why they cannot run, one sentence each. */
  readonly problems: readonly string[];
  /** What installing them again would change, after `would`; null: nothing. */
  readonly renewal: string | null;
}

/** These agents also run the hooks in Claude Code's settings. */
const RUNS_HOOKS_OF_CLAUDE: ReadonlySet<string> = new Set(['copilot', 'cursor']);

/**
 * @param home the folder of the stores
 * @param root the workspace that contains the project's folder, or is that folder
 */
export function reportAgents(around: InstallEnvironment, home: string, root: string): readonly AgentReport[] {
  const hasClaude = hooksOf(AGENTS.claude, around, root).length > 0;
  return Object.values(AGENTS).map((agent) => {
    const installed = hooksOf(agent, around, root);
    const lastEventHere = lastEventFrom(home, agent.name, [root, around.project]);
    return {
      agent,
      present: isPresent(agent, around.env),
      installed,
      health: healthOf(home, agent.name),
      lastEventHere,
      isMissed:
        installed.length === 0 && lastEventHere !== null && !(hasClaude && RUNS_HOOKS_OF_CLAUDE.has(agent.name)),
    };
  });
}

/** Finds hooks in the settings of the folder, of its workspace, and of the user. */
function hooksOf(agent: Agent, around: InstallEnvironment, root: string): readonly FoundHooks[] {
  const projects = [...new Set([around.project, root])].map((project) => ['project', { ...around, project }] as const);
  return [...projects, ['user', around] as const].flatMap(([place, where]) => {
    const found = findInstalled(agent, place, where);
    if (found === null) return [];
    if (found.state === 'unreadable') return [{ ...found, place, problems: [], renewal: null }];
    try {
      const problems = commandProblems(installedTexts(agent, place, where), agent.name, where.program);
      return [{ ...found, place, problems, renewal: renewalOf(agent, place, where) }];
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
      return [{ ...found, place, problems: [], renewal: null, problem: error.message }];
    }
  });
}

function isPresent({ integration }: Agent, env: Environment): boolean {
  const { folders, programs } = integration.present;
  if (folders.some((parts) => isFolder(join(homeFolder(env), ...parts)))) return true;
  const search = { path: env['PATH'], windows: process.platform === 'win32' };
  return programs.some((name) => !programsOnPath(name, search).next().done);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
