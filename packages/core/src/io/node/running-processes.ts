/** The live processes of this user, as /proc shows them on Linux. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import type { DiskPath } from '../../model/names.ts';
import type { ProcessIdentity, RunningProcess } from '../ports.ts';
import { parseProcessStat } from './process-stat.ts';

/** `/proc/<pid>/stat` counts in these, on every platform that node supports. */
const TICKS_PER_SECOND = 100;

/**
 * Looks at all processes, because their ids do not tell their age: once ids have wrapped around, those of old processes
 * lie between new ones.
 * @param since milliseconds since boot
 * @returns null if the system does not tell
 */
export function runningProcesses(self: ProcessIdentity, since: number): readonly RunningProcess[] | null {
  if (systemUptime() === null) return null;
  const found: RunningProcess[] = [];
  for (const pid of processIds()) {
    // First: it costs about a tenth of reading the file, and many processes belong to other users.
    if (!isOwn(pid)) continue;
    const stat = parseProcessStat(readOrNull(`/proc/${pid}/stat`) ?? '');
    if (stat === null) continue;
    const beganUptime = (Number(stat.startedAt) * 1000) / TICKS_PER_SECOND;
    if (beganUptime < since || stat.state === 'Z' || stat.state === 'X') continue;
    found.push({ ...self, pid, startedAt: stat.startedAt, parent: stat.parent, beganUptime });
  }
  return found;
}

/** In milliseconds. Null if the system does not tell. */
export function systemUptime(): number | null {
  const seconds = Number.parseFloat(readOrNull('/proc/uptime') ?? '');
  return Number.isNaN(seconds) ? null : seconds * 1000;
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
  return linkOrNull(`/proc/${pid}/cwd`) as DiskPath | null;
}

/** Processes of all users, because one in a copy may have become another user. */
export function processesSeeingMount(source: string): readonly number[] {
  const bySpace = new Map<string, boolean>();
  return processIds().filter((pid) => {
    // Many processes share a table, and the name of a namespace costs much less than the table.
    const space = linkOrNull(`/proc/${pid}/ns/mnt`);
    const known = space === null ? undefined : bySpace.get(space);
    if (known !== undefined) return known;
    // A process that has ended, but has not been waited for, has no table.
    const table = readOrNull(`/proc/${pid}/mountinfo`);
    if (table === null) return false;
    const isThere = table.split('\n').some((line) => mountSourceOf(line)?.startsWith(source) === true);
    if (space !== null) bySpace.set(space, isThere);
    return isThere;
  });
}

/** proc(5): optional fields come before the hyphen; the type and the source follow it. */
function mountSourceOf(line: string): string | undefined {
  return line.split(' - ')[1]?.split(' ')[1];
}

function linkOrNull(path: string): string | null {
  try {
    return readlinkSync(path, 'latin1');
  } catch {
    return null;
  }
}

function processIds(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
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
