/** Removes copies whose process died. What the process started may still run in them. */

import { FsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import type { DiskPath } from '../model/names.ts';
import type { CopyRecord } from './copy.ts';
import { endProcesses } from './end-processes.ts';
import { processesInCopy } from './processes-in.ts';
import { isStillStale, listCopies, mayHoldWork, removeCopy, removeLeftovers } from './records.ts';

/** Removes leftovers, and copies of dead processes that hold no work: only commands of Savepoint ran in them. */
export async function removeDeadCopies(ports: Ports, home: DiskPath): Promise<void> {
  removeLeftovers(ports, home);
  for (const { record, state } of listCopies(ports, home).copies) {
    // What stays is listed, and the next copy tries again.
    if (state === 'stale' && !mayHoldWork(record)) await removeStaleCopy(ports, home, record);
  }
}

/**
 * Ends the processes in a copy, and removes it.
 * @returns `in-use`: a process has opened it since it was listed. `kept`: a process does not end, or a file cannot be removed
 */
export async function removeStaleCopy(
  ports: Ports,
  home: DiskPath,
  record: CopyRecord,
): Promise<'removed' | 'in-use' | 'kept'> {
  try {
    if (!isStillStale(ports, home, record.id)) return 'in-use';
    const left = await endProcesses(ports, () => processesInCopy(ports, record));
    if (left.length > 0) return 'kept';
    if (!isStillStale(ports, home, record.id)) return 'in-use';
    removeCopy(ports, record.place);
    return 'removed';
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    return 'kept';
  }
}
