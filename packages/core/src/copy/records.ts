/**
 * What exists below `<home>/copies/` (docs/format.md, "Copies").
 *
 * R1 A copy exists from the moment its record `copy.json` is durable, which is written last, until the record is removed,
 *    which happens first. Anything else is a leftover of a process that died, or of one that is still at work.
 * R2 A process that makes a copy first announces itself with a file beside the copy's folder, named after the process. Without
 *    one of a process that may be alive, a folder without a record is a leftover.
 * R3 Overlays may share a folder `below_…`. It is a leftover if no record names it.
 * R4 A copy whose owner is dead is stale, except for a fork: a fork outlives the process that uses it.
 */

import { showName } from '../content/show-name.ts';
import { durableWrite, readEntireFile, syncFolder } from '../io/durable-write.ts';
import { FsError, isFsError } from '../io/fs.ts';
import { listIfExists, removeIfExists } from '../io/if-exists.ts';
import type { Ports, ProcessIdentity } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import { SavepointError } from '../model/errors.ts';
import { BELOW_ID, type BelowId, type CheckpointId, COPY_ID, type CopyId, type WorkspaceId } from '../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  diskPathFromJson,
  type JsonName,
  nameFromJson,
  nameToJson,
  type TreePath,
} from '../model/names.ts';
import { FormatProblem } from '../store/objects/damage.ts';
import { assertPrivate, makeFolders } from '../store/private-folders.ts';
import { ownerState, parseProcessName, processName, processNameText } from '../store/process-name.ts';
import type { CopyPurpose, CopyRecord, CopyRung, ForkRecord, PlanInCopy } from './copy.ts';
import { COPY_RECORD } from './record-shape.ts';

/**
 * - `in-use`: a process that may be alive uses it
 * - `idle`: a fork that no process uses
 * - `stale`: its owner died
 */
export type CopyState = 'in-use' | 'idle' | 'stale';

export interface ListedCopy {
  readonly record: CopyRecord;
  readonly state: CopyState;
}

export interface CopyList {
  /** Oldest first. */
  readonly copies: readonly ListedCopy[];
  /** What interrupted creations and removals left, which no live process works on. */
  readonly leftovers: readonly DiskPath[];
  /** Copies whose record cannot be read. They are never removed on their own. */
  readonly problems: readonly SavepointError[];
}

/** A folder that is being made below the folder of all copies. */
interface FolderInMaking<Id extends string> {
  readonly id: Id;
  /** It exists and is private. */
  readonly place: DiskPath;
}

/** A copy that is being made. */
export interface CopyInMaking extends FolderInMaking<CopyId> {
  /** Makes it exist. */
  publish(record: CopyRecord): void;
  /** Removes everything. */
  abandon(): void;
}

/** The folder of all copies. */
export function copiesIn(home: DiskPath): DiskPath {
  return diskChild(home, 'copies');
}

/** Makes the folder of all copies, unless it exists. */
export function makeCopiesFolder(ports: Ports, home: DiskPath): DiskPath {
  const copies = copiesIn(home);
  makeFolders(ports.fs, copies, 0o700);
  assertPrivate(ports, copies);
  return copies;
}

export function belowIn(home: DiskPath, id: BelowId): DiskPath {
  return diskChild(copiesIn(home), id);
}

export function beginCopy(ports: Ports, home: DiskPath): CopyInMaking {
  const { id, place, complete, abandon } = beginFolder<CopyId>(ports, makeCopiesFolder(ports, home), 'copy');
  return {
    ...{ id, place, abandon },
    publish: (record) => {
      writeCopyRecord(ports, record);
      complete();
    },
  };
}

/** A folder for overlays to share. It is in use as long as a record names it. */
export interface BelowInMaking extends FolderInMaking<BelowId> {
  /** Call it when the records that name it exist. */
  complete(): void;
  abandon(): void;
}

export function beginBelow(ports: Ports, home: DiskPath): BelowInMaking {
  return beginFolder<BelowId>(ports, makeCopiesFolder(ports, home), 'below');
}

/** A folder to try something out in. @param copies the folder of all copies, which exists */
export function beginProbe(ports: Ports, copies: DiskPath): Pick<BelowInMaking, 'place' | 'abandon'> & { id: string } {
  return beginFolder<string>(ports, copies, 'probe');
}

/** Replaces the record, for example when another process uses the copy. The caller holds the lock of the workspace. */
export function writeCopyRecord({ fs }: Ports, record: CopyRecord): void {
  const { place, root, base, created, fork, ...others } = record;
  const json = {
    format: 1,
    ...others,
    root: nameToJson(root),
    base,
    created: new Date(created).toISOString(),
    fork: fork && { ...fork, worktrees: fork.worktrees.map((one) => ({ ...one, path: nameToJson(one.path) })) },
  };
  durableWrite(fs, diskChild(place, RECORD), Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

export function listCopies(ports: Ports, home: DiskPath): CopyList {
  const folder = copiesIn(home);
  const copies: ListedCopy[] = [];
  const leftovers: DiskPath[] = [];
  const problems: SavepointError[] = [];
  const shared: DiskPath[] = [];
  const names = [...listIfExists(ports.fs, folder)].sort();
  if (names.length > 0) assertPrivate(ports, folder);
  const announced = new Set(names.flatMap((name) => announcedBy(ports, name) ?? []));
  for (const name of names) {
    const path = diskChild(folder, name);
    if (ANNOUNCEMENT.test(name)) {
      if (announcedBy(ports, name) === null) leftovers.push(path);
      continue;
    }
    if (BELOW_ID.test(name) && !announced.has(name)) shared.push(path);
    if (PROBE_ID.test(name) && !announced.has(name)) leftovers.push(path);
    if (!COPY_ID.test(name)) continue;
    try {
      const record = readRecord(ports, path, name as string as CopyId);
      if (record !== null) copies.push({ record, state: stateOf(ports, record) });
      else if (!announced.has(name)) leftovers.push(path);
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
      problems.push(error);
    }
  }
  copies.sort((a, b) => a.record.created - b.record.created);
  const used = new Set(copies.flatMap(({ record: { below } }) => (below === null ? [] : belowIn(home, below))));
  // A record that cannot be read may name any of them.
  if (problems.length === 0) leftovers.push(...shared.filter((path) => !used.has(path)));
  return { copies, leftovers, problems };
}

/** Returns null if it does not exist, or not any more. @throws SavepointError STORE_DAMAGED */
export function readCopyRecord(ports: Ports, home: DiskPath, id: CopyId): CopyRecord | null {
  return COPY_ID.test(id) ? readRecord(ports, diskChild(copiesIn(home), id), id) : null;
}

/** The same by its folder, of which only the name is checked. @throws SavepointError STORE_DAMAGED */
export function readCopyAt(ports: Pick<Ports, 'fs'>, place: DiskPath): CopyRecord | null {
  return readRecord(ports, place, place.slice(place.lastIndexOf('/') + 1) as CopyId);
}

/** Ends what R1 says. Durable on return. Its folder is a leftover then. */
export function removeCopyRecord({ fs }: Pick<Ports, 'fs'>, place: DiskPath): void {
  if (removeIfExists(fs, diskChild(place, RECORD))) syncFolder(fs, place);
}

/** Ends nothing: its processes and its mount must have ended. A crash in between leaves a leftover, not half a copy. */
export function removeCopy(ports: Ports, place: DiskPath): void {
  removePlace(ports, place);
}

/** Removes what processes that died left. @returns what could not be removed */
export function removeLeftovers(ports: Ports, home: DiskPath): readonly DiskPath[] {
  const first = listCopies(ports, home).leftovers;
  if (first.length === 0) return [];
  // A listing may have missed the announcement of a copy that was begun meanwhile. The second one cannot.
  const second = new Set(listCopies(ports, home).leftovers);
  return first.filter((path) => {
    if (!second.has(path)) return false;
    try {
      if (ANNOUNCEMENT.test(path.slice(path.lastIndexOf('/') + 1))) removeIfExists(ports.fs, path);
      else removePlace(ports, path);
      return false;
    } catch (error) {
      if (error instanceof FsError) return true;
      throw error;
    }
  });
}

/** Such a copy may hold work that exists nowhere else: it is removed only when somebody asks for it. */
export function mayHoldWork({ purpose }: Pick<CopyRecord, 'purpose'>): boolean {
  return HOLDS_WORK.has(purpose);
}

/** Looks again, for callers without the lock: a process may have opened the copy since it was listed. */
export function isStillStale(ports: Ports, home: DiskPath, id: CopyId): boolean {
  const record = readCopyRecord(ports, home, id);
  return record !== null && stateOf(ports, record) === 'stale';
}

function beginFolder<Id extends string>(
  ports: Ports,
  copies: DiskPath,
  kind: 'copy' | 'below' | 'probe',
): FolderInMaking<Id> & { complete(): void; abandon(): void } {
  const { fs } = ports;
  const id = `${kind}_${ports.random.hex(4)}` as Id;
  const place = diskChild(copies, id);
  const announcement = diskChild(copies, announcementName(id, ports.processes.self()));
  fs.close(fs.openNew(announcement, 0o600));
  const abandon = (): void => {
    removePlace(ports, place);
    removeIfExists(fs, announcement);
  };
  try {
    fs.makeFolder(place, 0o700);
  } catch (error) {
    // Never the folder of another copy, however unlikely the same id is.
    removeIfExists(fs, announcement);
    throw error;
  }
  return {
    id,
    place,
    complete: () => {
      syncFolder(fs, copies);
      removeIfExists(fs, announcement);
    },
    abandon,
  };
}

const RECORD = 'copy.json';
const RECORD_BYTES = 1024 * 1024;
const ANNOUNCEMENT = /^((?:copy|below|probe)_[0-9a-f]{8})\.(.+)$/;
const PROBE_ID = /^probe_[0-9a-f]{8}$/;
const HOLDS_WORK: ReadonlySet<CopyPurpose> = new Set(['try', 'isolated', 'fork', 'guard']);
const NOT_A_RECORD = ['EFBIG', 'EINVAL', 'ELOOP', 'EISDIR', 'EACCES', 'EIO'] as const;

interface RecordJson {
  readonly purpose: CopyPurpose;
  readonly rung: CopyRung;
  readonly workspace: WorkspaceId;
  readonly root: JsonName;
  readonly base: CheckpointId;
  readonly created: string;
  readonly name: string | null;
  readonly owner: ProcessIdentity | null;
  readonly holder: ProcessIdentity | null;
  readonly bytes: number;
  readonly below: BelowId | null;
  readonly fork:
    | (Omit<ForkRecord, 'worktrees'> & {
        readonly worktrees: readonly (Omit<ForkRecord['worktrees'][number], 'path'> & { readonly path: JsonName })[];
      })
    | null;
  readonly hasLinkedPackages?: boolean;
  readonly plan?: PlanInCopy | null;
}

function announcementName(id: string, self: ProcessIdentity): string {
  return `${id}.${processNameText(processName(self))}`;
}

/** @returns the copy that a process which may be alive announced; null for other names */
function announcedBy(ports: Ports, name: string): string | null {
  const [, id, text = ''] = ANNOUNCEMENT.exec(name) ?? [];
  const owner = parseProcessName(text);
  return id === undefined || owner === null || ownerState(ports, owner) === 'dead' ? null : id;
}

function stateOf(ports: Ports, { purpose, owner, holder }: CopyRecord): CopyState {
  const isAlive = (process: ProcessIdentity | null): boolean =>
    process !== null && ownerState(ports, processName(process)) !== 'dead';
  if (isAlive(owner) || isAlive(holder)) return 'in-use';
  return purpose === 'fork' ? 'idle' : 'stale';
}

function readRecord({ fs }: Pick<Ports, 'fs'>, place: DiskPath, id: CopyId): CopyRecord | null {
  const file = diskChild(place, RECORD);
  try {
    const json: unknown = JSON.parse(readEntireFile(fs, file, RECORD_BYTES).toString('utf8'));
    COPY_RECORD(json, '');
    const { root, created, fork, ...others } = json as RecordJson;
    const {
      purpose,
      rung,
      workspace,
      base,
      name,
      owner,
      holder,
      bytes,
      below,
      hasLinkedPackages = false,
      plan = null,
    } = others;
    return {
      ...{ id, purpose, rung, workspace, base, name, owner, holder, bytes, below, place, hasLinkedPackages, plan },
      root: diskPathFromJson(root),
      created: Date.parse(created),
      fork: fork && {
        branch: fork.branch,
        worktrees: fork.worktrees.map((one) => ({ ...one, path: nameFromJson(one.path) as TreePath })),
        port: fork.port,
        plan: fork.plan,
        planFingerprint: fork.planFingerprint ?? null,
      },
    };
  } catch (cause) {
    if (isFsError(cause, 'ENOENT', 'ENOTDIR')) return null;
    const isDamage =
      cause instanceof SyntaxError || cause instanceof FormatProblem || isFsError(cause, ...NOT_A_RECORD);
    if (!isDamage) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SavepointError(
      'STORE_DAMAGED',
      `The record of the copy ${showName(file)} cannot be read: ${why}`,
      { file: nameToJson(file) },
      { hint: `If its files are not needed, delete the folder ${showName(place)}.` },
    );
  }
}

function removePlace({ fs }: Ports, place: DiskPath): void {
  if (fs.lstat(place) === null) return;
  removeCopyRecord({ fs }, place);
  try {
    removeTree(fs, place);
  } catch (error) {
    // Another process removes the same leftover.
    if (!(error instanceof FsError) || fs.lstat(place) !== null) throw error;
  }
}
