/**
 * Makes this process the current daemon, and detects when another process has replaced it. The links are described in
 * runtime-folder.ts.
 *
 * Invariants
 * S1 A daemon listens on a socket in its own folder before a link makes it current, so a client that follows the link can
 *    connect.
 * S2 The current daemon changes atomically (a new link, or a rename over the old link). If several daemons start and no
 *    link exists, one creates it and the others see it. If the link names a dead daemon, the last to replace it wins, and
 *    the others see that.
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
 * Starts to listen, and makes this process the current daemon unless there is one that is alive.
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
  const own = String(process.pid);
  const folder = join(runtime, own);
  await listenInOwnFolder(server, folder);
  const isCurrent = (): boolean => leadsTo(homeLink(home), folder);
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  const isLinked = await linkAsCurrent(home, runtime, own, isAlive).catch((error: unknown) => {
    removeFolder();
    throw error;
  });
  if (!isLinked || !isCurrent()) {
    removeFolder();
    return null;
  }
  removeDeadDaemons(runtime);
  return {
    folder,
    isCurrent,
    release: () => {
      const current = join(runtime, CURRENT_LINK);
      // A new daemon may appear between check and removal. It sees that it is not current, and the next hook starts
      // another.
      if (targetOf(current) === own) rmSync(current, { force: true });
      removeFolder();
    },
  };
}

async function listenInOwnFolder(server: Server, folder: string): Promise<void> {
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
}

/**
 * Makes both links lead to the daemon `own`: from the home to the current daemon, and from there to its folder.
 * @returns false if another daemon is alive
 */
async function linkAsCurrent(
  home: string,
  runtime: string,
  own: string,
  isAlive: () => Promise<boolean>,
): Promise<boolean> {
  const current = join(runtime, CURRENT_LINK);
  if (targetOf(homeLink(home)) !== current) {
    // There was no daemon yet, the home was copied, or its daemon uses another runtime folder.
    if (await isAlive()) return false;
    writeLink(homeLink(home), current, 'replace');
  }
  if (!writeLink(current, own, 'new')) {
    if (await isAlive()) return false;
    writeLink(current, own, 'replace');
  }
  return true;
}

function leadsTo(link: string, folder: string): boolean {
  try {
    return realpathSync(link) === realpathSync(folder);
  } catch {
    return false;
  }
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

/** Removes the folders of killed daemons, and the temporary links that `writeLink` had not renamed yet. */
function removeDeadDaemons(runtime: string): void {
  const ownedByPid = new RegExp(`^(?:${CURRENT_LINK}\\.)?([1-9]\\d*)$`);
  for (const name of readdirSync(runtime)) {
    const pid = Number(ownedByPid.exec(name)?.[1]);
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
