/** Maps folders to stores: `workspaces/<id>/workspace.json` in the home folder (docs/format.md). */

import { showName } from '../content/show-name.ts';
import { durableWrite, readEntireFile, syncFolder } from '../io/durable-write.ts';
import { type Fs, isFsError, kindOf, type Stat } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import type { WorkspaceId } from '../model/ids.ts';
import { type DiskPath, diskChild, diskParent, diskPathFromJson, type JsonName, nameToJson } from '../model/names.ts';
import { type FolderIdentity, identityOf, sameFolder, stillSameFolder } from './folder-identity.ts';
import { homeOf, storesIn } from './home.ts';
import { assertPrivate } from './private-folders.ts';
import { type IndexedRecord, removeRecordIndex } from './record-index.ts';

/** Store format that this version writes. It refuses newer formats. */
export const STORE_FORMAT = 1;

export interface WorkspaceRecord extends IndexedRecord {
  /** Numbers up to this one may have been used by checkpoints that no longer exist. */
  readonly lastNumber: number;
  readonly created: number;
}

interface RecordJson {
  readonly format: number;
  readonly id: WorkspaceId;
  readonly path: JsonName;
  readonly device: number | null;
  readonly inode: number | null;
  readonly born: number | null;
  readonly lastNumber: number;
  readonly created: string;
}

const RECORD_BYTES = 64 * 1024;

export interface RecordList {
  readonly records: readonly WorkspaceRecord[];
  /** One for each store that cannot be used. */
  readonly problems: readonly SavepointError[];
}

/** Reads every record in `home`. Stores that cannot be read are reported in `problems`. */
export function listRecords(ports: Ports, home: DiskPath): RecordList {
  const folder = storesIn(home);
  if (ports.fs.lstat(folder) === null) return { records: [], problems: [] };
  assertPrivate(ports, home);
  assertPrivate(ports, folder);
  const records: WorkspaceRecord[] = [];
  const problems: SavepointError[] = [];
  for (const name of [...ports.fs.list(folder)].sort()) {
    if (!/^[0-9a-f]{32}$/.test(name)) continue;
    try {
      const record = readRecord(ports, diskChild(folder, name));
      // A store without a record: its creation was interrupted, or is in progress.
      if (record !== null) records.push(record);
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
      problems.push(error);
    }
  }
  return { records, problems };
}

/** Returns null if the creation of the store was interrupted before its record existed. */
export function readRecord(ports: Ports, storePath: DiskPath): WorkspaceRecord | null {
  const file = diskChild(storePath, 'workspace.json');
  if (ports.fs.lstat(file) === null) return null;
  let json: Partial<RecordJson>;
  try {
    json = JSON.parse(readEntireFile(ports.fs, file, RECORD_BYTES).toString('utf8')) as Partial<RecordJson>;
  } catch (cause) {
    if (isFsError(cause)) throw cause;
    throw damaged(file, cause);
  }
  if (typeof json.format === 'number' && json.format > STORE_FORMAT) {
    throw new SavepointError(
      'STORE_TOO_NEW',
      `The store ${showName(storePath)} has format ${json.format}; this version supports ${STORE_FORMAT}.`,
      {
        found: json.format,
        known: STORE_FORMAT,
        path: nameToJson(storePath),
      },
    );
  }
  if (json.format !== STORE_FORMAT || typeof json.id !== 'string' || json.path === undefined) throw damaged(file, null);
  const { device, inode, born, lastNumber } = json;
  return {
    id: json.id,
    path: diskPathFromJson(json.path),
    identity: typeof device === 'number' && typeof inode === 'number' ? { device, inode, born: born ?? 0 } : null,
    lastNumber: typeof lastNumber === 'number' && Number.isSafeInteger(lastNumber) ? lastNumber : 0,
    created: Date.parse(json.created ?? ''),
    storePath,
  };
}

/** If the path or the identity changes, the caller holds the lock of the home folder. */
export function writeRecord(ports: Ports, record: WorkspaceRecord): void {
  removeRecordIndex(ports, homeOf(record.storePath));
  const json: RecordJson = {
    format: STORE_FORMAT,
    id: record.id,
    path: nameToJson(record.path),
    device: record.identity?.device ?? null,
    inode: record.identity?.inode ?? null,
    born: record.identity?.born ?? null,
    lastNumber: record.lastNumber,
    created: new Date(record.created).toISOString(),
  };
  const text = `${JSON.stringify(json, null, 2)}\n`;
  durableWrite(ports.fs, diskChild(record.storePath, 'workspace.json'), Buffer.from(text), 0o600);
}

/** Makes a record durable before the caller relies on it: the process that wrote it may have died right after. */
export function syncRecord({ fs }: Ports, storePath: DiskPath): void {
  syncFolder(fs, storePath);
}

export type FoundRecord<Row extends IndexedRecord = WorkspaceRecord> =
  | { readonly kind: 'path'; readonly record: Row; readonly isRecreated: boolean }
  /** The folder was moved here; the record still has the old path. */
  | { readonly kind: 'moved'; readonly record: Row; readonly to: DiskPath; readonly identity: FolderIdentity };

/**
 * Finds the store for `folder`: that of the nearest enclosing folder that has one.
 * @param folder a real path; it need not exist any more
 */
export function findRecord<Row extends IndexedRecord>(
  ports: Ports,
  records: readonly Row[],
  folder: DiskPath,
): FoundRecord<Row> | null {
  const byPath = new Map(records.map((record) => [record.path, record]));
  for (let at: DiskPath | null = folder; at !== null; at = diskParent(at)) {
    const stat = lstatOrNull(ports.fs, at);
    const identity = stat !== null && kindOf(stat) === 'folder' ? identityOf(stat) : null;
    const record = byPath.get(at);
    if (record !== undefined && (identity === null || stillSameFolder(record.identity, identity))) {
      return { kind: 'path', record, isRecreated: false };
    }
    // Another workspace may have been moved to the path of one that was moved away or removed.
    const moved = identity === null ? undefined : records.find((other) => sameFolder(other.identity, identity));
    if (moved !== undefined && identity !== null) {
      const old = lstatOrNull(ports.fs, moved.path);
      if (old !== null && sameFolder(identityOf(old), identity))
        return { kind: 'path', record: moved, isRecreated: false };
      return { kind: 'moved', record: moved, to: at, identity };
    }
    if (record !== undefined) return { kind: 'path', record, isRecreated: true };
  }
  return null;
}

/** Returns null for a folder that does not exist or that we cannot access, such as one above a workspace. */
function lstatOrNull(fs: Fs, path: DiskPath): Stat | null {
  try {
    return fs.lstat(path);
  } catch (error) {
    if (isFsError(error, 'EACCES', 'EPERM', 'ENOENT')) return null;
    throw error;
  }
}

function damaged(file: DiskPath, cause: unknown): SavepointError {
  return new SavepointError(
    'STORE_DAMAGED',
    `${showName(file)} is not a readable workspace record.`,
    { file: nameToJson(file) },
    { cause },
  );
}
