/** The processes that run in a fork: those that were started with its variables. */

import type { CopyRecord } from '../copy/copy.ts';
import { endProcesses } from '../copy/end-processes.ts';
import { mountSource } from '../copy/overlay/script.ts';
import { isStartedWith, processesWith } from '../copy/processes-in.ts';
import type { Ports, Processes, ProcessIdentity } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { FORK_ID_VARIABLE } from './fork.ts';

export function processesIn(
  ports: Pick<Ports, 'clock' | 'processes'>,
  copy: Pick<CopyRecord, 'id' | 'created' | 'rung'>,
): readonly ProcessIdentity[] {
  const started = processesWith(ports, FORK_ID_VARIABLE, copy);
  if (copy.rung !== 'overlay') return started;
  // Whatever they did to their variables, they see its mount. So does its holder.
  const known = new Set(started.map(({ pid }) => pid));
  return [...started, ...ports.processes.seeingMount(mountSource(copy.id)).filter(({ pid }) => !known.has(pid))];
}

export function isOfFork(processes: Processes, pid: number, copy: Pick<CopyRecord, 'id'>): boolean {
  return isStartedWith(processes, pid, FORK_ID_VARIABLE, copy);
}

/** @throws SavepointError IO if one of them does not end */
export async function endProcessesIn(ports: Ports, copy: CopyRecord): Promise<void> {
  const [left] = await endProcesses(ports, () => processesIn(ports, copy));
  if (left === undefined) return;
  throw new SavepointError('IO', `Process ${left.pid}, which runs in the fork, does not end.`, {
    path: '/proc',
    operation: 'kill',
    code: 'EBUSY',
  });
}
