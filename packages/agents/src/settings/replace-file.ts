/** Replaces a file atomically, by way of a temporary file next to it. */

import { closeSync, fchmodSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Replaces or creates the file. First removes the temporary files that dead processes left behind for it. */
export function replaceFile(path: string, bytes: Buffer, mode: number): void {
  removeAbandoned(path);
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A failure is harmless: the files stay. */
function removeAbandoned(path: string): void {
  try {
    const start = `${basename(path)}.`;
    for (const name of readdirSync(dirname(path))) {
      const pid = name.startsWith(start) ? /^([1-9]\d{0,9})\.new$/.exec(name.slice(start.length))?.[1] : undefined;
      if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dirname(path), name), { force: true });
    }
  } catch {
    // See above.
  }
}

/** This process has no temporary file now, so one with its number belongs to a process before it. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
