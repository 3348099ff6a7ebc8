/**
 * An overlay that survives the process that made it.
 *
 * Its holder waits for an exclusive lock on the file `held` in the folder of the copy. Each command in the overlay has a
 * shared one, and so has each process that looks at it. When the last one is gone, the holder gets its lock, kills what the
 * commands left running, and ends. It never gives its lock back. A process that then gets a shared lock finds no mount, and makes one.
 */

import { FsError, isFsError } from '../../io/fs.ts';
import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, diskChild, nameToJson } from '../../model/names.ts';
import { keepOverlay, type OverlayRequest } from './launch.ts';
import { usableTools } from './open-overlay.ts';
import { type OverlayCopy, openOverlayCopy, reopenOverlayCopy } from './overlay-copy.ts';
import { mountSource } from './script.ts';

/** A mount that stays at least until `release`. */
export interface UsedMount {
  readonly copy: OverlayCopy;
  release(): Promise<void>;
}

/** The program that a command in the overlay locks `held` with. */
export interface MountLock {
  readonly flock: string;
  readonly file: DiskPath;
}

export interface KeptMount extends UsedMount {
  readonly lock: MountLock;
}

const LOCK_MS = 15_000;

/** @returns why no overlay can be kept here, for display; null if one can */
export async function whyNoKeptOverlay(
  ports: Ports,
  searchPath: string,
  root: DiskPath,
  copies: DiskPath,
): Promise<string | null> {
  const tools = await usableTools(ports, searchPath, root, copies);
  if ('why' in tools) return tools.why;
  return tools.flock === null ? 'the program flock is missing; it is part of util-linux' : null;
}

/**
 * Uses the mount of a copy to run commands in it, and makes it if there is none. The caller holds the lock of the workspace,
 * so that no other process makes one.
 * @throws SavepointError IO if it cannot be mounted
 */
export async function useKeptOverlay(
  ports: Ports,
  searchPath: string,
  copies: DiskPath,
  request: OverlayRequest,
): Promise<KeptMount> {
  const { root, place, id } = request;
  const tools = await usableTools(ports, searchPath, root, copies);
  if ('why' in tools) throw cannotMount(place, tools.why);
  if (tools.flock === null) throw cannotMount(place, 'the program flock is missing');
  const lock = { flock: tools.flock, file: diskChild(place, 'held') };
  const release = await lockShared(ports, lock, place);
  try {
    let holder: ProcessIdentity | { readonly why: string } | null = inMount(ports, id);
    holder ??= await keepOverlay(ports, tools.searchPath, request, lock.file);
    if ('why' in holder) throw cannotMount(place, holder.why);
    const copy = reopenOverlayCopy(ports, searchPath, request, holder);
    if (copy === null) throw cannotMount(place, 'the mount has ended');
    return { copy, lock, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Looks at a copy, also while commands run in it: through its mount, or without one through another that cannot be written.
 * @throws SavepointError IO if it cannot be mounted
 */
export async function lookAtOverlay(
  ports: Ports,
  searchPath: string,
  copies: DiskPath,
  request: OverlayRequest,
): Promise<UsedMount> {
  const { root, place, id } = request;
  const tools = await usableTools(ports, searchPath, root, copies);
  if ('why' in tools) throw cannotMount(place, tools.why);
  if (tools.flock !== null && inMount(ports, id) !== null) {
    const release = await lockShared(ports, { flock: tools.flock, file: diskChild(place, 'held') }, place);
    // It may have ended before.
    const holder = inMount(ports, id);
    const copy = holder === null ? null : reopenOverlayCopy(ports, searchPath, request, holder);
    if (copy !== null) return { copy, release };
    await release();
  }
  const copy = await openOverlayCopy(ports, searchPath, copies, { ...request, alone: 'look' });
  if ('why' in copy) throw cannotMount(place, copy.why);
  return { copy, release: () => copy.close() };
}

/** Also commands of a holder that was killed keep its mount. Each of them leads into it; the oldest one stays longest. */
function inMount({ processes }: Ports, id: string): ProcessIdentity | null {
  return [...processes.seeingMount(mountSource(id))].sort((a, b) => a.pid - b.pid)[0] ?? null;
}

/** The lock ends with this process at the latest. */
async function lockShared(ports: Ports, { flock, file }: MountLock, place: DiskPath): Promise<() => Promise<void>> {
  try {
    ports.fs.close(ports.fs.openNew(file, 0o600));
  } catch (error) {
    if (!(error instanceof FsError) || !isFsError(error, 'EEXIST')) throw error;
  }
  const wait = 'echo; while read -r _; do :; done';
  const program = { file: flock, args: ['-s', 'held', '/bin/sh', '-c', wait], cwd: place, env: {} };
  const held = await ports.programs.hold(program, LOCK_MS);
  if (!held.held) throw cannotMount(place, `its lock is not to be had (${held.errors.trim()})`);
  return () => held.release(LOCK_MS);
}

function cannotMount(place: DiskPath, why: string): SavepointError {
  const data = { path: nameToJson(place), operation: 'mount', code: 'ENOTSUP' };
  return new SavepointError('IO', `The copy cannot be mounted: ${why}.`, data);
}
