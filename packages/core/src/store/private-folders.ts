/** Folders of the store: private to their owner, and created durably. */

import { showName } from '../content/show-name.ts';
import { syncFolder } from '../io/durable-write.ts';
import { type Fs, isFsError, kindOf, permissions } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskParent, nameToJson } from '../model/names.ts';
import { storesIn } from './home.ts';

/**
 * @throws SavepointError STORE_UNSAFE unless `path` is our folder and no other user can access it; STORE_DAMAGED if it
 * no longer exists
 */
export function assertPrivate(ports: Ports, path: DiskPath): void {
  const stat = ports.fs.lstat(path);
  if (stat === null)
    throw new SavepointError('STORE_DAMAGED', `The folder of the store, ${showName(path)}, no longer exists.`, {
      file: nameToJson(path),
    });
  if (kindOf(stat) !== 'folder') {
    throw new SavepointError(
      'STORE_UNSAFE',
      `The store ${showName(path)} is not a folder (Savepoint does not follow links).`,
      {
        path: nameToJson(path),
      },
    );
  }
  if (ports.platform === 'win32') return; // the access list of the profile folder protects it; there are no mode bits
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

/**
 * Throws STORE_UNSAFE if the home folder is a link, because it could point anywhere. Links above it are up to the
 * system.
 */
export function assertNoLink(ports: Ports, home: DiskPath): void {
  const stat = ports.fs.lstat(home);
  if (stat !== null && kindOf(stat) === 'link') {
    throw new SavepointError(
      'STORE_UNSAFE',
      `The folder of the stores, ${home}, is a link. Savepoint does not follow it.`,
      {
        path: home,
      },
    );
  }
}

/**
 * Creates the home folder, private, with missing parents. An existing one must already be private. Durable on return.
 */
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

/** Makes a folder and everything above it durable: a process may have died before it synced the folders it created. */
export function syncAncestors(fs: Fs, path: DiskPath): void {
  const parent = diskParent(path);
  if (parent === null) return;
  try {
    syncFolder(fs, parent);
  } catch (error) {
    if (!isFsError(error, 'EACCES', 'EPERM')) throw error; // without read access, the user created no folders in it
  }
  syncAncestors(fs, parent);
}

function makeFolder(fs: Fs, path: DiskPath, mode: number): void {
  try {
    fs.makeFolder(path, mode);
    fs.chmod(path, mode); // adds the bits that the umask removed
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
  const parent = diskParent(path);
  if (parent !== null) syncFolder(fs, parent);
}
