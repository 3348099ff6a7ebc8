/** The processes that run in a copy, found by their environment or by what they see mounted. */

import type { Ports, Processes, ProcessIdentity } from '../io/ports.ts';
import { uptimeAt } from '../io/uptime-at.ts';
import type { CopyRecord } from './copy.ts';
import { mountSource } from './overlay/script.ts';

/** Has the id of the copy in commands in a copy that is a folder. */
export const COPY_VARIABLE = 'SAVEPOINT_COPY';

const MARGIN_MS = 60_000;

type FromPorts = Pick<Ports, 'clock' | 'processes'>;

export function processesInCopy(
  ports: FromPorts,
  copy: Pick<CopyRecord, 'id' | 'created' | 'rung'>,
): readonly ProcessIdentity[] {
  if (copy.rung !== 'overlay') return processesWith(ports, COPY_VARIABLE, copy);
  return ports.processes.seeingMount(mountSource(copy.id));
}

/** The processes that were started with the id of the copy in this variable. */
export function processesWith(
  ports: FromPorts,
  variable: string,
  copy: Pick<CopyRecord, 'id' | 'created'>,
): readonly ProcessIdentity[] {
  const { processes } = ports;
  const since = uptimeAt(ports, copy.created - MARGIN_MS);
  const all = (since === null ? null : processes.startedSince(since)) ?? [];
  const self = processes.self().pid;
  return all.filter(({ pid }) => pid !== self && isStartedWith(processes, pid, variable, copy));
}

export function isStartedWith(
  processes: Processes,
  pid: number,
  variable: string,
  { id }: Pick<CopyRecord, 'id'>,
): boolean {
  return processes.startedWith(pid).variables.get(variable) === id;
}
