import type { DiskPath } from '@savepoint/core';
import {
  type Fd,
  type FolderListing,
  type Fs,
  FsError,
  listOneByOne,
  type Name,
  type Stat,
  type WholeSync,
} from '@savepoint/core/ports';
import type { SeededRandom } from '../seeded-random.ts';
import { type CrashModel, crashes } from './crash-states.ts';
import {
  coverMount,
  type DiskContent,
  emptyDisk,
  fold,
  type NewInode,
  ROOT,
  type SimCall,
  type SimDiskOptions,
  uidOf,
  umaskOf,
} from './disk-content.ts';
import { refusalToMove, refusalToRemove, refusalToReplace } from './folder-rules.ts';
import { HandleTable } from './handles.ts';
import type { DiskOperation, EntryChange, Ino, Inode, Inodes } from './inodes.ts';
import { PendingOperations } from './pending.ts';
import { statOf } from './stat-of.ts';
import { type WalkContext, type WalkResult, walk } from './walk.ts';

/**
 * An in-memory disk that behaves like Linux and tracks what is durable.
 *
 * - Content, mode and times of a file are durable after `sync` of that file.
 * - An entry (created, renamed, linked, removed) is durable after `sync` of the folder that contains it. Syncing a new
 *   file does not make its entry durable. A rename to another folder changes two entries, each kept or lost alone.
 * - {@link crashStates} returns the disks that a power cut at this moment may leave.
 *
 * Handle numbers are never reused, so a path through a closed handle does not resolve. Permissions are stored but not
 * enforced: every caller is root.
 */
export class SimDisk implements Fs {
  /** Milliseconds since 1970. */
  now: number;
  /** Result of `freeSpace`. */
  freeBytes: number | null = 1e12;
  /** Called before each call that changes or syncs. An error that it throws is thrown by the call. */
  onCall: ((call: SimCall) => void) | null = null;
  /** Number of calls so far that changed or synced. */
  calls = 0;

  readonly #options: SimDiskOptions;
  readonly #inodes: Inodes;
  #durable: Inodes;
  #pending: PendingOperations;
  /** Whether folders were created, moved or removed since everything was durable. A crash may lose their contents. */
  #foldersMoved: boolean;
  readonly #handles = new HandleTable();
  #nextIno: Ino;
  #nextDev: number;
  readonly #mountPoints: Set<DiskPath>;
  readonly #context: WalkContext;

  /** @param from the state of another disk; by default the disk is empty */
  constructor(options: SimDiskOptions = {}, from: DiskContent | null = null) {
    this.#options = options;
    this.now = from?.now ?? options.now ?? 1_700_000_000_000;
    this.#durable = from?.durable ?? emptyDisk(this.now);
    this.#inodes = from?.inodes ?? this.#durable.copy();
    this.#pending = from?.pending ?? new PendingOperations();
    this.#foldersMoved = from?.foldersMoved ?? false;
    this.#nextIno = from?.nextIno ?? ROOT + 1;
    this.#nextDev = from?.nextDev ?? 2;
    this.#mountPoints = new Set(from?.mountPoints ?? []);
    this.#context = {
      inodes: this.#inodes,
      root: ROOT,
      key: options.folds === true ? fold : (name) => name,
      handle: (fd) => this.#handles.inodeOf(fd),
      fail: (code, path) => this.#error(code, this.#walkOperation, path),
    };
  }

  // Results of power cuts and process deaths

  /**
   * Returns possible disks after a power cut now: everything durable, plus any subset ('any-subset') or prefix
   * ('prefix') of the other operations, with torn writes. If there are more than `limit`, it picks at random.
   */
  *crashStates(model: CrashModel, limit: number, random: SeededRandom): Generator<SimDisk> {
    const durable = this.#durable.copy();
    const pending = this.#pending.all();
    for (const inodes of crashes(durable, pending, model, limit, random)) {
      if (this.#foldersMoved) inodes.dropUnreachable(ROOT);
      const nothing = { pending: new PendingOperations(), foldersMoved: false };
      yield this.#disk({ inodes: inodes.copy(), durable: inodes, ...nothing });
    }
  }

  /** The disk as another process finds it after this one died: nothing is lost, and nothing more is durable. */
  afterProcessDeath(): SimDisk {
    const pending = new PendingOperations(this.#pending);
    const [inodes, durable] = [this.#inodes.copy(), this.#durable.copy()];
    return this.#disk({ inodes, durable, pending, foldersMoved: this.#foldersMoved });
  }

  /** Makes everything durable, usually as the initial state of a test. */
  makeDurable(): void {
    this.#durable = this.#inodes.copy();
    this.#pending = new PendingOperations();
    this.#foldersMoved = false;
  }

  /** Number of operations that a power cut could still undo. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Mounts another file system on an empty folder. */
  mountAt(path: DiskPath): void {
    const place = this.#require(path, 'lstat');
    if (place.kind !== 'folder' || place.entries.size > 0) throw new FsError('EBUSY', 'makeFolder', path);
    for (const inodes of [this.#inodes, this.#durable]) inodes.add({ ...place, dev: this.#nextDev });
    this.#mountPoints.add(path);
    this.#nextDev++;
  }

  /** @returns a function that mounts it again; until then an empty folder is there */
  unmount(path: DiskPath): () => void {
    const { name, parent, inode } = this.#walk(path, 'lstat');
    if (name === null || inode?.kind !== 'folder' || !this.#mountPoints.delete(path)) {
      throw new FsError('EINVAL', 'lstat', path);
    }
    const disks = [this.#inodes, this.#durable];
    const mount = coverMount(disks, { parent, key: this.#context.key(name), name, mounted: inode }, this.#nextIno++);
    return () => {
      mount();
      this.#mountPoints.add(path);
    };
  }

  /** Creates a FIFO at an unused path. */
  makeSpecial(path: DiskPath, mode: number): void {
    this.#create(path, 'openNew', (common) => ({ ...common, kind: 'special', mode }));
  }

  // Fs

  lstat(path: DiskPath): Stat | null {
    try {
      // As on Linux, where the path of a handle is itself a link in /proc.
      const isHandle = /^\/proc\/self\/fd\/\d+$/.test(path);
      const { inode } = this.#walk(path, 'lstat');
      if (inode === null) return null;
      const stat = statOf(inode, uidOf(this.#options));
      return isHandle ? { ...stat, mode: 0o120700, ino: -1 } : stat;
    } catch (error) {
      if (error instanceof FsError && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
      throw error;
    }
  }

  realpath(path: DiskPath): DiskPath {
    const place = this.#walk(path, 'realpath', true);
    if (place.inode === null) throw this.#error('ENOENT', 'realpath', path);
    return place.resolved as DiskPath;
  }

  list(path: DiskPath): Name[] {
    const folder = this.#require(path, 'list');
    if (folder.kind !== 'folder') throw this.#error('ENOTDIR', 'list', path);
    return [...folder.entries.values()].map((entry) => entry.name as Name);
  }

  listWithStats(path: DiskPath): FolderListing {
    return listOneByOne(this, path);
  }

  openRead(path: DiskPath): Fd {
    const inode = this.#require(path, 'openRead');
    if (inode.kind === 'link') throw this.#error('ELOOP', 'openRead', path);
    return this.#handles.open(inode.ino, path, 'read');
  }

  openNew(path: DiskPath, mode: number): Fd {
    this.#announce('openNew', path);
    const made = this.#create(path, 'openNew', (common) => ({
      ...common,
      kind: 'file',
      mode: mode & 0o7777 & ~umaskOf(this.#options),
      bytes: Buffer.alloc(0),
      size: 0,
    }));
    return this.#handles.open(made, path, 'write');
  }

  openFolder(path: DiskPath): Fd {
    const inode = this.#require(path, 'openFolder');
    if (inode.kind !== 'folder') throw this.#error('ENOTDIR', 'openFolder', path);
    return this.#handles.open(inode.ino, path, 'folder');
  }

  folderPath(folder: Fd, path: DiskPath): DiskPath {
    if (this.#options.handlePaths === false) return path;
    return `/proc/self/fd/${folder}` as DiskPath;
  }

  fstat(fd: Fd): Stat {
    return statOf(this.#inodes.get(this.#handles.get(fd, 'fstat').ino), uidOf(this.#options));
  }

  read(fd: Fd, into: Uint8Array, offset: number, length: number, position: number): number {
    const handle = this.#handles.get(fd, 'read');
    if (handle.access === 'write') throw this.#error('EBADF', 'read', handle.path);
    const inode = this.#inodes.get(handle.ino);
    if (inode.kind === 'folder') throw this.#error('EISDIR', 'read', handle.path);
    if (position < 0) throw this.#error('EINVAL', 'read', handle.path);
    if (inode.kind !== 'file') return 0;
    const end = Math.min(inode.size, position + Math.min(length, into.length - offset));
    if (end <= position) return 0;
    into.set(inode.bytes.subarray(position, end), offset);
    return end - position;
  }

  write(fd: Fd, bytes: Uint8Array, position: number): void {
    const handle = this.#handles.get(fd, 'write');
    this.#announce('write', handle.path);
    if (handle.access !== 'write') throw this.#error('EBADF', 'write', handle.path);
    if (bytes.length === 0) return;
    this.#apply({ kind: 'data', ino: handle.ino, position, bytes: Buffer.from(bytes), at: this.now });
  }

  /** Copies bytes only: an in-memory disk cannot show shared blocks. */
  async copyFile(from: Fd, to: DiskPath, mode: number, how: 'clone' | 'copy'): Promise<Fd> {
    if (how === 'clone') throw this.#error('ENOTSUP', 'copyFile', to);
    const { ino } = this.#handles.get(from, 'copyFile');
    const source = this.#inodes.get(ino);
    if (source.kind !== 'file') throw this.#error('EISDIR', 'copyFile', to);
    this.#announce('copyFile', to);
    const made = this.#create(to, 'copyFile', (common) => ({
      ...common,
      kind: 'file',
      mode: mode & 0o7777,
      bytes: Buffer.alloc(0),
      size: 0,
    }));
    const file = this.#handles.open(made, to, 'write');
    if (source.size > 0) this.write(file, source.bytes.subarray(0, source.size), 0);
    return file;
  }

  sync(fd: Fd): void {
    const handle = this.#handles.get(fd, 'sync');
    this.#announce('sync', handle.path);
    for (const operation of this.#pending.take(handle.ino)) this.#durable.apply(operation);
  }

  /** Syncs in order. A power cut in between may keep any subset of what is not synced yet. */
  async syncAll(fds: readonly Fd[]): Promise<void> {
    for (const fd of fds) this.sync(fd);
  }

  wholeSync(folder: Fd, count: number): WholeSync | null {
    if (count < (this.#options.wholeSyncFrom ?? Number.POSITIVE_INFINITY)) return null;
    return async () => {
      this.#announce('wholeSync', this.#handles.get(folder, 'wholeSync').path);
      this.makeDurable();
    };
  }

  fchmod(fd: Fd, mode: number): void {
    const handle = this.#handles.get(fd, 'fchmod');
    this.#announce('fchmod', handle.path);
    this.#apply({ kind: 'mode', ino: handle.ino, mode: mode & 0o7777, at: this.now });
  }

  close(fd: Fd): void {
    this.#handles.close(fd);
  }

  readLink(path: DiskPath): string {
    const inode = this.#require(path, 'readLink');
    if (inode.kind !== 'link') throw this.#error('EINVAL', 'readLink', path);
    return inode.target;
  }

  makeLink(target: string, path: DiskPath): void {
    this.#announce('makeLink', path);
    if (target === '') throw this.#error('ENOENT', 'makeLink', path);
    if (target.includes('\0')) throw this.#error('EINVAL', 'makeLink', path);
    if (target.length > 4095) throw this.#error('ENAMETOOLONG', 'makeLink', path);
    this.#create(path, 'makeLink', (common) => ({ ...common, kind: 'link', mode: 0o777, target }));
  }

  makeFolder(path: DiskPath, mode: number): void {
    this.#announce('makeFolder', path);
    const bits = mode & 0o1777 & ~umaskOf(this.#options);
    this.#create(path, 'makeFolder', (common) => ({ ...common, kind: 'folder', mode: bits, entries: new Map() }));
  }

  rename(from: DiskPath, to: DiskPath): void {
    this.#announce('rename', to);
    const fail = (code: string): FsError => this.#error(code, 'rename', to);
    const source = this.#walk(from, 'rename');
    const target = this.#walk(to, 'rename');
    const moved = source.inode;
    const refusal = refusalToMove(this.#inodes, source, target);
    if (refusal !== null || moved === null) throw fail(refusal ?? 'ENOENT');
    const add = this.#change(target, moved.ino);
    const remove = this.#change(source, null);
    const sameEntry = add.folder === remove.folder && add.key === remove.key;
    // Both names are the same file: POSIX requires that nothing happens. A folding disk changes the spelling.
    if (target.inode?.ino === moved.ino && !(sameEntry && add.name !== source.entry?.name)) return;
    const refusedTarget = target.inode === null || sameEntry ? null : refusalToReplace(target.inode, moved);
    if (refusedTarget !== null) throw fail(refusedTarget);
    this.#assertLinked(target.parent, 'rename', to);
    const ofFolder = moved.kind === 'folder';
    if (sameEntry) {
      this.#changeEntries([add], ofFolder);
    } else if (add.folder === remove.folder) {
      this.#changeEntries([remove, add], ofFolder);
    } else {
      this.#changeEntries([add], ofFolder);
      this.#changeEntries([remove], ofFolder, ofFolder ? add : null);
    }
  }

  hardLink(from: DiskPath, to: DiskPath): void {
    this.#announce('hardLink', to);
    const source = this.#walk(from, 'hardLink');
    if (source.inode === null) throw this.#error('ENOENT', 'hardLink', to);
    const target = this.#walk(to, 'hardLink');
    if (target.inode !== null) throw this.#error('EEXIST', 'hardLink', to);
    if (source.inode.dev !== this.#inodes.get(target.parent).dev) throw this.#error('EXDEV', 'hardLink', to);
    if (source.inode.kind === 'folder') throw this.#error('EPERM', 'hardLink', to);
    this.#assertLinked(target.parent, 'hardLink', to);
    this.#changeEntries([this.#change(target, source.inode.ino)], false);
  }

  unlink(path: DiskPath): void {
    this.#announce('unlink', path);
    const place = this.#walk(path, 'unlink');
    if (place.inode === null) throw this.#error('ENOENT', 'unlink', path);
    if (place.inode.kind === 'folder') throw this.#error('EISDIR', 'unlink', path);
    this.#changeEntries([this.#change(place, null)], false);
  }

  removeFolder(path: DiskPath): void {
    this.#announce('removeFolder', path);
    const place = this.#walk(path, 'removeFolder');
    if (place.inode === null) throw this.#error('ENOENT', 'removeFolder', path);
    const refusal = refusalToRemove(this.#inodes, place);
    if (refusal !== null) throw this.#error(refusal, 'removeFolder', path);
    this.#changeEntries([this.#change(place, null)], true);
  }

  chmod(path: DiskPath, mode: number): void {
    this.#announce('chmod', path);
    const inode = this.#require(path, 'chmod');
    if (inode.kind === 'link') throw this.#error('ELOOP', 'chmod', path);
    this.#apply({ kind: 'mode', ino: inode.ino, mode: mode & 0o7777, at: this.now });
  }

  touch(path: DiskPath, ms: number): void {
    this.#announce('touch', path);
    const inode = this.#require(path, 'touch');
    this.#apply({ kind: 'mtime', ino: inode.ino, mtime: ms, at: this.now });
  }

  freeSpace(path: DiskPath): number | null {
    this.#require(path, 'freeSpace');
    return this.freeBytes;
  }

  mountPoints(): readonly DiskPath[] {
    return [...this.#mountPoints];
  }

  #disk(content: Omit<DiskContent, 'now' | 'nextIno' | 'nextDev' | 'mountPoints'>): SimDisk {
    const { now } = this;
    return new SimDisk(this.#options, {
      ...content,
      now,
      nextIno: this.#nextIno,
      nextDev: this.#nextDev,
      mountPoints: this.#mountPoints,
    });
  }

  #walkOperation: keyof Fs = 'lstat';

  #walk(path: DiskPath, operation: keyof Fs, followLast = false): WalkResult {
    this.#walkOperation = operation;
    return walk(this.#context, path, followLast);
  }

  #require(path: DiskPath, operation: keyof Fs): Inode {
    const { inode } = this.#walk(path, operation);
    if (inode === null) throw this.#error('ENOENT', operation, path);
    return inode;
  }

  #announce(operation: keyof Fs, path: DiskPath): void {
    this.calls++;
    this.onCall?.({ number: this.calls, operation, path: this.#handles.withoutHandle(path) });
  }

  #apply(operation: DiskOperation): void {
    this.#inodes.apply(operation);
    this.#pending.add(operation);
  }

  #changeEntries(changes: readonly EntryChange[], ofFolder: boolean, follows: EntryChange | null = null): void {
    const operation: DiskOperation = { kind: 'entries', changes, at: this.now };
    if (ofFolder) this.#foldersMoved = true;
    this.#apply(follows === null ? operation : { ...operation, follows });
  }

  #change(place: WalkResult, ino: Ino | null): EntryChange {
    const name = place.name ?? '';
    return { folder: place.parent, key: this.#context.key(name), name, ino };
  }

  #create(path: DiskPath, operation: keyof Fs, make: (common: NewInode) => Inode): Ino {
    const place = this.#walk(path, operation);
    if (place.inode !== null) throw this.#error('EEXIST', operation, path);
    this.#assertLinked(place.parent, operation, path);
    const ino = this.#nextIno++;
    const { dev } = this.#inodes.get(place.parent);
    const at = this.now;
    const inode = make({ ino, dev, mtime: at, ctime: at, birthtime: at, names: 0 });
    // Unreachable until the entry is durable, but an earlier sync needs a place for the data.
    this.#inodes.add(inode);
    this.#durable.add(inode);
    this.#changeEntries([this.#change(place, ino)], inode.kind === 'folder');
    return ino;
  }

  /** Fails if the folder was removed while a handle to it is open. */
  #assertLinked(folder: Ino, operation: keyof Fs, path: DiskPath): void {
    if (this.#inodes.get(folder).names === 0) throw this.#error('ENOENT', operation, path);
  }

  #error(code: string, operation: keyof Fs, path: DiskPath): FsError {
    return new FsError(code, operation, this.#handles.withoutHandle(path));
  }
}
