import { spawnSync } from 'node:child_process';
import type { DiskPath } from '@savepoint/core';
import { type Fs, FsError, type Ports, type ProcessIdentity, type Programs } from '@savepoint/core/ports';
import { ProcessDied } from '@savepoint/testkit';

/** Calls after which the disk, git or another process is different. */
const CHANGING = new Set(
  (
    'openNew write copyFile copyFiles sync syncAll wholeSync fchmod makeLink makeFolder rename hardLink unlink removeFolder chmod touch ' +
    'run hold signal'
  ).split(' '),
);

/**
 * - `dies`: the process dies before the call, and each later call finds it dead
 * - `fails`: the system refuses the call, once
 * - `keeps failing`: and all that follow
 * - `is too late`: the same as `fails`, but a program is stopped only after it has done its work
 */
export type Interruption = 'dies' | 'fails' | 'keeps failing' | 'is too late';

export interface MortalPorts {
  readonly ports: Ports;
  /** Number of calls so far that change something. */
  calls(): number;
  hasDied(): boolean;
}

/**
 * The real machine, for a process that is interrupted at a call that changes something. For others, its id is that of a dead
 * process all the time.
 * @param at 1: the first such call
 */
export function mortalPorts(real: Ports, at: number, how: Interruption = 'dies'): MortalPorts {
  let calls = 0;
  let dead = false;
  const mortal = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        const name = String(key);
        return (...args: unknown[]) => {
          if (dead) throw new ProcessDied();
          if (!CHANGING.has(name)) return Reflect.apply(value, target, args);
          calls += 1;
          const isHit = how === 'keeps failing' ? calls >= at : calls === at;
          if (!isHit) return Reflect.apply(value, target, args);
          if (how === 'is too late' && name === 'run') return stopped(Reflect.apply(value, target, args));
          if (how !== 'dies') return refuse(name, args[0]);
          dead = true;
          throw new ProcessDied();
        };
      },
    });
  const self: ProcessIdentity = { ...real.processes.self(), pid: spawnSync('true').pid, startedAt: '1' };
  const processes = { ...bound(real.processes), self: () => self };
  return {
    ports: { ...real, fs: mortal(real.fs), programs: mortal(real.programs), processes: mortal(processes) },
    calls: () => calls,
    hasDied: () => dead,
  };
}

/** What a caller sees of a refused call. */
function refuse(name: string, of: unknown): Promise<Awaited<ReturnType<Programs['run' | 'hold']>>> | undefined {
  if (name === 'signal') return undefined;
  if (name === 'hold') return Promise.resolve({ held: false, errors: 'refused' });
  if (name !== 'run') throw new FsError('EIO', name as keyof Fs, String(of) as DiskPath);
  const stderr = Buffer.from('fatal: refused\n');
  return Promise.resolve({ exit: 128, signal: null, ended: 'exit', stdout: Buffer.alloc(0), stderr });
}

async function stopped(running: ReturnType<Programs['run']>): ReturnType<Programs['run']> {
  return { ...(await running), exit: null, ended: 'timeout' };
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
