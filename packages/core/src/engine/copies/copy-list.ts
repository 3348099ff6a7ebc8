/** Lists the copies of all workspaces, and removes those that died. */

import type { CopyRecord } from '../../copy/copy.ts';
import { type CopyState, type ListedCopy, listCopies, mayHoldWork, removeLeftovers } from '../../copy/records.ts';
import { removeStaleCopy } from '../../copy/stale-copies.ts';
import { FsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { SavepointError } from '../../model/errors.ts';
import { type CopyId, checkpointNumber, type WorkspaceId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { bytesIn } from '../../store/usage.ts';

export interface KnownCopy extends CopyRecord {
  readonly state: CopyState;
  /** The sum of file sizes. Files that share their blocks with the originals count in full. Null: it cannot be measured. */
  readonly size: number | null;
}

export interface KnownCopies {
  /** Oldest first. */
  readonly copies: readonly KnownCopy[];
  /** What interrupted creations and removals left. */
  readonly leftovers: readonly DiskPath[];
  /** Copies whose record cannot be read. */
  readonly problems: readonly SavepointError[];
}

export interface CleanedCopies {
  readonly removed: readonly CopyId[];
  /** Copies that may hold work that exists nowhere else. */
  readonly spared: readonly CopyId[];
  /** What could not be removed. */
  readonly kept: readonly DiskPath[];
}

export function knownCopies(ports: Ports, home: DiskPath): KnownCopies {
  const { copies, leftovers, problems } = listCopies(ports, home);
  const described = copies.map(({ record, state }) => ({ ...record, state, size: sizeOf(ports, record.place) }));
  return { copies: described, leftovers, problems };
}

/** Removes the copies whose process died, with what still runs in them, and leftovers. Forks, and what is in use, stay. @param all also those with work */
export async function cleanCopies(ports: Ports, home: DiskPath, all: boolean): Promise<CleanedCopies> {
  const removed: CopyId[] = [];
  const spared: CopyId[] = [];
  const kept: DiskPath[] = [];
  for (const { record, state } of listCopies(ports, home).copies) {
    if (state !== 'stale') continue;
    if (!all && mayHoldWork(record)) {
      spared.push(record.id);
      continue;
    }
    const outcome = await removeStaleCopy(ports, home, record);
    if (outcome === 'removed') removed.push(record.id);
    if (outcome === 'kept') kept.push(record.place);
  }
  return { removed, spared, kept: [...new Set([...kept, ...removeLeftovers(ports, home)])] };
}

/** Oldest first. */
export function copiesOf(ports: Ports, home: DiskPath, workspace: WorkspaceId): readonly ListedCopy[] {
  return listCopies(ports, home).copies.filter(({ record }) => record.workspace === workspace);
}

/** A fork is left out: the store keeps what it started from, also without the checkpoint. */
export function basesOfCopies(ports: Ports, home: DiskPath, workspace: WorkspaceId): ReadonlySet<number> {
  return new Set(
    copiesOf(ports, home, workspace).flatMap(({ record: { purpose, base } }) =>
      purpose === 'fork' ? [] : [checkpointNumber(base)],
    ),
  );
}

/** The bytes that the copies of a workspace take: those that were copied, not those that are shared. */
export function copiedBytes(ports: Ports, home: DiskPath, workspace: WorkspaceId): number {
  return copiesOf(ports, home, workspace).reduce((sum, { record }) => sum + record.bytes, 0);
}

function sizeOf({ fs }: Ports, place: DiskPath): number | null {
  try {
    return bytesIn(fs, place);
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}
