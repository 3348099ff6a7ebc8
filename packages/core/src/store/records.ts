/** Which store belongs to which folder: `workspaces/<id>/workspace.json` under the home folder (docs/format.md). */

import { showName } from '../content/show-name.ts';
import { durableWrite, readWhole, syncFolder } from '../io/durable-write.ts';
import { type Fs, isFsError, kindOf, permissions, type Stat } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import type { WorkspaceId } from '../model/ids.ts';
import { type DiskPath, type JsonName, nameFromJson, nameToJson } from '../model/names.ts';

export const STORE_FORMAT = 1;

/** Evidence that a folder is the one a store was made for. Never an identity: inodes are used again. */
export interface FolderIdentity {
  readonly device: number;
  readonly inode: number;
  /** Milliseconds since 1970; 0 where the file system does not know. */
  readonly born: number;
}

export interface WorkspaceRecord {
  readonly id: WorkspaceId;
  /** Real path of the workspace folder. */
  readonly path: DiskPath;
  readonly identity: FolderIdentity | null;
  /** Numbers up to this one may have been used by checkpoints that are gone. */
  readonly lastNumber: number;
  readonly created: number;
  readonly storePath: DiskPath;
}

interface RecordJson {
  readonly format: number;
  readonly id: string;
  readonly path: JsonName;
  readonly device: number | null;
  readonly inode: number | null;
  readonly born: number | null;
  readonly lastNumber: number;
  readonly created: string;
}

const RECORD_BYTES = 64 * 1024;

export function identityOf(stat: Stat): FolderIdentity {
  return { device: stat.dev, inode: stat.ino, born: Math.round(stat.birthtimeMs) };
}

export function sameFolder(a: FolderIdentity | null, b: FolderIdentity | null): boolean {
  return a !== null && b !== null && a.device === b.device && a.inode === b.inode && a.born === b.born;
}

/**
 * Whether what stands at a path now is the folder that stood there: some systems number devices anew at each start. Only for
 * one path at two times, because a snapshot of a file system has the same inodes and times at another path.
 */
export function stillSameFolder(before: FolderIdentity | null, now: FolderIdentity | null): boolean {
  if (before === null || now === null || before.inode !== now.inode || before.born !== now.born) return false;
  return before.device === now.device || before.born !== 0;
}

/** Throws STORE_UNSAFE unless `path` is a folder of ours that nobody else can enter. */
export function assertPrivate(ports: Ports, path: DiskPath): void {
  const stat = ports.fs.lstat(path);
  if (stat === null)
    throw new SavepointError('STORE_DAMAGED', `The store's folder ${showName(path)} is gone.`, {
      file: nameToJson(path),
    });
  if (kindOf(stat) !== 'folder') {
    throw new SavepointError('STORE_UNSAFE', `The store ${showName(path)} is not a folder (a link is not followed).`, {
      path: nameToJson(path),
    });
  }
  if (ports.platform === 'win32') return; // the profile folder's access list guards it; there are no mode bits
  if (ports.uid !== null && stat.uid !== ports.uid) {
    throw new SavepointError('STORE_UNSAFE', `The store ${showName(path)} belongs to another user (uid ${stat.uid}).`, {
      path: nameToJson(path),
      owner: stat.uid,
    });
  }
  if ((stat.mode & 0o077) !== 0) {
    const mode = permissions(stat).toString(8).padStart(4, '0');
    throw new SavepointError('STORE_UNSAFE', `Others can enter the store ${showName(path)} (mode ${mode}).`, {
      path: nameToJson(path),
      mode,
    });
  }
}

/** A link where the stores are kept could lead anywhere. Links above it are the system's business. */
export function assertNoLink(ports: Ports, home: DiskPath): void {
  const stat = ports.fs.lstat(home);
  if (stat !== null && kindOf(stat) === 'link') {
    throw new SavepointError('STORE_UNSAFE', `The folder of the stores, ${home}, is a link; it is not followed.`, {
      path: home,
    });
  }
}

/** Makes the home folder, private, with missing parents; an existing one must already be private. Durable on return. */
export function prepareHome(ports: Ports, home: DiskPath): void {
  makeFolders(ports.fs, home, 0o700);
  assertPrivate(ports, home);
  const workspaces = `${home}/workspaces` as DiskPath;
  if (ports.fs.lstat(workspaces) === null) makeFolder(ports.fs, workspaces, 0o700);
  assertPrivate(ports, workspaces);
  confirmFolders(ports.fs, workspaces);
}

export function makeFolders(fs: Fs, path: DiskPath, mode: number): void {
  if (fs.lstat(path) !== null) return;
  const cut = path.lastIndexOf('/');
  if (cut > 0) makeFolders(fs, path.slice(0, cut) as DiskPath, mode);
  makeFolder(fs, path, mode);
}

/** Makes a folder durable with all above it: who made some of them may have died before they were. */
export function confirmFolders(fs: Fs, path: DiskPath): void {
  const parent = parentFolder(path);
  if (parent === null) return;
  try {
    syncFolder(fs, parent);
  } catch (error) {
    if (!isFsError(error, 'EACCES', 'EPERM')) throw error; // who may not read a folder makes none in it
  }
  confirmFolders(fs, parent);
}

function makeFolder(fs: Fs, path: DiskPath, mode: number): void {
  try {
    fs.makeFolder(path, mode);
    fs.chmod(path, mode); // whatever the umask took away
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
  const parent = path.slice(0, path.lastIndexOf('/')) as DiskPath;
  syncFolder(fs, parent === '' ? ('/' as DiskPath) : parent);
}

export interface Records {
  readonly records: readonly WorkspaceRecord[];
  /** Of stores that cannot be used. */
  readonly problems: readonly SavepointError[];
}

/** Every record under `home`; a store that cannot be read is left out and named in `problems`. */
export function listRecords(ports: Ports, home: DiskPath): Records {
  const folder = `${home}/workspaces` as DiskPath;
  if (ports.fs.lstat(folder) === null) return { records: [], problems: [] };
  assertPrivate(ports, home);
  assertPrivate(ports, folder);
  const records: WorkspaceRecord[] = [];
  const problems: SavepointError[] = [];
  for (const name of [...ports.fs.list(folder)].sort()) {
    if (!/^[0-9a-f]{32}$/.test(name)) continue;
    try {
      const record = readRecord(ports, `${folder}/${name}` as DiskPath);
      if (record !== null) records.push(record);
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
      problems.push(error);
    }
  }
  return { records, problems };
}

/** Null where the store's making was cut short before its record existed. */
export function readRecord(ports: Ports, storePath: DiskPath): WorkspaceRecord | null {
  const file = `${storePath}/workspace.json` as DiskPath;
  if (ports.fs.lstat(file) === null) return null;
  let json: Partial<RecordJson>;
  try {
    json = JSON.parse(readWhole(ports.fs, file, RECORD_BYTES).toString('utf8')) as Partial<RecordJson>;
  } catch (cause) {
    if (isFsError(cause)) throw cause;
    throw damaged(file, cause);
  }
  if (typeof json.format === 'number' && json.format > STORE_FORMAT) {
    throw new SavepointError(
      'STORE_TOO_NEW',
      `The store ${showName(storePath)} has format ${json.format}; this version knows ${STORE_FORMAT}.`,
      {
        found: json.format,
        known: STORE_FORMAT,
        path: nameToJson(storePath),
      },
    );
  }
  if (json.format !== STORE_FORMAT || typeof json.id !== 'string' || json.path === undefined) throw damaged(file, null);
  const { device, inode, born } = json;
  return {
    id: json.id as WorkspaceId,
    path: nameFromJson(json.path) as DiskPath,
    identity: typeof device === 'number' && typeof inode === 'number' ? { device, inode, born: born ?? 0 } : null,
    lastNumber: Number.isSafeInteger(json.lastNumber) ? (json.lastNumber as number) : 0,
    created: Date.parse(json.created ?? ''),
    storePath,
  };
}

export function writeRecord(ports: Ports, record: WorkspaceRecord): void {
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
  durableWrite(ports.fs, `${record.storePath}/workspace.json` as DiskPath, Buffer.from(text), 0o600);
}

/** Makes a record durable that somebody wrote who may have died a moment later: the caller is going to build on it. */
export function confirmRecord({ fs }: Ports, storePath: DiskPath): void {
  syncFolder(fs, storePath);
}

export type Found =
  | { readonly how: 'path'; readonly record: WorkspaceRecord; readonly madeAnew: boolean }
  /** The folder was moved here; the record still names the old path. */
  | {
      readonly how: 'moved';
      readonly record: WorkspaceRecord;
      readonly to: DiskPath;
      readonly identity: FolderIdentity;
    };

/**
 * The store for `folder`: that of the nearest enclosing folder that has one.
 * @param folder a real path; it need not exist any more
 */
export function findRecord(ports: Ports, records: readonly WorkspaceRecord[], folder: DiskPath): Found | null {
  const byPath = new Map(records.map((record) => [record.path, record]));
  for (let at: DiskPath | null = folder; at !== null; at = parentFolder(at)) {
    const stat = lstatOrNull(ports.fs, at);
    const identity = stat !== null && kindOf(stat) === 'folder' ? identityOf(stat) : null;
    const record = byPath.get(at);
    if (record !== undefined) {
      return { how: 'path', record, madeAnew: identity !== null && !stillSameFolder(record.identity, identity) };
    }
    const moved = identity === null ? undefined : records.find((other) => sameFolder(other.identity, identity));
    if (moved !== undefined && identity !== null) {
      const old = lstatOrNull(ports.fs, moved.path);
      if (old !== null && sameFolder(identityOf(old), identity)) return { how: 'path', record: moved, madeAnew: false };
      return { how: 'moved', record: moved, to: at, identity };
    }
  }
  return null;
}

export function parentFolder(path: DiskPath): DiskPath | null {
  if (path === '/' || path === '') return null;
  const cut = path.lastIndexOf('/');
  return (cut === 0 ? '/' : path.slice(0, cut)) as DiskPath;
}

/** A folder above a workspace may be closed to us; then nothing is known of it. */
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
