import { spawnSync } from 'node:child_process';
import type { Ports, ProcessIdentity } from '@savepoint/core/ports';
import { ProcessDied } from '@savepoint/testkit';

/** Calls after which the disk, git or another process is different. */
const CHANGING = new Set(
  'openNew write copyFile sync fchmod makeLink makeFolder rename hardLink unlink removeFolder chmod touch run signal'.split(
    ' ',
  ),
);

export interface MortalPorts {
  readonly ports: Ports;
  /** Number of calls so far that change something. */
  calls(): number;
  hasDied(): boolean;
}

/**
 * The real machine, for a process that dies before a call that changes something: each later call finds it dead. For
 * others, its id is that of a dead process all the time.
 * @param at 1: the first such call
 */
export function mortalPorts(real: Ports, at: number): MortalPorts {
  let calls = 0;
  let dead = false;
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (!dead && CHANGING.has(String(key))) {
            calls += 1;
            dead = calls >= at;
          }
          if (dead) throw new ProcessDied();
          return Reflect.apply(value, target, args);
        };
      },
    });
  const self: ProcessIdentity = { ...real.processes.self(), pid: spawnSync('true').pid, startedAt: 'dead' };
  const processes = { ...bound(real.processes), self: () => self };
  return {
    ports: { ...real, fs: mortal(real.fs), programs: mortal(real.programs), processes: mortal(processes) },
    calls: () => calls,
    hasDied: () => dead,
  };
}

function bound(processes: Ports['processes']): Ports['processes'] {
  const names = [
    'state',
    'ancestors',
    'uptime',
    'startedSince',
    'startedWith',
    'folderOf',
    'seeingMount',
    'signal',
  ] as const;
  const calls = names.map((name) => [name, processes[name].bind(processes)]);
  return { self: () => processes.self(), ...Object.fromEntries(calls) } as Ports['processes'];
}
