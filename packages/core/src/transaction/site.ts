/** Where a transaction works: safe paths in the workspace, its staging folders, and the store with its contents. */

import { diskState, matchesEntry } from '../io/disk-state.ts';
import { FolderWalk } from '../io/folder-walk.ts';
import { type Fd, type Fs, FsError, isFsError, type WholeSync } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import type { FileEntry, LinkEntry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import {
  type DiskPath,
  diskChild,
  isWithin,
  type Name,
  parentPath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { isLeaf } from './steps.ts';
import type { Mount, Transition } from './transition.ts';

/** Holds new files and moved-aside files, both on one file system. Both folders are reached through handles. */
export interface StagingFolder {
  /** The workspace itself, or a mount in it. */
  readonly at: TreePath;
  readonly staged: DiskPath;
  readonly aside: DiskPath;
  /** For everything that the transaction writes into this file system. Null: each file and folder is synced. */
  readonly wholeSync: WholeSync | null;
}

export interface Site {
  readonly fs: Fs;
  readonly walk: FolderWalk;
  /** By slot: the staging folder between which and the slot's path a rename works. */
  readonly stages: readonly StagingFolder[];
  readonly objects: ObjectReader;
  /** Paths that become files or links. Nothing can be below them afterwards. */
  readonly leaves: ReadonlySet<TreePath>;
  /** Paths that were files or links. Nothing can be below them until they become folders. */
  readonly leavesBefore: ReadonlySet<TreePath>;
  /** False if the platform has no permission bits worth comparing. */
  readonly hasModes: boolean;
  close(): void;
}

/** What a transaction will change, and where. */
export interface SiteInput {
  readonly root: DiskPath;
  readonly stage: Name;
  readonly mounts: readonly Pick<Mount, 'path'>[];
  readonly transitions: readonly Transition[];
}

/**
 * Opens the workspace and its staging folders, and creates missing staging folders.
 * @throws FsError if the workspace or a mount is missing, or a staging folder cannot be created
 */
export function openSite(ports: Ports, { root, stage, mounts, transitions }: SiteInput, objects: ObjectReader): Site {
  const { fs } = ports;
  const walk = new FolderWalk(fs, root);
  const handles: Fd[] = [];
  const close = (): void => {
    for (const handle of handles.splice(0)) fs.close(handle);
    walk.close();
  };
  const enter = (path: DiskPath): { readonly handle: Fd; readonly path: DiskPath } => {
    if (fs.lstat(path) === null) {
      fs.makeFolder(path, 0o700);
      fs.chmod(path, 0o700); // regardless of the umask
    }
    const handle = fs.openFolder(path);
    handles.push(handle);
    return { handle, path: fs.folderPath(handle, path) };
  };
  const stageAt = (at: TreePath): StagingFolder => {
    const folder = walk.folder(at);
    if (folder === null) throw new FsError('ENOENT', 'openFolder', diskChild(root, at));
    const { handle, path } = enter(diskChild(folder, stage));
    const wholeSync = fs.wholeSync?.(handle, transitions.length) ?? null;
    return { at, staged: enter(diskChild(path, 'new')).path, aside: enter(diskChild(path, 'old')).path, wholeSync };
  };
  try {
    const top = stageAt(WORKSPACE_ITSELF);
    const others = mounts.map(({ path }) => stageAt(path)).sort((a, b) => b.at.length - a.at.length);
    return {
      fs,
      walk,
      stages: transitions.map(({ path }) => others.find(({ at }) => path !== at && isWithin(path, at)) ?? top),
      objects,
      leaves: leavesOf(transitions, 'to'),
      leavesBefore: leavesOf(transitions, 'from'),
      hasModes: ports.platform !== 'win32',
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Thrown if a path holds neither its old nor its new content: another program wrote there. */
export class ForeignContent extends Error {
  constructor(
    readonly path: TreePath,
    readonly why: string,
  ) {
    super(why);
  }
}

/**
 * Returns where a path can be changed now; null if nothing can exist there.
 * @throws ForeignContent if another program put a link in the way
 */
export function diskPathAt(site: Site, path: TreePath): DiskPath | null {
  try {
    return site.walk.child(path);
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'PATH_REFUSED') throw error;
    if (isBelow(path, site.leaves) || isBelow(path, site.leavesBefore)) return null;
    throw new ForeignContent(path, 'a folder was replaced by a link');
  }
}

/**
 * Like `diskPathAt`, for what needs the parent folder.
 * @throws ForeignContent if that folder is gone, too
 */
export function requireDiskPath(site: Site, path: TreePath): DiskPath {
  const disk = diskPathAt(site, path);
  if (disk === null) throw new ForeignContent(path, 'its folder no longer exists');
  return disk;
}

export function stagedFile({ stages }: Site, slot: number): DiskPath {
  return diskChild(stages[slot]!.staged, `${slot}`);
}

export function asideFile({ stages }: Site, slot: number): DiskPath {
  return diskChild(stages[slot]!.aside, `${slot}`);
}

/** Writes a file's content and permissions into its slot and makes them durable. */
export async function stageFile(site: Site, slot: number, entry: FileEntry): Promise<void> {
  const file = await writeStaged(site, slot, entry);
  try {
    // Otherwise a power cut after the journal could leave the name in the tree without its content.
    site.fs.sync(file);
  } finally {
    site.fs.close(file);
  }
}

/** Writes a file into its slot. Returns it open and not yet durable. */
export function writeStaged(site: Site, slot: number, entry: FileEntry): Promise<Fd> {
  return writeEntry(site.fs, stagedFile(site, slot), entry, site.objects);
}

/** Creates a file with content and permissions. Returns it open and not yet durable. */
export async function writeEntry(fs: Fs, path: DiskPath, { id, mode }: FileEntry, objects: ObjectReader): Promise<Fd> {
  const file = fs.openNew(path, 0o600);
  try {
    let at = 0;
    await objects.copyBlob(id, (chunk) => {
      fs.write(file, chunk, at);
      at += chunk.length;
    });
    fs.fchmod(file, mode);
    return file;
  } catch (error) {
    fs.close(file);
    throw error;
  }
}

/** Stages the file again if a power cut lost or damaged it, or if the process died before it set the permissions. */
export async function ensureStaged(site: Site, slot: number, entry: FileEntry): Promise<void> {
  const path = stagedFile(site, slot);
  const state = diskState(site.fs, path);
  if (matchesEntry(state, entry) && state.kind === 'file' && (!site.hasModes || state.mode === entry.mode)) return;
  if (state.kind !== 'absent') site.fs.unlink(path);
  await stageFile(site, slot, entry);
}

/** A file or link that a transaction places. */
interface PlacedEntry {
  readonly path: TreePath;
  readonly slot: number;
  readonly entry: FileEntry | LinkEntry;
}

/** Creates a file or link at a free name; never replaces. @param target where its path is now */
export function placeEntry(site: Site, target: DiskPath, { path, slot, entry }: PlacedEntry): void {
  const { fs } = site;
  try {
    if (entry.kind === 'link') {
      fs.makeLink(linkTarget(site, entry), target);
    } else {
      moveWithoutReplacing(fs, stagedFile(site, slot), target);
    }
  } catch (error) {
    if (isFsError(error, 'EEXIST')) throw new ForeignContent(path, 'another program wrote to it meanwhile');
    throw error;
  }
}

export function linkTarget(site: Site, entry: LinkEntry): string {
  const object = site.objects.read(entry.id);
  return object.data.toString('latin1');
}

/**
 * Uses link(2) and unlink(2), the only way to set a name that fails if the name is taken. On file systems without hard
 * links, it checks the name and then renames.
 */
export function moveWithoutReplacing(fs: Fs, from: DiskPath, to: DiskPath): void {
  try {
    fs.hardLink(from, to);
  } catch (error) {
    if (!isFsError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL')) throw error;
    if (fs.lstat(to) !== null) throw nameTakenError(error, to);
    fs.rename(from, to);
    return;
  }
  fs.unlink(from);
}

/** Returns the folders whose entries a transaction changed, which must be synced. */
export function touchedFolders(paths: Iterable<TreePath>): ReadonlySet<TreePath> {
  const folders = new Set<TreePath>();
  for (const path of paths) folders.add(path === '' ? path : parentPath(path));
  return folders;
}

/** Makes everything durable that the transaction wrote, if {@link hasWholeSync}. */
export async function syncWhole({ stages }: Site): Promise<void> {
  for (const { wholeSync } of new Set(stages)) await wholeSync?.();
}

/** Whether {@link syncWhole} makes everything durable. */
export function hasWholeSync({ stages }: Site): boolean {
  return stages.length > 0 && stages.every(({ wholeSync }) => wholeSync !== null);
}

export function syncFolders(site: Site, folders: Iterable<TreePath>): void {
  for (const path of folders) {
    if (isBelow(path, site.leaves) || site.leaves.has(path)) continue;
    try {
      site.walk.sync(path);
    } catch (error) {
      // Another program's link is there: nothing of ours was done in it.
      if (!(error instanceof SavepointError) || error.code !== 'PATH_REFUSED') throw error;
    }
  }
}

function isBelow(path: TreePath, leaves: ReadonlySet<TreePath>): boolean {
  for (let at = parentPath(path); at !== ''; at = parentPath(at)) if (leaves.has(at)) return true;
  return false;
}

function leavesOf(transitions: readonly Transition[], end: 'from' | 'to'): ReadonlySet<TreePath> {
  return new Set(transitions.filter((transition) => isLeaf(transition[end])).map(({ path }) => path));
}

function nameTakenError(error: Error, to: DiskPath): Error {
  return Object.assign(error, { code: 'EEXIST', path: to });
}
