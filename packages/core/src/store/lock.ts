/**
 * A lock between processes, held through a file in a lock folder. Only the holder of a workspace's lock writes its store,
 * or its files through a transaction.
 *
 * A process first announces itself by creating its own file in the lock folder, and then checks for other files.
 * Invariants
 * L1 A file name is never reused (it contains a random nonce). So deleting a dead process's file can never delete the
 *    file of a live one, whichever processes delete files at the same time.
 * L2 A process holds the lock once it has announced itself and then seen no other file whose process may be alive. If two
 *    processes announce themselves at the same time, at least one sees the other and withdraws.
 * L3 The file name identifies the process, so there is no half-written state. After a power cut, the name refers to an
 *    earlier boot, so its process is dead.
 * L4 Some holders cannot be checked (another host, or another pid namespace such as a container). Such a foreign holder
 *    is left alone while the time of its file advances. It counts as dead only after this process has seen no change for
 *    a long time, by its own monotonic clock. A holder that was merely suspended notices before its next commit point
 *    that its file is gone.
 */
import { isFsError } from '../io/fs.ts';
import { listIfExists } from '../io/if-exists.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, type Name, nameOf } from '../model/names.ts';
import type { LastWriterMark } from './last-writer-mark.ts';
import {
  type OwnerState,
  ownerState,
  type ProcessName,
  parseProcessName,
  processName,
  processNameText,
} from './process-name.ts';

/** How long the time of a foreign holder's file must not change before the holder counts as dead. */
const FOREIGN_STALE_MS = 30_000;
/** How often a holder updates the time of its file. */
const HEARTBEAT_MS = 2_000;
const MIN_RETRY_MS = 5;
/** Random, so that processes that wait for each other do not keep announcing themselves at the same time. */
const RETRY_SPREAD_MS = 20;

/** What a lock protects. */
export interface LockTarget {
  readonly folder: DiskPath;
  /** For messages, for example `the workspace /home/me/shop`. */
  readonly what: string;
  /** The marker of the store that is locked; none for other locks. */
  readonly lastWriter?: LastWriterMark;
}

export interface LockOptions {
  /** How long to wait for another holder, in milliseconds. */
  readonly waitMs: number;
  /** Called once, when the wait begins. */
  readonly onWait?: (holder: { readonly pid: number; readonly state: string }) => void;
}

export interface HeldLock {
  /** No other process has held the lock since this one did: cached state of the store is current. */
  readonly wasLastHolder: boolean;
  /** Throws LOCK_LOST if another process took the lock. Called before every commit point. */
  assertHeld(): void;
  release(): void;
}

/** The time of a foreign holder's file, and since when, by our monotonic clock, it has not changed. */
interface Sighting {
  readonly mtimeMs: number;
  readonly since: number;
}

/** Whether a process may hold the lock or wait for it, as far as can be seen without waiting. Changes nothing. */
export function isLocked(ports: Ports, folder: DiskPath): boolean {
  return listIfExists(ports.fs, folder).some((file) => {
    const other = parseAnnouncement(nameOf(file));
    return other !== null && ownerState(ports, other) !== 'dead';
  });
}

/**
 * Acquires the lock in the target's folder, waiting up to `options.waitMs`.
 * @throws SavepointError LOCKED if the lock is still held when the wait ends
 */
export async function acquireLock(
  ports: Ports,
  target: LockTarget,
  pace: Pace,
  options: LockOptions,
): Promise<HeldLock> {
  const { folder, what } = target;
  const self = nameOf(`${ports.random.hex(8)}_${processNameText(processName(ports.processes.self()))}`);
  const own = diskChild(folder, self);
  const began = ports.clock.monotonic();
  const sightings = new Map<Name, Sighting>();
  let hasNotified = false;
  for (;;) {
    pace.throwIfCancelled();
    const rival = findRival(ports, folder, self, sightings) ?? announce(ports, folder, self, sightings);
    if (rival === null) return holdLock(ports, own, pace, target);
    const waited = ports.clock.monotonic() - began;
    if (waited >= options.waitMs) throw lockedError(rival, waited, what);
    if (!hasNotified) options.onWait?.({ pid: rival.pid, state: rival.state });
    hasNotified = true;
    await ports.clock.sleep(MIN_RETRY_MS + (Number.parseInt(ports.random.hex(1), 16) % RETRY_SPREAD_MS));
  }
}

/** Creates our file, and withdraws it if there is a rival. Returns the rival; null if the lock is ours. */
function announce(ports: Ports, folder: DiskPath, self: Name, sightings: Map<Name, Sighting>): Rival | null {
  const own = diskChild(folder, self);
  ports.fs.close(ports.fs.openNew(own, 0o600));
  let rival: Rival | null;
  try {
    rival = findRival(ports, folder, self, sightings);
  } catch (error) {
    ports.fs.unlink(own);
    throw error;
  }
  if (rival !== null) ports.fs.unlink(own);
  return rival;
}

function holdLock(ports: Ports, own: DiskPath, pace: Pace, { what, lastWriter }: LockTarget): HeldLock {
  let wasLastHolder: boolean;
  try {
    wasLastHolder = lastWriter?.claim() ?? false;
  } catch (error) {
    ports.fs.unlink(own);
    throw error;
  }
  let lastBeat = ports.clock.monotonic();
  const stopHeartbeat = pace.onYield(() => {
    if (ports.clock.monotonic() - lastBeat < HEARTBEAT_MS) return;
    lastBeat = ports.clock.monotonic();
    try {
      ports.fs.touch(own, ports.clock.now());
    } catch (error) {
      // If missed heartbeats have cost us the lock, assertHeld notices.
      if (!isFsError(error)) throw error;
    }
  });
  return {
    wasLastHolder,
    assertHeld() {
      if (ports.fs.lstat(own) === null) {
        throw new SavepointError(
          'LOCK_LOST',
          `Another process took the lock of ${what} while this process was suspended.`,
        );
      }
    },
    release() {
      stopHeartbeat();
      lastWriter?.release();
      try {
        ports.fs.unlink(own);
      } catch (error) {
        // A leftover file names this process, and counts as dead once the process has ended.
        if (!isFsError(error)) throw error;
      }
    },
  };
}

/** Another announced process that may be alive. */
interface Rival {
  readonly pid: number;
  readonly state: Exclude<OwnerState, 'dead'>;
}

/** Removes the files of dead processes and returns a rival; null if there is none. */
function findRival(ports: Ports, folder: DiskPath, self: Name, sightings: Map<Name, Sighting>): Rival | null {
  let rival: Rival | null = null;
  for (const file of ports.fs.list(folder)) {
    if (file === self) continue;
    const other = parseAnnouncement(file);
    const state = other === null ? 'dead' : ownerState(ports, other);
    if (other === null || state === 'dead' || (state === 'elsewhere' && isStale(ports, folder, file, sightings))) {
      try {
        ports.fs.unlink(diskChild(folder, file));
      } catch (error) {
        if (!isFsError(error, 'ENOENT')) throw error;
      }
    } else {
      rival = { pid: other.pid, state };
    }
  }
  return rival;
}

/** Whether this process has seen no heartbeat of a foreign holder for too long. */
function isStale(ports: Ports, folder: DiskPath, file: Name, sightings: Map<Name, Sighting>): boolean {
  const stat = ports.fs.lstat(diskChild(folder, file));
  if (stat === null) return false;
  const { mtimeMs } = stat;
  const seen = sightings.get(file);
  const now = ports.clock.monotonic();
  if (seen === undefined || seen.mtimeMs !== mtimeMs) {
    sightings.set(file, { mtimeMs, since: now });
    return false;
  }
  return now - seen.since >= FOREIGN_STALE_MS;
}

function parseAnnouncement(file: Name): ProcessName | null {
  return /^[0-9a-f]{16}_/.test(file) ? parseProcessName(file.slice(17)) : null;
}

function lockedError(rival: Rival, waitedMs: number, what: string): SavepointError {
  const who = rival.state === 'elsewhere' ? 'a process of another machine or container' : `process ${rival.pid}`;
  const note = rival.state === 'stopped' ? ' (suspended)' : '';
  return new SavepointError(
    'LOCKED',
    `Waited ${Math.round(waitedMs / 1000)} s for ${who}${note}, which holds the lock of ${what}.`,
    {
      pid: rival.pid,
      state: rival.state,
      waitedMs: Math.round(waitedMs),
    },
  );
}
