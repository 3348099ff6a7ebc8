/** Backups: plain copies of what an operation replaces or removes, which a user can copy back without any tool. */

import { diskState } from '../io/disk-state.ts';
import { FolderWalk } from '../io/folder-walk.ts';
import { type Fs, isFsError } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import type { FileEntry } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import {
  baseName,
  childPath,
  type DiskPath,
  diskChild,
  isWithin,
  type Name,
  nameOf,
  parentPath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import type { StoreLayout } from '../store/layout.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { type BesideBackup, hasContent, readBesideRecords, writeBesideRecord } from '../store/own-paths.ts';
import type { BackupFile } from './late-writes.ts';
import { isExpectedError } from './outcome.ts';
import { ForeignContent, writeEntry } from './site.ts';
import { hasSameContent } from './steps.ts';
import type { Transition } from './transition.ts';

/** Where plain copies go: into the store, or next to each file. */
export type BackupLocation = 'store' | 'beside';

export interface BackupInput {
  readonly ports: Ports;
  readonly layout: StoreLayout;
  /** The workspace's folder. */
  readonly root: DiskPath;
  readonly objects: ObjectReader;
  /** Name of the operation's backups: `cp_<n>-<hex>` (see `BACKUPS_NAME`), not yet in use. */
  readonly name: string;
  /** What the operation does. The files that it replaces or removes are copied. */
  readonly transitions: readonly Transition[];
}

/**
 * In the folder `backups` of the store, this is the folder with an operation's copies, or the record of its copies next
 * to files, with the suffix `.beside`. The number is that of the checkpoint before the operation.
 */
const BACKUPS_NAME = /^cp_(\d+)-[0-9a-f]+$/;
/** Maximum bytes of the original name, so that the suffix fits as well. */
const MAX_NAME_BYTES = 180;

/**
 * Copies the files into the store, under their own names. The copies are not synced, because the objects of the store
 * contain the same bytes durably.
 */
export async function saveBackups({
  ports: { fs },
  layout,
  objects,
  name,
  transitions,
}: Omit<BackupInput, 'root'>): Promise<readonly BackupFile[]> {
  const backups: BackupFile[] = [];
  const madeFolders = new Set<DiskPath>();
  const folderFor = (path: TreePath): DiskPath => {
    const folder =
      path === '' ? diskChild(layout.backups, name) : diskChild(folderFor(parentPath(path)), baseName(path));
    if (!madeFolders.has(folder)) fs.makeFolder(folder, 0o700);
    madeFolders.add(folder);
    return folder;
  };
  for (const { path, file } of filesToCopy(transitions)) {
    const backup = diskChild(folderFor(parentPath(path)), baseName(path));
    fs.close(await writeEntry(fs, backup, { ...file, mode: 0o600 }, objects));
    backups.push({ path, backup });
  }
  return backups;
}

/**
 * Copies each file next to the original, for example as `a.ts.bak`. Existing files stay: the next free number is used.
 * @throws ForeignContent if another program creates a file under the same name meanwhile, or removes the folder; FsError
 */
export async function saveBackupsBeside(input: BackupInput): Promise<readonly BackupFile[]> {
  const { ports, layout, root, objects, name, transitions } = input;
  const walk = new FolderWalk(ports.fs, root);
  try {
    const copies = filesToCopy(transitions).map(({ path, file }) => {
      return { path, file, beside: freeName(walk, ports.fs, path) };
    });
    if (copies.length === 0) return [];
    // Recorded first, so that no capture mistakes a copy for a file of the user's.
    writeBesideRecord(ports, layout, {
      name,
      files: copies.map(({ beside, file }) => ({ path: beside, id: file.id })),
    });
    for (const { beside, file } of copies) {
      const disk = walk.child(beside);
      if (disk === null) throw new ForeignContent(beside, 'its folder no longer exists');
      const copy = await writeEntry(ports.fs, disk, file, objects).catch((error: unknown) => {
        if (isFsError(error, 'EEXIST')) throw new ForeignContent(beside, 'another program wrote to it meanwhile');
        throw error;
      });
      ports.fs.close(copy);
      walk.assertParentsUnchanged(beside);
    }
    return copies.map(({ path, beside }) => ({ path, backup: diskChild(root, beside) }));
  } finally {
    walk.close();
  }
}

/**
 * Removes the backups that a purge names. Copies in the store are found by path or by content. Copies next to their
 * files are found only by content, because their record does not contain the original path. Such a copy stays if it was
 * changed since: it is then the user's file.
 * @param paths including everything below them
 * @param contents contents that were only ever at these paths
 */
export function purgeBackups(
  ports: Ports,
  layout: StoreLayout,
  root: DiskPath,
  paths: readonly TreePath[],
  contents: ReadonlySet<ObjectId>,
): void {
  const { fs } = ports;
  for (const record of readBesideRecords(ports, layout)) {
    const purged = record.files.filter(({ id }) => contents.has(id));
    if (purged.length === 0) continue;
    removeBackupsBeside(ports, root, purged);
    writeBesideRecord(ports, layout, { ...record, files: record.files.filter(({ id }) => !contents.has(id)) });
  }
  for (const name of fs.list(layout.backups)) {
    if (!BACKUPS_NAME.test(name)) continue;
    const folder = diskChild(layout.backups, name);
    const isPurged = (path: TreePath, id: ObjectId): boolean =>
      contents.has(id) || paths.some((purged) => isWithin(path, purged));
    removeCopies(ports, folder, WORKSPACE_ITSELF, isPurged);
  }
}

/**
 * Removes an operation's backups if the checkpoint before the operation no longer exists. A copy next to its file stays
 * if it was changed since.
 * @param isKept whether the checkpoint with this number still exists
 */
export function dropBackups(
  ports: Ports,
  layout: StoreLayout,
  root: DiskPath,
  isKept: (checkpoint: number) => boolean,
): void {
  const isDropped = (name: string): boolean => {
    const number = BACKUPS_NAME.exec(name)?.[1];
    return number !== undefined && !isKept(Number(number));
  };
  for (const record of readBesideRecords(ports, layout)) {
    if (!isDropped(record.name)) continue;
    removeBackupsBeside(ports, root, record.files);
    ports.fs.unlink(diskChild(layout.backups, `${record.name}.beside`));
  }
  for (const name of ports.fs.list(layout.backups)) {
    if (isDropped(name)) removeTree(ports.fs, diskChild(layout.backups, name));
  }
}

/** A change of permissions alone needs no copy. */
function filesToCopy(
  transitions: readonly Transition[],
): readonly { readonly path: TreePath; readonly file: FileEntry }[] {
  return transitions.flatMap(({ path, from, to }) =>
    from?.kind === 'file' && !hasSameContent({ from, to }) ? [{ path, file: from }] : [],
  );
}

function freeName(walk: FolderWalk, fs: Fs, path: TreePath): TreePath {
  const folder = parentPath(path);
  const name = baseName(path).slice(0, MAX_NAME_BYTES);
  for (let number = 1; ; number++) {
    const beside = childPath(folder, nameOf(`${name}.bak${number === 1 ? '' : number}`));
    const disk = walk.child(beside);
    if (disk === null || fs.lstat(disk) === null) return beside;
  }
}

/** @param at the original path of the folder */
function removeCopies(
  ports: Ports,
  folder: DiskPath,
  at: TreePath,
  isSelected: (path: TreePath, id: ObjectId) => boolean,
): void {
  const { fs } = ports;
  for (const name of fs.list(folder)) {
    const disk = diskChild(folder, name);
    const path = childPath(at, name as Name);
    const state = diskState(fs, disk);
    if (state.kind === 'folder') removeCopies(ports, disk, path, isSelected);
    else if (state.kind === 'file' && isSelected(path, state.id)) removeIfExists(fs, disk);
  }
}

function removeBackupsBeside(ports: Ports, root: DiskPath, backups: readonly BesideBackup[]): void {
  if (ports.fs.lstat(root) === null) return;
  const walk = new FolderWalk(ports.fs, root);
  try {
    for (const { path, id } of backups) {
      try {
        const disk = walk.child(path);
        if (disk !== null && hasContent(ports, disk, id)) ports.fs.unlink(disk);
      } catch (error) {
        // A link is in the way, or the folder is not writable. The copy stays, and is the user's file from now on.
        if (!isExpectedError(error)) throw error;
      }
    }
  } finally {
    walk.close();
  }
}
