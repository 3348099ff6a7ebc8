/** Lists the copies of all workspaces, and removes those that died. */

import { commitsOfCopy } from '../../copy/commits-of-copy.ts';
import type { CopyRecord } from '../../copy/copy.ts';
import { folderView } from '../../copy/folder/folder-view.ts';
import { type CopyState, type ListedCopy, listCopies, mayHoldWork, removeLeftovers } from '../../copy/records.ts';
import { bytesBelow, bytesOfCopy, leastBytesOfCopy } from '../../copy/sizes.ts';
import { removeStaleCopy } from '../../copy/stale-copies.ts';
import { detachedCommits } from '../../fork/commits-of-fork.ts';
import { forkOf } from '../../fork/fork.ts';
import { FsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { repositoriesOf } from '../../model/checkpoint.ts';
import type { SavepointError } from '../../model/errors.ts';
import { type CopyId, checkpointNumber, type WorkspaceId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';

export interface KnownCopy extends CopyRecord {
  readonly state: CopyState;
  /** In bytes, without what it shares with the workspace or other copies. Null: it cannot be measured. */
  readonly size: number | null;
  /** What it has may exist nowhere else. */
  readonly mayHoldWork: boolean;
  /** Whether it is of the opened workspace. */
  readonly isHere: boolean;
  /** Whether commits would be lost with it. Null: not known, because it is an overlay or of another workspace. */
  readonly hasCommits: boolean | null;
}

export interface KnownCopies {
  /** Oldest first. */
  readonly copies: readonly KnownCopy[];
  /** Bytes that were copied once, for several copies together. */
  readonly sharedBytes: number;
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

/** @param here the opened workspace; null: there is none */
export function knownCopies(ports: Ports, home: DiskPath, here: WorkspaceId | null): KnownCopies {
  const { copies, leftovers, problems } = listCopies(ports, home);
  const described = copies.map(({ record, state }) => ({
    ...record,
    state,
    size: sizeOf(ports, record),
    mayHoldWork: mayHoldWork(record),
    isHere: record.workspace === here,
    hasCommits: null,
  }));
  const sharedBytes = bytesBelow(copies.map(({ record }) => record));
  return { copies: described, sharedBytes, leftovers, problems };
}

/** Looks for commits in the copies of the workspace that are folders. */
export async function withCommits(workspace: Workspace, known: KnownCopies): Promise<KnownCopies> {
  const { ports, root, timeline } = workspace;
  const roots = repositoriesOf(timeline.latest()?.roots ?? []);
  const copies: KnownCopy[] = [];
  for (const copy of known.copies) {
    if (!copy.isHere || copy.rung === 'overlay') {
      copies.push(copy);
      continue;
    }
    const fork = forkOf(copy);
    const started = new Set(fork?.worktrees.map(({ commit }) => commit));
    const { commits, problems } = commitsOfCopy(ports, root, folderView(ports, copy), roots, started);
    const detached = fork === null ? [] : await detachedCommits(workspace, fork);
    copies.push({ ...copy, hasCommits: commits.length + problems.length + detached.length > 0 });
  }
  return { ...known, copies };
}

/** Removes the copies whose process died, with what still runs in them, and leftovers. Forks, and what is in use, stay. @param mayLose whether a copy with work is removed, too */
export async function cleanCopies(
  ports: Ports,
  home: DiskPath,
  mayLose: (record: CopyRecord) => boolean,
): Promise<CleanedCopies> {
  const removed: CopyId[] = [];
  const spared: CopyId[] = [];
  const kept: DiskPath[] = [];
  for (const { record, state } of listCopies(ports, home).copies) {
    if (state !== 'stale') continue;
    if (mayHoldWork(record) && !mayLose(record)) {
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

/** Stale copies of a workspace, and what all of its copies take. */
export interface CopySummary {
  readonly stale: number;
  /** At least: what was written later in folders with all files is not measured. */
  readonly bytes: number;
}

export function summaryOfCopies(ports: Ports, home: DiskPath, workspace: WorkspaceId): CopySummary {
  const copies = copiesOf(ports, home, workspace);
  const records = copies.map(({ record }) => record);
  const own = records.reduce((sum, record) => sum + leastBytesOfCopy(ports.fs, record), 0);
  return { stale: copies.filter(({ state }) => state === 'stale').length, bytes: own + bytesBelow(records) };
}

/** @returns null if it cannot be measured */
export function sizeOf({ fs }: Ports, record: CopyRecord): number | null {
  try {
    return bytesOfCopy(fs, record);
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}
