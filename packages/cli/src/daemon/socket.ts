/**
 * Becoming the daemon that is asked, and finding out that another one is.
 *
 * Invariants
 * S1 Each daemon listens in a folder of its own before anybody can find it, so whoever finds it can connect.
 * S2 What is found changes in one step (a link, or a link renamed over another). Of several that find none, one makes
 * the link
 *    and the others see it; of several that find a dead one, the last to replace it is found, and the others see that.
 * S3 Nobody who is found no longer takes on new work, and what it has taken on it finishes.
 */
import { mkdirSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { systemCode } from '../system-error.ts';
import { homeLink, NOW, SOCKET } from './place.ts';

export interface Standing {
  /** The daemon's own folder. */
  readonly folder: string;
  /** Whether it is still the one that is found. */
  isFound(): boolean;
  /** From now on it is not found, and a new one can be. */
  leave(): void;
}

/**
 * @param runtime the folder of this home's daemons
 * @param isAlive whether the daemon that is found answers
 * @returns null: another one already exists
 */
export async function stand(
  server: Server,
  home: string,
  runtime: string,
  isAlive: () => Promise<boolean>,
): Promise<Standing | null> {
  const folder = join(runtime, String(process.pid));
  // Of a dead process that had our number.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  await listen(server, join(folder, SOCKET));
  for (const [name, target] of [
    ['mnt', `/proc/${process.pid}/ns/mnt`],
    ['root', `/proc/${process.pid}/root`],
  ] as const) {
    symlinkSync(target, join(folder, name));
  }
  const now = join(runtime, NOW);
  const link = homeLink(home);
  const isFound = (): boolean => {
    try {
      return realpathSync(link) === realpathSync(folder);
    } catch {
      return false;
    }
  };
  const drop = (): void => rmSync(folder, { recursive: true, force: true });
  const isTaken = async (): Promise<boolean> => {
    if (!(await isAlive())) return false;
    drop();
    return true;
  };
  if (targetOf(link) !== now) {
    // None was here yet, the home was copied, or its daemon has another place for running things.
    if (await isTaken()) return null;
    point(link, now, 'replace');
  }
  if (!point(now, String(process.pid), 'new')) {
    if (await isTaken()) return null;
    point(now, String(process.pid), 'replace');
  }
  if (!isFound()) {
    drop();
    return null;
  }
  sweep(runtime);
  return {
    folder,
    isFound,
    leave: () => {
      // Between the look and the removal another one may come; it sees that it is not found, and another hook starts the next.
      if (targetOf(now) === String(process.pid)) rmSync(now, { force: true });
      drop();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const mask = process.umask(0o177);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
    process.umask(mask);
  });
}

/** @returns false: something stands there already, and was to stay */
function point(link: string, target: string, how: 'new' | 'replace'): boolean {
  if (how === 'new') {
    try {
      symlinkSync(target, link);
      return true;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      return false;
    }
  }
  const temporary = `${link}.${process.pid}`;
  rmSync(temporary, { force: true });
  symlinkSync(target, temporary);
  renameSync(temporary, link);
  return true;
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

/** What daemons left that were killed. */
function sweep(runtime: string): void {
  for (const name of readdirSync(runtime)) {
    const pid = Number(/^(?:now\.)?([1-9]\d*)$/.exec(name)?.[1]);
    if (!Number.isNaN(pid) && pid !== process.pid && !isRunning(pid)) {
      rmSync(join(runtime, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}
