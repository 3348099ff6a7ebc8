/** Options and content of a simulated disk. */

import type { DiskPath } from '@savepoint/core';
import type { Fs } from '@savepoint/core/ports';
import { type FolderInode, type Ino, Inodes } from './inodes.ts';
import type { PendingOperations } from './pending.ts';

export interface SimDiskOptions {
  /** Milliseconds since 1970. The time only changes when the test changes it. */
  readonly now?: number;
  readonly umask?: number;
  readonly uid?: number;
  /** Names that differ only in letter case or Unicode normalisation are the same name, as on macOS. */
  readonly folds?: boolean;
  /** False: folders are reachable only by name, as on macOS and Windows. */
  readonly handlePaths?: boolean;
  /** `wholeSync` is possible from this number of files. Default: never. */
  readonly wholeSyncFrom?: number;
}

export function uidOf({ uid = 1000 }: SimDiskOptions): number {
  return uid;
}

export function umaskOf({ umask = 0o022 }: SimDiskOptions): number {
  return umask;
}

/** A call that changes the disk or makes something durable. It is reported before it happens. */
export interface SimCall {
  /** Counted from 1. */
  readonly number: number;
  readonly operation: keyof Fs;
  /** For a call on a handle: the path that was opened. */
  readonly path: DiskPath;
}

export const ROOT: Ino = 2;

/** The state of one disk, from which another one is created. */
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

/**
 * Returns the key shared by all names that a folding disk considers equal. Simpler than the engine's own folding, and
 * independent of it.
 */
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
 * Replaces a mounted folder with an empty folder of the underlying file system.
 * @returns a function that mounts it again
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
