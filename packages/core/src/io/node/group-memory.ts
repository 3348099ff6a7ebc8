import { readdirSync, readFileSync } from 'node:fs';
import { parseProcessStat } from './process-stat.ts';

const KB = 1024;

/**
 * Returns the memory of all processes of a group together, in bytes, as /proc shows it on Linux, without that of files.
 * 0 if the system does not tell.
 */
export function memoryOfGroup(group: number): number {
  let sum = 0;
  for (const pid of processIds()) {
    const stat = parseProcessStat(textOf(`/proc/${pid}/stat`));
    if (stat?.group !== group) continue;
    const status = textOf(`/proc/${pid}/status`);
    const own = Number(/^RssAnon:\s+(\d{1,15}) kB$/m.exec(status)?.[1] ?? 0);
    const shared = Number(/^RssShmem:\s+(\d{1,15}) kB$/m.exec(status)?.[1] ?? 0);
    sum += (own + shared) * KB;
  }
  return sum;
}

function processIds(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty if the process has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
