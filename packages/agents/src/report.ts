/** Reports which agents are present, which have hooks, and whether the hooks fire. */

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Agent, Environment } from './agent.ts';
import { type HookHealth, healthOf } from './hook/health.ts';
import { homeFolder } from './settings/home-folder.ts';
import { findInstalled, type Installation, type InstallEnvironment, type SettingsScope } from './settings/plan.ts';
import { AGENTS } from './table.ts';

export interface AgentReport {
  readonly agent: Agent;
  /** Whether its program or its settings folder was found. */
  readonly present: boolean;
  readonly installed: readonly (Installation & { readonly place: SettingsScope })[];
  readonly health: HookHealth;
}

/** @param home the folder of the stores */
export function reportAgents(around: InstallEnvironment, home: string): readonly AgentReport[] {
  return Object.values(AGENTS).map((agent) => ({
    agent,
    present: isPresent(agent, around.env),
    installed: (['project', 'user'] as const).flatMap((place) => {
      const found = findInstalled(agent, place, around);
      return found === null ? [] : [{ ...found, place }];
    }),
    health: healthOf(home, agent.name),
  }));
}

function isPresent({ integration }: Agent, env: Environment): boolean {
  const { folders, programs } = integration.present;
  if (folders.some((parts) => isFolder(join(homeFolder(env), ...parts)))) return true;
  const path = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return programs.some((name) => path.some((folder) => isProgram(join(folder, name))));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isProgram(path: string): boolean {
  const names = process.platform === 'win32' ? [`${path}.exe`, `${path}.cmd`] : [path];
  return names.some((name) => {
    try {
      accessSync(name, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
