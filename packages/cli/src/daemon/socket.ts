/**
 * Becoming the current daemon, and detecting that another process is.
 *
 * Invariants
 * S1 Each daemon listens in its own folder before it is published, so a client that finds it can connect.
 * S2 The current daemon changes atomically (a new link, or a rename over the old link). If several daemons find none,
 * one
 *    creates the link and the others see it. If several find a dead one, the last to replace the link wins, and the
 *    others see that.
 * S3 A daemon that is no longer current accepts no new requests, and finishes those it has accepted.
 */
import { mkdirSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { systemCode } from '../system-error.ts';
import { CURRENT_LINK, homeLink, SOCKET } from './runtime-folder.ts';

export interface DaemonSocket {
  /** The folder of this daemon. */
  readonly folder: string;
  /** Whether it is still the current daemon. */
  isCurrent(): boolean;
  /** Withdraws it, so that a new daemon can become current. */
  release(): void;
}

/**
 * @param runtime the folder of this home's daemons
 * @param isAlive whether the current daemon answers
 * @returns null if another daemon is already running
 */
export async function claimSocket(
  server: Server,
  home: string,
  runtime: string,
  isAlive: () => Promise<boolean>,
): Promise<DaemonSocket | null> {
  const folder = join(runtime, String(process.pid));
  // Left by a dead process with the same pid.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  await listen(server, join(folder, SOCKET));
  for (const [name, target] of [
    ['mnt', `/proc/${process.pid}/ns/mnt`],
    ['root', `/proc/${process.pid}/root`],
  ] as const) {
    symlinkSync(target, join(folder, name));
  }
  const now = join(runtime, CURRENT_LINK);
  const link = homeLink(home);
  const isCurrent = (): boolean => {
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
    // There was no daemon yet, the home was copied, or its daemon uses another runtime folder.
    if (await isTaken()) return null;
    writeLink(link, now, 'replace');
  }
  if (!writeLink(now, String(process.pid), 'new')) {
    if (await isTaken()) return null;
    writeLink(now, String(process.pid), 'replace');
  }
  if (!isCurrent()) {
    drop();
    return null;
  }
  removeDeadDaemons(runtime);
  return {
    folder,
    isCurrent,
    release: () => {
      // A new daemon may appear between check and removal. It sees that it is not current, and the next hook starts
      // another.
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

/** @returns false if `how` is `new` and the link already exists */
function writeLink(link: string, target: string, how: 'new' | 'replace'): boolean {
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

/** Removes the folders that killed daemons left. */
function removeDeadDaemons(runtime: string): void {
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
