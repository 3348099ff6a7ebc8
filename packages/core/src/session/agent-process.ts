/**
 * Finds the process of an agent. Hooks run in short-lived processes below it, often with a shell in between. A process
 * that two events of a session have among their ancestors lives as long as the agent: it is the agent, or started it.
 */

import type { ProcessIdentity } from '../io/ports.ts';
import { isSameProcess } from '../io/same-process.ts';
import type { SessionState } from '../store/state/session-state.ts';

export interface AgentProcess {
  /** The nearest process that an earlier event of the session had as well; null if none is known. */
  readonly process: ProcessIdentity | null;
  /** What the session remembers for its next event. The same list as before if nothing changed. */
  readonly remembered: readonly ProcessIdentity[];
}

/** @param ancestors the process that reports an event, and its ancestors, nearest first */
export function agentProcess(
  { processes }: Pick<SessionState, 'processes'>,
  ancestors: readonly ProcessIdentity[],
): AgentProcess {
  if (ancestors.length === 0) return { process: null, remembered: processes };
  const place = ancestors.findIndex((one) => processes.some((known) => isSameProcess(one, known)));
  const lasting = place < 0 ? ancestors : ancestors.slice(place);
  const isKnown = lasting.length === processes.length && lasting.every((one, i) => isSameProcess(one, processes[i]!));
  return { process: ancestors[place] ?? null, remembered: isKnown ? processes : lasting };
}
