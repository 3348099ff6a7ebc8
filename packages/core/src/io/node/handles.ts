/** Open handles: the paths they were opened under, and paths that go through them. */

import { readlinkSync } from 'node:fs';
import type { DiskPath } from '../../model/names.ts';
import { type Fd, FsError, type Stat } from '../fs.ts';

/** The folder in which Linux has a path for each handle of a process. */
export const HANDLES_FOLDER = '/proc/self/fd/';
const HANDLE_PATH = /^\/proc\/self\/fd\/(\d+)(?=\/|$)/;

/** Keeps the path of each open handle, for readable errors, and pseudo handles where node has no real ones. */
export class OpenHandles {
  readonly #open = new Map<number, DiskPath>();
  readonly #folders = new Set<number>();
  readonly #pseudo = new Map<number, Stat>();
  #nextPseudo = -2;

  add(fd: number, path: DiskPath): void {
    this.#open.set(fd, this.originalPath(path));
  }

  addFolder(fd: number, path: DiskPath): void {
    this.add(fd, path);
    this.#folders.add(fd);
  }

  /** Returns a negative number that represents a folder by its path and identity. */
  addPseudo(path: DiskPath, stat: Stat): Fd {
    const fd = this.#nextPseudo--;
    this.#pseudo.set(fd, stat);
    this.#open.set(fd, path);
    return fd as Fd;
  }

  isFolder(fd: number): boolean {
    return this.#folders.has(fd);
  }

  /** @throws FsError EBADF */
  pseudoStat(fd: number): Stat {
    const stat = this.#pseudo.get(fd);
    if (stat === undefined) throw new FsError('EBADF', 'fstat', this.pathOf(fd));
    return stat;
  }

  /** @returns whether it was a pseudo handle */
  remove(fd: number): boolean {
    this.#open.delete(fd);
    this.#folders.delete(fd);
    return this.#pseudo.delete(fd);
  }

  pathOf(fd: number): DiskPath {
    return this.#open.get(fd) ?? (`(handle ${fd})` as DiskPath);
  }

  /** Replaces the handle in a path by the path that the handle was opened under. */
  originalPath(path: DiskPath): DiskPath {
    const handle = HANDLE_PATH.exec(path);
    const folder = handle === null ? undefined : this.#open.get(Number(handle[1]));
    return handle === null || folder === undefined ? path : (`${folder}${path.slice(handle[0].length)}` as DiskPath);
  }
}

export function pathOfHandle(fd: number): DiskPath {
  return `${HANDLES_FOLDER}${fd}` as DiskPath;
}

export function isHandlePath(path: DiskPath): boolean {
  return path.startsWith(HANDLES_FOLDER) && /^\d+$/.test(path.slice(HANDLES_FOLDER.length));
}

export function handleNumber(path: DiskPath): number {
  return Number(path.slice(HANDLES_FOLDER.length));
}

/** Returns the system's path of an open folder; null if there is none that can be used. */
export function realPathOfHandle(handle: DiskPath): DiskPath | null {
  try {
    const path = readlinkSync(handle, { encoding: 'latin1' });
    return path.startsWith('/') ? (path as DiskPath) : null;
  } catch {
    return null;
  }
}
