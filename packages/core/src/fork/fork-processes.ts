/** The processes that run in a fork: those that were started with its variables. */

import type { CopyRecord } from '../copy/copy.ts';
import { endProcesses } from '../copy/end-processes.ts';
import type { Ports, Processes, ProcessIdentity } from '../io/ports.ts';
import { uptimeAt } from '../io/uptime-at.ts';
import { SavepointError } from '../model/errors.ts';
import { FORK_ID_VARIABLE } from './fork.ts';

const MARGIN_MS = 60_000;

type FromPorts = Pick<Ports, 'clock' | 'processes'>;

export function processesIn(ports: FromPorts, copy: CopyRecord): readonly ProcessIdentity[] {
  const { processes } = ports;
  const since = uptimeAt(ports, copy.created - MARGIN_MS);
  const all = (since === null ? null : processes.startedSince(since)) ?? [];
  const self = processes.self().pid;
  return all.filter(({ pid }) => pid !== self && isOfFork(processes, pid, copy));
}

export function isOfFork(processes: Processes, pid: number, { id }: Pick<CopyRecord, 'id'>): boolean {
  return processes.startedWith(pid).variables.get(FORK_ID_VARIABLE) === id;
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
