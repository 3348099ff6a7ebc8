/** Makes plain copies of what an operation replaces or removes, which a user can copy back without any tool. */

import { diskState } from '../io/disk-state.ts';
import { FolderWalk } from '../io/folder-walk.ts';
import { type Fs, isFsError } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
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
import { type BesideRecord, hasContent, readBesideRecords, writeBesideRecord } from '../store/own-paths.ts';
import type { BackupFile } from './late-writes.ts';
import { isExpectedError } from './outcome.ts';
import { ForeignContent, writeEntry } from './site.ts';
import { isModeChangeOnly } from './steps.ts';
import type { Transition } from './transition.ts';

/** Where plain copies go: into the store, or next to each file. */
export type BackupLocation = 'store' | 'beside';

/** What to copy, and where the copies go. */
export interface BackupInput {
  readonly ports: Ports;
  readonly layout: StoreLayout;
  /** The workspace's folder. */
  readonly root: DiskPath;
  readonly objects: ObjectReader;
  /** Name of the operation's backups, not yet in use. */
  readonly name: string;
  readonly transitions: readonly Transition[];
}

/** Name of an operation's backups. It contains the number of the checkpoint before the operation. */
const FOLDER = /^cp_(\d+)-[0-9a-f]+$/;
/** Maximum bytes of the original name. The suffix must fit as well. */
const MAX_NAME_BYTES = 180;

/**
 * Copies the files that a transaction replaces or removes, under their own names. The copies are not synced one by one:
 * they are for users without a tool, and the store has the contents durably.
 */
export async function saveBackups({
  ports: { fs },
  layout,
  objects,
  name,
  transitions,
}: Omit<BackupInput, 'root'>): Promise<readonly BackupFile[]> {
  const backups: BackupFile[] = [];
  const made = new Set<string>();
  const folderFor = (path: TreePath): DiskPath => {
    const folder =
      path === '' ? diskChild(layout.backups, name) : diskChild(folderFor(parentPath(path)), baseName(path));
    if (!made.has(folder)) fs.makeFolder(folder, 0o700);
    made.add(folder);
    return folder;
  };
  for (const { path, from, to } of transitions) {
    if (from?.kind !== 'file' || isModeChangeOnly(from, to)) continue;
    const backup = diskChild(folderFor(parentPath(path)), baseName(path));
    fs.close(await writeEntry(fs, backup, { ...from, mode: 0o600 }, objects));
    backups.push({ path, backup });
  }
  return backups;
}

/**
 * Copies each file next to the original, for example as `a.ts.bak`. Existing files stay: the next free number is used.
 * @throws ForeignContent if another program takes a name at that very moment; FsError
 */
export async function saveBackupsBeside(input: BackupInput): Promise<readonly BackupFile[]> {
  const { ports, layout, root, objects, name, transitions } = input;
  const walk = new FolderWalk(ports.fs, root);
  try {
    const copies = transitions.flatMap(({ path, from, to }) =>
      from?.kind === 'file' && !isModeChangeOnly(from, to)
        ? [{ path, from, beside: freeName(walk, ports.fs, path) }]
        : [],
    );
    if (copies.length === 0) return [];
    writeBesideRecord(ports, layout, {
      name,
      files: copies.map(({ beside, from }) => ({ path: beside, id: from.id })),
    });
    for (const { beside, from } of copies) {
      const disk = walk.child(beside);
      if (disk === null) throw new ForeignContent(beside, 'its folder no longer exists');
      const copy = await writeEntry(ports.fs, disk, from, objects).catch((error: unknown) => {
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
 * Removes the backups of some paths and of some contents, wherever they are. A copy next to its file is removed only if
 * its content has not changed.
 * @param paths with everything below them
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
    const files = record.files.filter(({ id }) => contents.has(id));
    if (files.length === 0) continue;
    removeBackupsBeside(ports, root, { ...record, files });
    writeBesideRecord(ports, layout, { ...record, files: record.files.filter((file) => !files.includes(file)) });
  }
  for (const name of fs.list(layout.backups)) {
    if (!FOLDER.test(name)) continue;
    const folder = diskChild(layout.backups, name);
    removeCopies(
      ports,
      folder,
      WORKSPACE_ITSELF,
      (path, id) => contents.has(id) || paths.some((one) => isWithin(path, one)),
    );
  }
}

/**
 * Removes the backups of operations whose checkpoint before is gone. A copy next to its file is removed only if its
 * content has not changed.
 * @param isKept whether the checkpoint with this number is kept
 */
export function dropBackups(
  ports: Ports,
  layout: StoreLayout,
  root: DiskPath,
  isKept: (checkpoint: number) => boolean,
): void {
  const isOld = (name: string): boolean => {
    const number = FOLDER.exec(name)?.[1];
    return number !== undefined && !isKept(Number(number));
  };
  for (const record of readBesideRecords(ports, layout)) {
    if (!isOld(record.name)) continue;
    removeBackupsBeside(ports, root, record);
    ports.fs.unlink(diskChild(layout.backups, `${record.name}.beside`));
  }
  for (const name of ports.fs.list(layout.backups)) {
    if (isOld(name)) removeTree(ports.fs, diskChild(layout.backups, name));
  }
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

function removeBackupsBeside(ports: Ports, root: DiskPath, { files }: BesideRecord): void {
  if (ports.fs.lstat(root) === null) return;
  const walk = new FolderWalk(ports.fs, root);
  try {
    for (const { path, id } of files) {
      try {
        const disk = walk.child(path);
        if (disk !== null && hasContent(ports, disk, id)) ports.fs.unlink(disk);
      } catch (error) {
        // A link is in the way, or the folder is not writable: from now on the copy is a file of the user's.
        if (!isExpectedError(error)) throw error;
      }
    }
  } finally {
    walk.close();
  }
}
