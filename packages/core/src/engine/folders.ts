/** Determines the folder of a workspace, and rejects folders that cannot be one. */

import { showName } from '../content/show-name.ts';
import { findRepository } from '../git/repository.ts';
import { isFsError, kindOf } from '../io/fs.ts';
import type { Places, Ports } from '../io/ports.ts';
import { type ErrorData, SavepointError } from '../model/errors.ts';
import { type DiskPath, diskParent, isInside, nameToJson } from '../model/names.ts';

export interface FolderLookup {
  readonly ports: Ports;
  /** Real path of the folder that the caller works in, as far as it exists. */
  readonly folder: DiskPath;
  readonly places: Places;
  readonly here: boolean;
  readonly allowHome: boolean;
}

/** Resolves the links in a path, as far as it exists. */
export function resolveFolder(ports: Ports, path: DiskPath): DiskPath {
  try {
    return ports.fs.realpath(path);
  } catch (error) {
    if (!isFsError(error, 'ENOENT')) throw error;
  }
  const parent = diskParent(path);
  if (parent === null) return path;
  const above = resolveFolder(ports, parent);
  return `${above === '/' ? '' : above}${path.slice(parent === '/' ? 0 : parent.length)}` as DiskPath;
}

/**
 * Returns the folder that becomes a workspace with its first checkpoint: the top of the enclosing repository, else the
 * folder itself.
 */
export function newWorkspaceFolder({ ports, folder, here }: FolderLookup): DiskPath {
  const stat = ports.fs.lstat(folder);
  if (stat === null || kindOf(stat) !== 'folder') throw rootRefused(folder, 'not-a-folder', 'is not a folder');
  if (here) return folder;
  const found = findRepository(ports.fs, folder);
  if (found === null) return folder;
  // It is unknown whether there is a repository. A wrong guess might include far too many files.
  if ('problem' in found.repository && found.repository.problem.why === 'unreadable' && found.folder !== folder) {
    const { path, detail } = found.repository.problem;
    throw new SavepointError(
      'IO',
      `${showName(path)} cannot be read (${detail}), so the repository is unknown.`,
      { path: nameToJson(path), operation: 'lstat', code: detail },
      { hint: 'Nothing was changed. Fix this, or use --here to make this folder the workspace.' },
    );
  }
  return found.folder;
}

/** @throws SavepointError ROOT_REFUSED */
export function assertMayBeWorkspace({ ports, places, allowHome }: FolderLookup, folder: DiskPath): void {
  const { home, userHome } = places;
  if (diskParent(folder) === null || /^[A-Za-z]:[\\/]?$/.test(folder)) {
    throw rootRefused(folder, 'filesystem-root', 'is the root of the file system');
  }
  if (!allowHome && userHome !== null && resolveFolder(ports, userHome) === folder) {
    throw rootRefused(folder, 'home', 'is a home folder');
  }
  if (isInside(home, folder)) throw rootRefused(folder, 'holds-store', 'contains the store of Savepoint');
  if (isInside(folder, home)) throw rootRefused(folder, 'in-store', 'is inside the store of Savepoint');
}

export function rootRefused(folder: DiskPath, why: ErrorData<'ROOT_REFUSED'>['why'], text: string): SavepointError {
  return new SavepointError('ROOT_REFUSED', `${showName(folder)} ${text} and cannot be a workspace.`, {
    folder: nameToJson(folder),
    why,
  });
}
