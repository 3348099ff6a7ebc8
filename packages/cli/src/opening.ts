/** How the command line opens a workspace: the same for a command in its own process and for one that the daemon answers. */
import type { DiskPath, OpenOptions } from '@savepoint/core';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import { loadAgents } from './agents.ts';
import { exporter } from './exporter.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** @param script the program that runs the command */
export function openOptions(
  { dir, here, env }: { readonly dir: DiskPath; readonly here: boolean; readonly env: Environment },
  script: string,
): OpenOptions {
  const ports = nodePorts();
  return {
    dir,
    here,
    ports,
    places: nodePlaces(env),
    settings: nodeSettings(env),
    exporter: exporter(env, script),
    ownEntries: async () => (await loadAgents()).ownEntries,
    conversations: async () => (await loadAgents()).conversations({ ports, env }),
  };
}
