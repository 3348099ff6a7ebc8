/** The live processes of this user, as /proc shows them on Linux. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { DiskPath } from '../../model/names.ts';
import type { ProcessIdentity, RunningProcess } from '../ports.ts';
import { parseProcessStat } from './process-stat.ts';

/** `/proc/<pid>/stat` counts in these, on every platform that node supports. */
const TICKS_PER_SECOND = 100;

/** The search ends after this many older processes. */
const OLDER = 16;

/** @returns null if the system does not tell */
export function runningProcesses(self: ProcessIdentity, since: number): readonly RunningProcess[] | null {
  const uptime = Number.parseFloat(readOrNull('/proc/uptime') ?? '');
  if (Number.isNaN(uptime)) return null;
  const bootedAt = Date.now() - uptime * 1000;
  const found: RunningProcess[] = [];
  let older = 0;
  for (const pid of newestFirst()) {
    const stat = parseProcessStat(readOrNull(`/proc/${pid}/stat`) ?? '');
    if (stat === null) continue;
    const began = bootedAt + (Number(stat.startedAt) / TICKS_PER_SECOND) * 1000;
    if (began < since) {
      older += 1;
      if (older === OLDER) break;
      continue;
    }
    older = 0;
    if (stat.state === 'Z' || stat.state === 'X' || !isOwn(pid)) continue;
    found.push({ ...self, pid, startedAt: stat.startedAt, parent: stat.parent, began });
  }
  return found;
}

/** What the process was started with; empty if it has ended, or if access is denied. */
export function startedWith(pid: number): { readonly command: readonly string[]; readonly variables: Variables } {
  const variables = new Map<string, string>();
  for (const entry of listOf(readOrNull(`/proc/${pid}/environ`))) {
    const at = entry.indexOf('=');
    if (at > 0 && !variables.has(entry.slice(0, at))) variables.set(entry.slice(0, at), entry.slice(at + 1));
  }
  return { command: listOf(readOrNull(`/proc/${pid}/cmdline`)), variables };
}

export function folderOf(pid: number): DiskPath | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`, 'latin1') as DiskPath;
  } catch {
    return null;
  }
}

/**
 * The system gives out ids in ascending order and starts again at the lowest when it has reached the highest. So, from
 * the last id downwards and on from the highest, processes are in the order of their age.
 */
function newestFirst(): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => b - a);
  // The last field of /proc/loadavg is the last id. New processes may have started since.
  const last = Number(readOrNull('/proc/loadavg')?.trim().split(' ').at(-1));
  const at = Math.max(0, pids.findIndex((pid) => pid <= last) - OLDER / 2);
  return Number.isNaN(last) ? pids : [...pids.slice(at), ...pids.slice(0, at)];
}

type Variables = ReadonlyMap<string, string>;

function listOf(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.replace(/\0$/, '').split('\0');
}

/** Processes of others cannot be inspected. */
function isOwn(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`).uid === process.geteuid?.();
  } catch {
    return false;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
