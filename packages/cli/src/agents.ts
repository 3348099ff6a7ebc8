/**
 * Agents' settings, as the command line shows and changes them. Loaded on demand, so that other commands start
 * faster.
 */
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentReport, InstallEnvironment } from '@savepoint/agents';
import { type DiskPath, textFromBytes } from '@savepoint/core';
import { nodePlaces } from '@savepoint/core/node';

type Environment = Readonly<Record<string, string | undefined>>;

export function loadAgents() {
  return import('@savepoint/agents');
}

/** The program that runs commands: node, and its script. */
export interface OwnProgram {
  readonly node: string;
  readonly script: string;
}

const thisProgram = (): OwnProgram => ({ node: process.execPath, script: process.argv[1] ?? '' });

export function surroundings(
  folder: DiskPath,
  env: Environment,
  { node, script }: OwnProgram = thisProgram(),
): InstallEnvironment {
  return {
    project: textFromBytes(folder) ?? '',
    env,
    program: {
      node,
      script,
      hookScript: hookScriptNextTo(script),
      path: env['PATH'],
      windows: process.platform === 'win32',
    },
  };
}

export type { AgentName, FileChange, OpenTyped, RunnableCommand } from '@savepoint/agents';

/** @param root the workspace that contains the folder. Default: the folder itself */
export async function agentReports(
  folder: DiskPath,
  env: Environment,
  root: DiskPath = folder,
  program: OwnProgram = thisProgram(),
): Promise<readonly AgentReport[]> {
  const { reportAgents } = await loadAgents();
  const around = surroundings(folder, env, program);
  return reportAgents(around, storesFolder(env), textFromBytes(root) ?? around.project);
}

/** The folder of the stores. */
export function storesFolder(env: Environment): string {
  return textFromBytes(nodePlaces(env).home) ?? '';
}

/** The JSON form of a report. */
export function reportToJson({ agent, present, installed, health, lastEventHere, isMissed }: AgentReport) {
  const { lastEvent, lastFailure, uncovered } = health;
  const at = (time: number): string => new Date(Math.abs(time) <= 8.64e15 ? time : 0).toISOString();
  return {
    agent: agent.name as string,
    title: agent.title,
    present,
    installed: installed.map(({ place, path, state, problem, problems, renewal }) => ({
      place: place as string,
      path,
      state: state as string,
      problem,
      problems: [...problems],
      renewal,
    })),
    lastEventHere: lastEventHere && {
      time: at(lastEventHere.time),
      event: lastEventHere.event,
      folder: lastEventHere.folder,
    },
    missed: isMissed,
    lastEvent: lastEvent && { time: at(lastEvent.time), event: lastEvent.event, folder: lastEvent.folder },
    lastFailure: lastFailure && { time: at(lastFailure.time), event: lastFailure.event, message: lastFailure.message },
    uncovered: uncovered.map(({ time, path, why }) => ({ time: at(time), path, why })),
    notes: [...agent.integration.notes],
  };
}

/** Returns the path of the hook script, which is installed in the folder that contains the program itself. */
function hookScriptNextTo(script: string): string | null {
  try {
    return join(dirname(realpathSync(script)), 'savepoint-hook');
  } catch {
    return null;
  }
}

export type AgentJson = ReturnType<typeof reportToJson>;
