/** Folders of the store: private to their owner, and made durably. */

import { showName } from '../content/show-name.ts';
import { syncFolder } from '../io/durable-write.ts';
import { type Fs, isFsError, kindOf, permissions } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskParent, nameToJson } from '../model/names.ts';
import { storesIn } from './home.ts';

/** Throws STORE_UNSAFE unless `path` is a folder of ours that nobody else can enter. */
export function assertPrivate(ports: Ports, path: DiskPath): void {
  const stat = ports.fs.lstat(path);
  if (stat === null)
    throw new SavepointError('STORE_DAMAGED', `The folder of the store, ${showName(path)}, no longer exists.`, {
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
    throw new SavepointError('STORE_UNSAFE', `Other users can access the store ${showName(path)} (mode ${mode}).`, {
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
  const workspaces = storesIn(home);
  if (ports.fs.lstat(workspaces) === null) makeFolder(ports.fs, workspaces, 0o700);
  assertPrivate(ports, workspaces);
  syncAncestors(ports.fs, workspaces);
}

export function makeFolders(fs: Fs, path: DiskPath, mode: number): void {
  if (fs.lstat(path) !== null) return;
  const parent = diskParent(path);
  if (parent !== null) makeFolders(fs, parent, mode);
  makeFolder(fs, path, mode);
}

/** Makes a folder durable with all above it: who made some of them may have died before they were. */
export function syncAncestors(fs: Fs, path: DiskPath): void {
  const parent = diskParent(path);
  if (parent === null) return;
  try {
    syncFolder(fs, parent);
  } catch (error) {
    if (!isFsError(error, 'EACCES', 'EPERM')) throw error; // who may not read a folder makes none in it
  }
  syncAncestors(fs, parent);
}

function makeFolder(fs: Fs, path: DiskPath, mode: number): void {
  try {
    fs.makeFolder(path, mode);
    fs.chmod(path, mode); // whatever the umask took away
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
  const parent = diskParent(path);
  if (parent !== null) syncFolder(fs, parent);
}
