/** Finds forks: they are copies whose records say so (`copy/records.ts`). */

import type { CopyRecord } from '../copy/copy.ts';
import { copiesIn, listCopies, readCopyAt } from '../copy/records.ts';
import { listIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import type { SavepointError } from '../model/errors.ts';
import { COPY_ID, type WorkspaceId } from '../model/ids.ts';
import { type DiskPath, diskChild, isInside } from '../model/names.ts';
import { unlessDamaged } from '../store/objects/damage.ts';
import { type Fork, forkOf } from './fork.ts';

export interface FoundForks {
  /** By age, oldest first. */
  readonly forks: readonly Fork[];
  /** Records that cannot be read, of any copies. */
  readonly problems: readonly SavepointError[];
}

/** The home of Savepoint in a fork. */
export function homeInFork({ copy: { place } }: Pick<Fork, 'copy'>): DiskPath {
  return diskChild(place, 'home');
}

/**
 * Returns the fork whose files contain the folder.
 * @throws SavepointError STORE_DAMAGED if its record cannot be read and the home is not its own
 */
export function forkAround(ports: Pick<Ports, 'fs'>, home: DiskPath, folder: DiskPath): Fork | null {
  // The home of a process in a fork is the fork's own.
  const outer = (/^(.*)\/copies\/copy_[0-9a-f]{8}\/home$/.exec(home)?.[1] ?? home) as DiskPath;
  const copies = copiesIn(outer);
  if (!isInside(folder, copies)) return null;
  // Not the innermost: what is in the files of a copy may only look like one.
  const [id = '', files] = folder.slice(copies.length + 1).split('/');
  if (!COPY_ID.test(id) || files !== 'tree') return null;
  const read = (): CopyRecord | null => readCopyAt(ports, diskChild(copies, id));
  // With a home of its own, its checkpoints are found without the record.
  const copy = outer === home ? read() : unlessDamaged(undefined, read);
  return copy === null ? null : forkOf(copy);
}

/** @param workspace only its forks */
export function listForks(ports: Ports, home: DiskPath, workspace: WorkspaceId): FoundForks {
  const { copies, problems } = listCopies(ports, home);
  const forks = copies.flatMap(({ record }) => (record.workspace === workspace ? (forkOf(record) ?? []) : []));
  return { forks: forks.sort((a, b) => a.copy.created - b.copy.created || (a.name < b.name ? -1 : 1)), problems };
}

/** The first ports of the forks of all workspaces. */
export function usedPorts(ports: Ports, home: DiskPath): readonly number[] {
  return listCopies(ports, home).copies.flatMap(({ record }) => forkOf(record)?.port ?? []);
}

/** The folders of all copies, also of those without a record. */
export function placesIn({ fs }: Pick<Ports, 'fs'>, home: DiskPath): readonly DiskPath[] {
  const copies = copiesIn(home);
  return listIfExists(fs, copies)
    .filter((one) => COPY_ID.test(one))
    .map((one) => diskChild(copies, one));
}
