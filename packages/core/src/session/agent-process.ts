/**
 * Finds the process of an agent. Hooks run in short-lived processes below it, often with a shell in between. A process
 * that two events of a session have among their ancestors lives as long as the agent: it is the agent, or started it.
 */

import type { ProcessIdentity } from '../io/ports.ts';
import type { SessionId } from '../model/ids.ts';
import { readSessionState, writeSessionState } from '../store/state/session-state.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

/**
 * @param ancestors the process that reports an event, and its ancestors, nearest first
 * @returns the nearest one that an earlier event of the session had as well; null if none is known
 */
export function agentProcess(
  { ports, store }: Pick<Workspace, 'ports' | 'store'>,
  session: SessionId,
  ancestors: readonly ProcessIdentity[],
): ProcessIdentity | null {
  if (ancestors.length === 0) return null;
  const state = readSessionState(ports.fs, store.layout, session);
  const place = ancestors.findIndex((one) => state.processes.some((known) => isSameProcess(one, known)));
  const lasting = place < 0 ? ancestors : ancestors.slice(place);
  if (lasting.length !== state.processes.length || !lasting.every((one, i) => isSame(one, state.processes[i]))) {
    writeSessionState(ports.fs, store.layout, session, { ...state, processes: lasting });
  }
  return place < 0 ? null : (ancestors[place] ?? null);
}

function isSame(a: ProcessIdentity, b: ProcessIdentity | undefined): boolean {
  return b !== undefined && isSameProcess(a, b);
}

function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.bootId === b.bootId && a.pidNamespace === b.pidNamespace;
}
