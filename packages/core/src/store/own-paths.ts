/**
 * Files that Savepoint itself puts into a workspace: staging folders and, if configured, backups next to the originals.
 */

import { diskState, matchesEntry } from '../io/disk-state.ts';
import { durableWrite } from '../io/durable-write.ts';
import { FsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import type { ObjectId } from '../model/ids.ts';
import {
  baseName,
  type DiskPath,
  diskChild,
  type JsonName,
  nameToJson,
  parentPath,
  type TreePath,
  treePathFromJson,
} from '../model/names.ts';
import type { StoreLayout } from './layout.ts';
import { stagingFolders } from './staging-names.ts';
import { readCacheJson } from './state/cache-file.ts';

/** A backup next to the original file. */
export interface BesideBackup {
  readonly path: TreePath;
  /** The blob with its content. */
  readonly id: ObjectId;
}

/** `backups/cp_N-<hex>.beside` in the store (docs/format.md). */
export interface BesideRecord {
  readonly name: string;
  readonly files: readonly BesideBackup[];
}

const RECORD = /^(cp_\d+-[0-9a-f]+)\.beside$/;
const RECORD_BYTES = 2 ** 26;

/** Call it before the first of these files is created, so that a capture at any moment recognizes them. */
export function writeBesideRecord({ fs }: Ports, layout: StoreLayout, { name, files }: BesideRecord): void {
  const json = files.map(({ path, id }) => ({ path: nameToJson(path), id }));
  durableWrite(fs, diskChild(layout.backups, `${name}.beside`), Buffer.from(`${JSON.stringify(json)}\n`), 0o600);
}

/** An unreadable record lists no files: a capture then includes more, never less. */
export function readBesideRecords({ fs }: Ports, layout: StoreLayout): readonly BesideRecord[] {
  return fs.list(layout.backups).flatMap((file) => {
    const name = RECORD.exec(file)?.[1];
    return name === undefined ? [] : [{ name, files: readBesideFiles(fs, diskChild(layout.backups, file)) }];
  });
}

/** Paths that captures leave out. A backup also keeps its folder from being removed. */
export class OwnPaths {
  static readonly NONE = new OwnPaths(null, new Set(), new Map());
  readonly #ports: Ports | null;
  readonly #staging: ReadonlySet<string>;
  readonly #beside: ReadonlyMap<TreePath, ObjectId>;
  readonly #folders: ReadonlySet<TreePath>;

  constructor(ports: Ports | null, staging: ReadonlySet<string>, beside: ReadonlyMap<TreePath, ObjectId>) {
    this.#ports = ports;
    this.#staging = staging;
    this.#beside = beside;
    const folders = new Set<TreePath>();
    for (const path of beside.keys()) {
      for (let at = parentPath(path); at !== '' && !folders.has(at); at = parentPath(at)) folders.add(at);
    }
    this.#folders = folders;
  }

  /** Returns whether the path is Savepoint's own. A backup that was modified since is a user's file. */
  has(path: TreePath, disk: DiskPath): boolean {
    if (this.#staging.size > 0 && this.#staging.has(baseName(path))) return true;
    const id = this.#beside.get(path);
    return id !== undefined && this.#ports !== null && hasContent(this.#ports, disk, id);
  }

  /** Returns whether the folder may contain own paths, at any depth. */
  mayBeBelow(folder: TreePath): boolean {
    return this.#staging.size > 0 || (folder === '' ? this.#beside.size > 0 : this.#folders.has(folder));
  }

  /** Returns the folders that contain backups. */
  backupFolders(): readonly TreePath[] {
    return [...this.#beside.keys()].map(parentPath);
  }

  /** Returns whether a backup was put into the folder, at any depth. */
  hasBackupBelow(folder: TreePath): boolean {
    return this.#folders.has(folder);
  }
}

export function ownPaths(ports: Ports, layout: StoreLayout): OwnPaths {
  const records = readBesideRecords(ports, layout);
  const beside = new Map(records.flatMap(({ files }) => files.map(({ path, id }) => [path, id] as const)));
  return new OwnPaths(ports, stagingFolders(ports, layout.journal), beside);
}

export function hasContent({ fs }: Ports, disk: DiskPath, id: ObjectId): boolean {
  try {
    return matchesEntry(diskState(fs, disk), { kind: 'file', id, mode: 0 });
  } catch (error) {
    if (error instanceof FsError) return false;
    throw error;
  }
}

function readBesideFiles(fs: Ports['fs'], path: DiskPath): readonly BesideBackup[] {
  const read = readCacheJson(fs, path, RECORD_BYTES, (json: readonly { path: JsonName; id: string }[]) =>
    json.map((file) => ({ path: treePathFromJson(file.path), id: file.id as ObjectId })),
  );
  return read ?? [];
}
