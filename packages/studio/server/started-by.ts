/** Finds out whether an agent started the server. Such a server always refuses what only a person may do. */
import { type DiskPath, type OpenOptions, open, SavepointError } from '@savepoint/core';
import type { WorkspaceOptions } from './open-workspace.ts';

type Caller = NonNullable<OpenOptions['caller']>;

export interface StartedBy {
  /** The name of the agent; null for a person. */
  readonly agent: string | null;
  /** The caller of everything that the page asks for. */
  readonly caller: Caller;
}

/**
 * Must run at the start: the agent's call that starts a server soon ends, and so does its shell. After that, nothing shows
 * that an agent started it.
 * @param folder in which the server was started
 */
export async function startedBy(folder: DiskPath, workspace: WorkspaceOptions, caller: Caller): Promise<StartedBy> {
  const above = caller.ancestors();
  const ancestors = (): typeof above => above;
  const agent = await agentAbove(folder, { ...workspace, caller: { ...caller, ancestors } });
  return { agent, caller: { ...caller, ancestors, agent } };
}

async function agentAbove(folder: DiskPath, workspace: WorkspaceOptions): Promise<string | null> {
  if (workspace.caller?.agent != null) return workspace.caller.agent;
  const { records } = await open({ ...workspace, dir: folder }).workspaces();
  for (const { path, present } of records) {
    if (!present) continue;
    const savepoint = open({ ...workspace, dir: path });
    try {
      const { actor } = await savepoint.caller();
      if (actor.kind === 'agent') return actor.name;
    } catch (error) {
      // A store that cannot be read names no agent; the page reports what is wrong with it.
      if (!(error instanceof SavepointError)) throw error;
    } finally {
      savepoint.close();
    }
  }
  return null;
}
