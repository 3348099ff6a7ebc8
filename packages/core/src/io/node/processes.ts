import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Processes, ProcessIdentity } from '../ports.ts';
import { errorCode } from './path.ts';
import { parseProcessStat } from './process-stat.ts';
import { folderOf, processesSeeingMount, runningProcesses, startedWith, systemUptime } from './running-processes.ts';

const MAX_ANCESTORS = 16;

let self: ProcessIdentity | null = null;

/**
 * Processes as /proc shows them on Linux. Elsewhere (macOS, Windows, no /proc) only the pid is known. A process is then
 * alive if any process has its pid, even if the pid was reused, and `stopped` is never reported.
 */
export const nodeProcesses: Processes = {
  self() {
    self ??= {
      pid: process.pid,
      startedAt: parseProcessStat(readTextOrNull('/proc/self/stat') ?? '')?.startedAt ?? null,
      bootId: readTextOrNull('/proc/sys/kernel/random/boot_id')?.trim() || null,
      pidNamespace: pidNamespace(),
      host: hostname(),
    };
    return self;
  },

  state(of) {
    const here = this.self();
    if (of.bootId !== null && of.bootId === here.bootId) {
      // The same kernel, even if the host name has changed.
      if (of.pidNamespace !== here.pidNamespace) return 'unknown';
    } else {
      if (of.host !== here.host) return 'unknown';
      if (of.bootId !== null && here.bootId !== null) return 'dead';
    }
    // To kill(2), 0 and negative numbers are process groups.
    if (!Number.isSafeInteger(of.pid) || of.pid <= 0 || of.pid > 0x7fffffff) return 'unknown';
    const stat = parseProcessStat(readTextOrNull(`/proc/${of.pid}/stat`) ?? '');
    // /proc may hide the processes of other users (hidepid), kill(2) does not.
    if (stat === null) return processExists(of.pid) ? 'alive' : 'dead';
    if (of.startedAt !== null && stat.startedAt !== of.startedAt) return 'dead';
    if (stat.state === 'Z' || stat.state === 'X') return 'dead';
    return stat.state === 'T' || stat.state === 't' ? 'stopped' : 'alive';
  },

  ancestors(pid) {
    const found: ProcessIdentity[] = [];
    // The first process of the system or of a container, and the kernel's, are above every agent.
    for (let next = pid; next > 1 && found.length < MAX_ANCESTORS; ) {
      const stat = parseProcessStat(readTextOrNull(`/proc/${next}/stat`) ?? '');
      if (stat === null) break;
      found.push({ ...this.self(), pid: next, startedAt: stat.startedAt });
      next = stat.parent;
    }
    return found;
  },

  uptime() {
    return systemUptime();
  },

  startedSince(uptime) {
    return runningProcesses(this.self(), uptime);
  },

  startedWith,
  folderOf,

  seeingMount(source) {
    return processesSeeingMount(source).map(processIdentity);
  },

  signal(to, signal) {
    const state = this.state(to);
    if (state !== 'alive' && state !== 'stopped') return;
    try {
      process.kill(to.pid, signal);
    } catch {
      // It ended just now, or belongs to another user.
    }
  },
};

/** Identifies a process that runs, such as a child of this one. */
export function processIdentity(pid: number): ProcessIdentity {
  const stat = parseProcessStat(readTextOrNull(`/proc/${pid}/stat`) ?? '');
  return { ...nodeProcesses.self(), pid, startedAt: stat?.startedAt ?? null };
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Returns null if the system has no such file or denies access. */
function readTextOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
