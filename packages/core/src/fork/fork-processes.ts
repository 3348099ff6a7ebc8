/** The processes that run in a fork: those that were started with its variables. */

import type { CopyRecord } from '../copy/copy.ts';
import type { Ports, ProcessIdentity } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';

/** Processes get this long to end by themselves. */
const GRACE_MS = 2_000;
const POLL_MS = 20;
const MARGIN_MS = 60_000;

export function processesIn({ processes }: Pick<Ports, 'processes'>, copy: CopyRecord): readonly ProcessIdentity[] {
  const all = processes.startedSince(copy.created - MARGIN_MS) ?? [];
  const self = processes.self().pid;
  return all.filter(
    ({ pid }) => pid !== self && processes.startedWith(pid).variables.get('SAVEPOINT_FORK_ID') === copy.id,
  );
}

/** @throws SavepointError IO if one of them does not end */
export async function endProcesses(ports: Ports, copy: CopyRecord): Promise<void> {
  for (const signal of ['TERM', 'KILL']) {
    const until = ports.clock.monotonic() + GRACE_MS;
    let running = processesIn(ports, copy);
    if (running.length === 0) return;
    await send(ports, copy, signal, running);
    while (running.length > 0 && ports.clock.monotonic() < until) {
      await ports.clock.sleep(POLL_MS);
      running = processesIn(ports, copy);
    }
  }
  const [left] = processesIn(ports, copy);
  if (left === undefined) return;
  throw new SavepointError('IO', `Process ${left.pid}, which runs in the fork, does not end.`, {
    path: '/proc',
    operation: 'kill',
    code: 'EBUSY',
  });
}

async function send(
  ports: Ports,
  { place }: CopyRecord,
  signal: string,
  to: readonly ProcessIdentity[],
): Promise<void> {
  const pids = to.map(({ pid }) => String(pid));
  // A process that ended meanwhile is not an error.
  await ports.programs.run({
    file: '/bin/sh',
    args: ['-c', 'for pid; do kill -s "$SIGNAL" "$pid" 2>/dev/null; done; :', 'sh', ...pids],
    cwd: place,
    env: { SIGNAL: signal },
  });
}
