import type { Processes, ProcessIdentity } from '@savepoint/core/ports';

type Life = ReturnType<Processes['state']>;

/** Processes that live and die as the test says. */
export interface FakeProcesses extends Processes {
  /** A process that lives from now on; what is not given is as for `self`. */
  start(as?: Partial<ProcessIdentity>): ProcessIdentity;
  /** What every process is told about this one from now on. */
  set(process: ProcessIdentity, life: Life): void;
  /** The same machine, seen by another process. */
  seenBy(process: ProcessIdentity): FakeProcesses;
}

/** @param self the process that the test plays; pid 100 on one machine without it */
export function fakeProcesses(self: Partial<ProcessIdentity> = {}): FakeProcesses {
  const lives = new Map<string, Life>();
  let nextPid = 101;
  const seenBy = (own: ProcessIdentity): FakeProcesses => ({
    self: () => own,
    state: (of) => {
      if (of.bootId === own.bootId && of.pidNamespace !== own.pidNamespace) return 'unknown';
      if (of.host !== own.host) return 'unknown';
      if (of.bootId !== own.bootId) return 'dead';
      return lives.get(keyOf(of)) ?? 'dead';
    },
    start: (as = {}) => {
      const pid = nextPid++;
      const process = { ...own, pid, startedAt: `${pid * 10}`, ...as };
      lives.set(keyOf(process), 'alive');
      return process;
    },
    set: (process, life) => {
      lives.set(keyOf(process), life);
    },
    seenBy,
  });
  const first: ProcessIdentity = {
    pid: 100,
    startedAt: '1000',
    bootId: 'boot-1',
    pidNamespace: 'pid:[1]',
    host: 'machine',
    ...self,
  };
  lives.set(keyOf(first), 'alive');
  return seenBy(first);
}

function keyOf({ pid, startedAt, bootId, pidNamespace, host }: ProcessIdentity): string {
  return JSON.stringify([pid, startedAt, bootId, pidNamespace, host]);
}
