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
import { formatProblem, isJsonName, matching, objectOf, oneOf, optional, orNull, text } from './json-shape.ts';
import { FormatProblem, isDamage, unlessDamaged } from './objects/damage.ts';
import { assertPrivate } from './private-folders.ts';
import { type IndexedRecord, invalidateRecordIndex } from './record-index.ts';

/** Store format that this version writes. It refuses newer formats. */
export const STORE_FORMAT = 1;

export interface WorkspaceRecord extends IndexedRecord {
  /** Numbers up to this one may have been used by checkpoints that no longer exist. */
  readonly lastNumber: number;
  readonly created: number;
  /** Only if the record is damaged, so that these fields come from its copy. */
  readonly damage?: SavepointError;
}

interface RecordJson {
  readonly format: typeof STORE_FORMAT;
  readonly id: WorkspaceId;
  readonly path: JsonName;
  readonly device: number | null;
  readonly inode: number | null;
  readonly born: number | null;
  readonly lastNumber: number;
  readonly created: string;
}

const RECORD_BYTES = 64 * 1024;
const RECORD_FILE = 'workspace.json';
/** Read only if the record is damaged. Versions that do not know it leave it as it is, so it may be out of date. */
const COPY_FILE = 'workspace.copy.json';
/** Errors that mean that it is not a file, or too large for a record. */
const NOT_A_RECORD = ['EFBIG', 'EINVAL', 'ELOOP', 'EISDIR'];

const RECORD = objectOf({
  format: oneOf(STORE_FORMAT),
  id: matching(/^[0-9a-f]{32}$/),
  path: (value, at) => {
    if (!isJsonName(value) || !isAbsolute(diskPathFromJson(value))) throw formatProblem(at, 'is not a path');
  },
  device: optional(orNull(aNumber)),
  inode: optional(orNull(aNumber)),
  born: optional(orNull(aNumber)),
  lastNumber: optional(orNull(aNumber)),
  created: optional(orNull(text(100))),
});

export interface RecordList {
  readonly records: readonly WorkspaceRecord[];
  /** One for each store whose record is damaged or too new, also if its copy is used. */
  readonly problems: readonly SavepointError[];
  /** The stores of which not even the folder is known. */
  readonly unusable: readonly UnusableStore[];
}

export interface UnusableStore {
  readonly id: WorkspaceId;
  readonly error: SavepointError;
}

/** Reads every record in `home`. Stores that cannot be read are reported in `problems`. */
export function listRecords(ports: Ports, home: DiskPath): RecordList {
  const folder = storesIn(home);
  // Also before the first store: what cannot be recorded must not look like nothing to record.
  if (ports.fs.lstat(home) !== null) assertPrivate(ports, home);
  if (ports.fs.lstat(folder) === null) return { records: [], problems: [], unusable: [] };
  assertPrivate(ports, folder);
  const records: WorkspaceRecord[] = [];
  const problems: SavepointError[] = [];
  const unusable: UnusableStore[] = [];
  for (const name of [...ports.fs.list(folder)].sort()) {
    if (!/^[0-9a-f]{32}$/.test(name)) continue;
    try {
      const record = readRecord(ports, diskChild(folder, name));
      // A store without a record: its creation was interrupted, or is in progress.
      if (record !== null) records.push(record);
      if (record?.damage !== undefined) problems.push(record.damage);
    } catch (cause) {
      // Other errors, such as a lack of handles, say nothing about this store.
      const error = isFsError(cause, 'EIO', 'EACCES', 'EPERM')
        ? damagedRecord(diskChild(folder, `${name}/${RECORD_FILE}`), cause)
        : cause;
      if (!(error instanceof SavepointError)) throw error;
      problems.push(error);
      unusable.push({ id: name as string as WorkspaceId, error });
    }
  }
  return { records, problems, unusable };
}

/**
 * Reads the record; its copy, if the record is damaged. Returns null if the creation of the store was interrupted before
 * its record existed.
 * @throws SavepointError STORE_DAMAGED if the copy cannot be used either, STORE_TOO_NEW
 */
export function readRecord(ports: Ports, storePath: DiskPath): WorkspaceRecord | null {
  try {
    return readRecordFile(ports, storePath, RECORD_FILE);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const copy = unlessDamaged(undefined, () => readRecordFile(ports, storePath, COPY_FILE));
    if (copy === null) throw error;
    return { ...copy, damage: error };
  }
}

/** The caller holds the lock of the home folder. */
export function writeRecord(ports: Ports, record: WorkspaceRecord): void {
  invalidateRecordIndex(ports, homeOf(record.storePath), record.id);
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
  const bytes = Buffer.from(`${JSON.stringify(json, null, 2)}\n`);
  durableWrite(ports.fs, diskChild(record.storePath, RECORD_FILE), bytes, 0o600);
  durableWrite(ports.fs, diskChild(record.storePath, COPY_FILE), bytes, 0o600);
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

function readRecordFile(ports: Ports, storePath: DiskPath, name: string): WorkspaceRecord | null {
  const file = diskChild(storePath, name);
  if (ports.fs.lstat(file) === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(readEntireFile(ports.fs, file, RECORD_BYTES).toString('utf8'));
  } catch (cause) {
    // Other errors, such as a lack of handles, say nothing about the file.
    if (isFsError(cause) && !isFsError(cause, ...NOT_A_RECORD)) throw cause;
    throw damagedRecord(file, cause);
  }
  const format = (json as Partial<RecordJson> | null)?.format;
  if (typeof format === 'number' && format > STORE_FORMAT) {
    throw new SavepointError(
      'STORE_TOO_NEW',
      `The store ${showName(storePath)} has format ${format}; this version supports ${STORE_FORMAT}.`,
      { found: format, known: STORE_FORMAT, path: nameToJson(storePath) },
    );
  }
  try {
    RECORD(json, '');
  } catch (cause) {
    if (cause instanceof FormatProblem) throw damagedRecord(file, cause);
    throw cause;
  }
  const { id, path, device, inode, born, lastNumber, created } = json as RecordJson;
  // A changed bit in the id would give the workspace another store.
  if (storePath.slice(storePath.lastIndexOf('/') + 1) !== id) throw damagedRecord(file, null);
  return {
    id,
    path: diskPathFromJson(path),
    identity: device != null && inode != null ? { device, inode, born: born ?? 0 } : null,
    lastNumber: typeof lastNumber === 'number' && Number.isSafeInteger(lastNumber) ? lastNumber : 0,
    created: Date.parse(created ?? ''),
    storePath,
  };
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

function aNumber(value: unknown, at: string): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw formatProblem(at, 'is not a number');
}

function isAbsolute(path: DiskPath): boolean {
  return !path.includes('\0') && /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function damagedRecord(file: DiskPath, cause: unknown): SavepointError {
  return new SavepointError(
    'STORE_DAMAGED',
    `${showName(file)} is not a readable workspace record.`,
    { file: nameToJson(file) },
    { cause, hint: '`savepoint repair`, run in the folder that the store belongs to, writes it again.' },
  );
}
