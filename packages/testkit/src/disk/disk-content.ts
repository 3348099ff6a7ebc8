/** What a simulated disk is told and what it is made of. */

import type { DiskPath } from '@savepoint/core';
import type { Fs } from '@savepoint/core/ports';
import { type FolderInode, type Ino, Inodes } from './inodes.ts';
import type { PendingOperations } from './pending.ts';

export interface SimDiskOptions {
  /** Milliseconds since 1970; the time stands still unless the test moves it. */
  readonly now?: number;
  readonly umask?: number;
  readonly uid?: number;
  /** Names that differ in letter case or normalisation alone are one name, as on macOS. */
  readonly folds?: boolean;
  /** False: folders are reached by their names alone, as on macOS and Windows. */
  readonly handlePaths?: boolean;
}

export function uidOf({ uid = 1000 }: SimDiskOptions): number {
  return uid;
}

export function umaskOf({ umask = 0o022 }: SimDiskOptions): number {
  return umask;
}

/** A call that changes the disk or makes something durable, told before it happens. */
export interface SimCall {
  /** Counted from 1. */
  readonly number: number;
  readonly operation: keyof Fs;
  /** Of a call on a handle: what was opened. */
  readonly path: DiskPath;
}

export const ROOT: Ino = 2;

/** What a disk is made of that another one had become. */
export interface DiskContent {
  readonly inodes: Inodes;
  readonly durable: Inodes;
  readonly pending: PendingOperations;
  readonly foldersMoved: boolean;
  readonly now: number;
  readonly nextIno: Ino;
  readonly nextDev: number;
  readonly mountPoints: ReadonlySet<DiskPath>;
}

export type NewInode = Omit<FolderInode, 'kind' | 'mode' | 'entries'>;

export function emptyDisk(at: number): Inodes {
  const inodes = new Inodes();
  inodes.add({
    kind: 'folder',
    ino: ROOT,
    dev: 1,
    mode: 0o755,
    mtime: at,
    ctime: at,
    birthtime: at,
    names: 1,
    entries: new Map(),
  });
  return inodes;
}

/** The name that all names of one file share on a disk that folds. Simpler than the engine's own folding, and not made from it. */
export function fold(name: string): string {
  const text = Buffer.from(name, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? name.toLowerCase() : text.normalize('NFC').toLowerCase();
}

/** A folder on which another file system is mounted. */
interface MountPoint {
  readonly parent: Ino;
  readonly key: string;
  readonly name: string;
  readonly mounted: FolderInode;
}

/**
 * Puts an empty folder of the file system below in the place of one that is mounted.
 * @returns what mounts it again
 */
export function coverMount(disks: readonly Inodes[], { parent, key, name, mounted }: MountPoint, ino: Ino): () => void {
  const put = (to: Ino): void => {
    for (const inodes of disks) {
      const folder = inodes.folder(parent);
      if (to === ino) inodes.add({ ...mounted, ino, dev: folder.dev, entries: new Map() });
      inodes.add({ ...folder, entries: new Map(folder.entries).set(key, { name, ino: to }) });
    }
  };
  put(ino);
  return () => put(mounted.ino);
}
