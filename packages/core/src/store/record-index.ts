/**
 * Finds a store without reading the record of every store: `workspaces.json` in the home folder (docs/format.md). It is
 * a cache. Invariants:
 *
 * I1 It is written only under the lock of the home folder, from a list made under that lock.
 * I2 No process changes the path or the identity in a record while the index is valid, or while it has a row for that
 *    store: it invalidates the index and removes the row first, durably.
 * I3 The index is valid only while the folder of the stores is unchanged since it was listed, and only if every record
 *    was valid. A store without a record is not in it: when the store gets one, I2 invalidates the index.
 * I4 An invalid index keeps the rows of the other stores. If a record is damaged, its row is evidence of the folder that
 *    the store belongs to.
 *
 * So the index can be stale only if a user edits records by hand. Code that finds a store in the index also reads that
 * store's record. Code that finds none reads all records.
 */

import { durableWrite, readEntireFile, syncFolder } from '../io/durable-write.ts';
import { FsError, isFsError } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import type { WorkspaceId } from '../model/ids.ts';
import { type DiskPath, diskChild, diskPathFromJson, type JsonName, nameToJson } from '../model/names.ts';
import type { FolderIdentity } from './folder-identity.ts';
import { storePathIn, storesIn } from './home.ts';
import { isJsonName } from './json-shape.ts';
import { writeCacheFile } from './state/cache-file.ts';

/** The data needed to find a store. */
export interface IndexedRecord {
  readonly id: WorkspaceId;
  /** Real path of the workspace folder. */
  readonly path: DiskPath;
  readonly identity: FolderIdentity | null;
  readonly storePath: DiskPath;
}

/** State of the folder of the stores when it was listed. */
type FolderStamp = readonly [device: number, inode: number, modified: number, changed: number];

type IndexRow = readonly [id: string, path: JsonName, device: number | null, inode: number | null, born: number | null];

interface IndexJson {
  readonly format: 1;
  readonly folder: FolderStamp;
  readonly workspaces: readonly IndexRow[];
}

interface ListedRecords {
  /** With `damage`, if the record is damaged and a copy is used. */
  readonly records: readonly (IndexedRecord & { readonly damage?: unknown })[];
  readonly problems: readonly unknown[];
  readonly unusable: readonly { readonly id: WorkspaceId }[];
}

const INDEX_FILE = 'workspaces.json';
const MAX_BYTES = 64 * 1024 * 1024;
/** Of an invalid index: no folder has it. */
const NO_FOLDER: FolderStamp = [-1, -1, -1, -1];

/** @returns null if there is no valid index */
export function readRecordIndex({ fs }: Ports, home: DiskPath): readonly IndexedRecord[] | null {
  const json = readIndexJson(fs, home);
  const now = folderStampOf(fs, home);
  if (json === null || now === null || !isSame(json.folder, now)) return null;
  return recordsIn(json, home);
}

/** Returns what is known of stores whose own records are damaged, even if the index is invalid. */
export function readOldIndex({ fs }: Ports, home: DiskPath): readonly IndexedRecord[] {
  const json = readIndexJson(fs, home);
  return json === null ? [] : recordsIn(json, home);
}

/**
 * Lists the stores and writes the index. If a record is damaged, the index is invalid and keeps the row of that store.
 * The caller holds the lock of the home folder.
 * @param list reads every record
 */
export function writeRecordIndex({ fs }: Ports, home: DiskPath, list: () => ListedRecords): void {
  const stamp = folderStampOf(fs, home);
  // Listed after the folder's stamp is taken, so that a change in between invalidates the index.
  const { records, problems, unusable } = list();
  if (stamp === null) return;
  const damaged = new Set<string>(
    [...unusable, ...records.filter(({ damage }) => damage !== undefined)].map(({ id }) => id),
  );
  const workspaces = records.filter(({ id }) => !damaged.has(id)).map(rowOf);
  if (damaged.size > 0) workspaces.push(...rowsIn(fs, home).filter(([id]) => damaged.has(id)));
  const folder = problems.length === 0 ? stamp : NO_FOLDER;
  writeCacheFile(fs, diskChild(home, INDEX_FILE), bytesOf({ format: 1, folder, workspaces }));
}

/**
 * Call it before the record of a store changes, or before the store is removed. The caller holds the lock of the home
 * folder. Durable, so that no power cut restores the index.
 */
export function invalidateRecordIndex({ fs }: Ports, home: DiskPath, id: WorkspaceId): void {
  const file = diskChild(home, INDEX_FILE);
  const workspaces = rowsIn(fs, home).filter((row) => row[0] !== id);
  try {
    if (workspaces.length > 0) {
      durableWrite(fs, file, bytesOf({ format: 1, folder: NO_FOLDER, workspaces }), 0o600);
      return;
    }
  } catch (error) {
    // Such as a full disk: evidence is less important than I2.
    if (!isFsError(error)) throw error;
  }
  if (removeIfExists(fs, file)) syncFolder(fs, home);
}

function rowOf({ id, path, identity }: IndexedRecord): IndexRow {
  const { device, inode, born } = identity ?? { device: null, inode: null, born: null };
  return [id, nameToJson(path), device, inode, born];
}

function rowsIn(fs: Ports['fs'], home: DiskPath): readonly IndexRow[] {
  return readIndexJson(fs, home)?.workspaces ?? [];
}

function bytesOf(json: IndexJson): Buffer {
  return Buffer.from(JSON.stringify(json));
}

function recordsIn(json: IndexJson, home: DiskPath): readonly IndexedRecord[] {
  return json.workspaces.map(([id, path, device, inode, born]) => ({
    id: id as WorkspaceId,
    path: diskPathFromJson(path),
    identity: device === null || inode === null ? null : { device, inode, born: born ?? 0 },
    storePath: storePathIn(home, id as WorkspaceId),
  }));
}

function readIndexJson(fs: Ports['fs'], home: DiskPath): IndexJson | null {
  try {
    const bytes = readEntireFile(fs, diskChild(home, INDEX_FILE), MAX_BYTES);
    const json = JSON.parse(bytes.toString('utf8')) as Partial<IndexJson> | null;
    const isValid = json?.format === 1 && isFolderStamp(json.folder) && Array.isArray(json.workspaces);
    return isValid && json.workspaces?.every(isRow) === true ? (json as IndexJson) : null;
  } catch (error) {
    if (error instanceof FsError || error instanceof SyntaxError) return null;
    throw error;
  }
}

function isRow(row: unknown): boolean {
  if (!Array.isArray(row) || row.length !== 5) return false;
  const [id, path, ...numbers] = row as readonly unknown[];
  return (
    typeof id === 'string' &&
    /^[0-9a-f]{32}$/.test(id) &&
    isJsonName(path) &&
    !diskPathFromJson(path).includes('\0') &&
    numbers.every((number) => number === null || typeof number === 'number')
  );
}

function isFolderStamp(folder: unknown): folder is FolderStamp {
  return Array.isArray(folder) && folder.length === 4 && folder.every((number) => typeof number === 'number');
}

function folderStampOf(fs: Ports['fs'], home: DiskPath): FolderStamp | null {
  try {
    const stat = fs.lstat(storesIn(home));
    return stat === null ? null : [stat.dev, stat.ino, stat.mtimeMs, stat.ctimeMs];
  } catch (error) {
    if (isFsError(error)) return null;
    throw error;
  }
}

function isSame(a: FolderStamp, b: FolderStamp): boolean {
  return a.every((value, at) => value === b[at]);
}
