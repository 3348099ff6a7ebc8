import type { Processes, ProcessIdentity } from '@savepoint/core/ports';

type Life = ReturnType<Processes['state']>;

/** Simulated processes that the test starts and ends. */
export interface FakeProcesses extends Processes {
  /** Starts a live process. Fields that are not given are as for `self`. */
  start(as?: Partial<ProcessIdentity>): ProcessIdentity;
  /** Sets what every process sees of this one from now on. */
  set(process: ProcessIdentity, life: Life): void;
  /** Returns the same machine from the point of view of another process. */
  seenBy(process: ProcessIdentity): FakeProcesses;
}

/** @param self the process that the test plays; by default pid 100 */
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
    ancestors: () => [],
    uptime: () => null,
    startedSince: () => null,
    startedWith: () => ({ command: [], variables: new Map() }),
    folderOf: () => null,
    seeingMount: () => [],
    signal: () => undefined,
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
