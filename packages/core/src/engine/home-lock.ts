/** The lock of the folder that contains all stores. Held while a workspace is created, moved or linked. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { acquireLock, type LockOptions } from '../store/lock.ts';
import { makeFolders, prepareHome } from '../store/private-folders.ts';
import { writeRecordIndex } from '../store/record-index.ts';
import { listRecords } from '../store/records.ts';

/** Runs the work under the lock, then updates the index of the records. */
export async function withHomeLock<T>(
  { ports, places }: { readonly ports: Ports; readonly places: { readonly home: DiskPath } },
  pace: Pace,
  wait: LockOptions,
  work: () => T,
): Promise<T> {
  const { home } = places;
  prepareHome(ports, home);
  const folder = diskChild(home, 'lock');
  makeFolders(ports.fs, folder, 0o700);
  const lock = await acquireLock(ports, { folder, what: `the home ${showName(home)}` }, pace, wait);
  try {
    const done = work();
    writeRecordIndex(ports, home, () => listRecords(ports, home));
    return done;
  } finally {
    lock.release();
  }
}
