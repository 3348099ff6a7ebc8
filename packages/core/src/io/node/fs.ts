import * as fs from 'node:fs';
import { type DiskPath, diskChild, type Name } from '../../model/names.ts';
import { type Fd, type FolderListing, type Fs, FsError, kindOf, type Stat } from '../fs.ts';
import { HANDLES, handleIn, isHandle, OpenHandles, pathOfHandle, plainPathOf } from './handles.ts';
import { listByNode } from './listing.ts';
import { mountTable } from './mount-table.ts';
import { native } from './native.ts';
import { listAsideByNative, listByNative } from './native-listing.ts';
import { againOrThrow, errorCode, fsError, nativePath } from './path.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL } = fs.constants;
// Undefined where the platform has no such flag, whatever the type says.
const O_NOFOLLOW: number | undefined = fs.constants.O_NOFOLLOW;
const O_DIRECTORY: number = fs.constants.O_DIRECTORY ?? 0;
const O_NONBLOCK: number = fs.constants.O_NONBLOCK ?? 0;
const O_NOCTTY: number = fs.constants.O_NOCTTY ?? 0;
/** Linux on every processor that node runs on; node has no name for it. */
const O_PATH = 0o10000000;

const BYTES = { encoding: 'latin1' } as const;
const NULL_IF_ABSENT = { throwIfNoEntry: false } as const;

/** How long a scanner or indexer may hold a file on Windows before we give up: 1.3 s in all. */
const WINDOWS_WAITS_MS = [5, 10, 20, 40, 80, 160, 320, 640] as const;
const HELD_BY_OTHERS: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES']);
/** What a file system answers that cannot sync a folder (some FUSE, 9p and network mounts). */
const CANNOT_SYNC_FOLDER: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
const MOST_REMEMBERED = 16;
const notSynced: DiskPath[] = [];

/**
 * The file system through node's synchronous calls.
 *
 * Where the platform cannot do what the port promises, this is what happens instead:
 * - Without O_NOFOLLOW (Windows) a link is refused by comparing `lstat` before with `fstat` after.
 * - Without O_PATH (all but Linux) `chmod` looks with `lstat` first: a link put there in between is followed.
 * - Windows has no handle on a folder that could be synced. `openFolder` gives a pseudo handle there, a negative number
 *   that stands for the path and the folder's identity; `fstat` of it fails with ESTALE when another folder has
 *   taken its place, and `sync` does nothing (NTFS journals its folder entries in order).
 * - A file system that cannot sync a folder at all is put up with; {@link foldersNotSynced} tells.
 */
class NodeFs implements Fs {
  readonly #windows: boolean;
  readonly #handlePaths: boolean;
  readonly #mayUseNative: boolean;
  readonly #handles = new OpenHandles();

  constructor(platform: NodeJS.Platform, mayUseNative: boolean) {
    this.#windows = platform === 'win32';
    this.#handlePaths = platform === 'linux' && fs.existsSync(HANDLES);
    this.#mayUseNative = this.#handlePaths && mayUseNative;
  }

  lstat(path: DiskPath): Stat | null {
    for (;;) {
      try {
        return fs.lstatSync(nativePath(path), NULL_IF_ABSENT) ?? null;
      } catch (error) {
        if (errorCode(error) === 'ENOTDIR') return null;
        this.#repeatOrThrow(error, 'lstat', path);
      }
    }
  }

  realpath(path: DiskPath): DiskPath {
    return this.#again('realpath', path, () => fs.realpathSync.native(nativePath(path), BYTES) as DiskPath);
  }

  list(path: DiskPath): Name[] {
    for (;;) {
      try {
        if (!this.#handlePaths) {
          this.#refuseUnlessFolder(path, 'list');
          return fs.readdirSync(nativePath(path), BYTES) as Name[];
        }
        if (isHandle(path)) return fs.readdirSync(path, BYTES) as Name[];
        // opendir follows links; a handle does not, and the list is then surely of what was opened.
        const fd = fs.openSync(nativePath(path), O_RDONLY | O_DIRECTORY | (O_NOFOLLOW ?? 0));
        try {
          return fs.readdirSync(pathOfHandle(fd), BYTES) as Name[];
        } finally {
          fs.closeSync(fd);
        }
      } catch (error) {
        this.#repeatOrThrow(error, 'list', path);
      }
    }
  }

  listWithStats(path: DiskPath): FolderListing {
    for (;;) {
      try {
        return this.#listWithStats(path);
      } catch (error) {
        this.#repeatOrThrow(error, 'listWithStats', path);
      }
    }
  }

  async listAside(path: DiskPath): Promise<FolderListing> {
    const addOn = this.#mayUseNative ? native() : null;
    return (addOn === null ? null : await listAsideByNative(addOn, path)) ?? this.listWithStats(path);
  }

  openRead(path: DiskPath): Fd {
    const fd = this.#openFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (O_NOFOLLOW ?? 0), 0, 'openRead');
    if (O_NOFOLLOW === undefined || this.#windows) this.#refuseIfLink(fd, path);
    return fd;
  }

  openNew(path: DiskPath, mode: number): Fd {
    return this.#openFile(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), mode, 'openNew');
  }

  openFolder(path: DiskPath): Fd {
    if (this.#windows) {
      return this.#handles.addPseudo(path, this.#refuseUnlessFolder(path, 'openFolder'));
    }
    // `/proc/self/fd/N` is itself a link; its `.` is the folder.
    const reached = this.#handlePaths && isHandle(path) ? diskChild(path, '.') : path;
    const fd = this.#openFile(reached, O_RDONLY | O_DIRECTORY | (O_NOFOLLOW ?? 0), 0, 'openFolder');
    this.#handles.addFolder(fd, path);
    return fd;
  }

  folderPath(folder: Fd, path: DiskPath): DiskPath {
    return this.#handlePaths && folder >= 0 ? pathOfHandle(folder) : path;
  }

  fstat(fd: Fd): Stat {
    if (fd < 0) return this.#pseudoStat(fd);
    for (;;) {
      try {
        return fs.fstatSync(fd);
      } catch (error) {
        this.#repeatOrThrow(error, 'fstat', this.#handles.nameOf(fd));
      }
    }
  }

  read(fd: Fd, into: Uint8Array, offset: number, length: number, position: number): number {
    for (;;) {
      try {
        return fs.readSync(fd, into, offset, length, position);
      } catch (error) {
        this.#repeatOrThrow(error, 'read', this.#handles.nameOf(fd));
      }
    }
  }

  write(fd: Fd, bytes: Uint8Array, position: number): void {
    let done = 0;
    while (done < bytes.length) {
      try {
        const written = fs.writeSync(fd, bytes, done, bytes.length - done, position + done);
        if (written === 0) throw new FsError('EIO', 'write', this.#handles.nameOf(fd));
        done += written;
      } catch (error) {
        this.#repeatOrThrow(error, 'write', this.#handles.nameOf(fd));
      }
    }
  }

  /** Never tried again after a failure other than EINTR: the system has then dropped the pages it could not write. */
  sync(fd: Fd): void {
    if (fd < 0) {
      this.#pseudoStat(fd);
      return;
    }
    for (;;) {
      try {
        fs.fsyncSync(fd);
        return;
      } catch (error) {
        if (this.#isPutUpWith(error, fd)) return;
        this.#repeatOrThrow(error, 'sync', this.#handles.nameOf(fd));
      }
    }
  }

  async copyFile(from: Fd, to: DiskPath, mode: number, how: 'clone' | 'copy'): Promise<Fd> {
    const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;
    // The handle, not the name: what is copied is what the caller looked at, also if it has lost its name since.
    const source = this.#handlePaths ? pathOfHandle(from) : nativePath(this.#handles.nameOf(from));
    const flags = how === 'clone' ? COPYFILE_EXCL | COPYFILE_FICLONE_FORCE : COPYFILE_EXCL;
    try {
      await fs.promises.copyFile(source, nativePath(to), flags);
    } catch (error) {
      throw fsError(error, errorCode(error), 'copyFile', this.#handles.named(to));
    }
    try {
      // It has the mode of the other one, which may forbid writing.
      this.chmod(to, mode);
      return this.#openFile(to, O_RDWR | (O_NOFOLLOW ?? 0), 0, 'copyFile');
    } catch (error) {
      this.unlink(to);
      throw error;
    }
  }

  async syncAll(fds: readonly Fd[]): Promise<void> {
    // All are waited for: a handle that is closed while it is synced may be somebody else's file by then.
    const ends = await Promise.allSettled(fds.map(async (fd) => this.#syncAside(fd)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** As `sync`, on a thread of its own. */
  async #syncAside(fd: Fd): Promise<void> {
    if (fd < 0) {
      this.#pseudoStat(fd);
      return;
    }
    for (;;) {
      const error = await new Promise<Error | null>((resolve) => fs.fsync(fd, resolve));
      if (error === null || this.#isPutUpWith(error, fd)) return;
      this.#repeatOrThrow(error, 'sync', this.#handles.nameOf(fd));
    }
  }

  #isPutUpWith(error: unknown, folder: Fd): boolean {
    if (!this.#handles.isFolder(folder) || !CANNOT_SYNC_FOLDER.has(errorCode(error))) return false;
    if (notSynced.length < MOST_REMEMBERED) notSynced.push(this.#handles.nameOf(folder));
    return true;
  }

  fchmod(fd: Fd, mode: number): void {
    this.#again('fchmod', this.#handles.nameOf(fd), () => fs.fchmodSync(fd, mode));
  }

  /** Never repeated: whatever the answer, the handle is gone, and its number may be someone else's already. */
  close(fd: Fd): void {
    const path = this.#handles.nameOf(fd);
    const wasPseudo = this.#handles.remove(fd);
    if (fd < 0) {
      if (!wasPseudo) throw new FsError('EBADF', 'close', path);
      return;
    }
    try {
      fs.closeSync(fd);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EBADF') throw fsError(error, code, 'close', path);
    }
  }

  readLink(path: DiskPath): string {
    return this.#again('readLink', path, () => fs.readlinkSync(nativePath(path), BYTES));
  }

  makeLink(target: string, path: DiskPath): void {
    this.#again('makeLink', path, () => fs.symlinkSync(nativePath(target), nativePath(path)));
  }

  makeFolder(path: DiskPath, mode: number): void {
    this.#again('makeFolder', path, () => fs.mkdirSync(nativePath(path), mode));
  }

  rename(from: DiskPath, to: DiskPath): void {
    this.#untilFree('rename', to, () => fs.renameSync(nativePath(from), nativePath(to)));
  }

  hardLink(from: DiskPath, to: DiskPath): void {
    this.#again('hardLink', to, () => {
      // link(2) follows `from` on macOS; Linux and Windows do not.
      if (!this.#handlePaths && fs.lstatSync(nativePath(from)).isSymbolicLink()) {
        throw new FsError('EPERM', 'hardLink', this.#handles.named(from));
      }
      fs.linkSync(nativePath(from), nativePath(to));
    });
  }

  unlink(path: DiskPath): void {
    this.#untilFree('unlink', path, () => fs.unlinkSync(nativePath(path)));
  }

  removeFolder(path: DiskPath): void {
    this.#untilFree('removeFolder', path, () => fs.rmdirSync(nativePath(path)));
  }

  chmod(path: DiskPath, mode: number): void {
    for (;;) {
      try {
        if (this.#handlePaths && !isHandle(path)) this.#chmodHere(path, mode);
        else {
          if (!isHandle(path)) this.#refuseIfNamedLink(path, 'chmod');
          fs.chmodSync(nativePath(path), mode);
        }
        return;
      } catch (error) {
        this.#repeatOrThrow(error, 'chmod', path);
      }
    }
  }

  touch(path: DiskPath, ms: number): void {
    // node cuts to whole microseconds; half of one more makes that a rounding.
    const seconds = (ms + 0.0005) / 1000;
    this.#again('touch', path, () => fs.lutimesSync(nativePath(path), seconds, seconds));
  }

  freeSpace(path: DiskPath): number | null {
    for (;;) {
      try {
        const { bavail, bsize } = fs.statfsSync(nativePath(path));
        return bavail * bsize;
      } catch (error) {
        if (errorCode(error) === 'ENOSYS') return null;
        this.#repeatOrThrow(error, 'freeSpace', path);
      }
    }
  }

  mountPoints(): readonly DiskPath[] | null {
    return mountTable();
  }

  #listWithStats(path: DiskPath): FolderListing {
    const named = this.#handles.named(path);
    const addOn = this.#mayUseNative ? native() : null;
    const listing = addOn === null ? null : listByNative(addOn, path, named);
    if (listing !== null) return listing;
    if (!this.#handlePaths) {
      const found = fs.lstatSync(nativePath(path));
      if (!found.isDirectory()) throw new FsError('ENOTDIR', 'listWithStats', named);
      return listByNode({ fd: null, path, named });
    }
    if (isHandle(path)) {
      return listByNode({ fd: handleIn(path), path: plainPathOf(path), named });
    }
    const fd = fs.openSync(nativePath(path), O_RDONLY | O_DIRECTORY | (O_NOFOLLOW ?? 0));
    try {
      return listByNode({ fd, path, named });
    } finally {
      fs.closeSync(fd);
    }
  }

  #openFile(
    path: DiskPath,
    flags: number,
    mode: number,
    operation: 'openRead' | 'openNew' | 'openFolder' | 'copyFile',
  ): Fd {
    for (;;) {
      try {
        const fd = fs.openSync(nativePath(path), flags, mode) as Fd;
        this.#handles.add(fd, path);
        return fd;
      } catch (error) {
        this.#repeatOrThrow(error, operation, path);
      }
    }
  }

  /** chmod(2) follows links and Linux has no call that does not; a handle that only names the file does the same. */
  #chmodHere(path: DiskPath, mode: number): void {
    const fd = fs.openSync(nativePath(path), O_PATH | (O_NOFOLLOW ?? 0));
    try {
      if (fs.fstatSync(fd).isSymbolicLink()) throw new FsError('ELOOP', 'chmod', this.#handles.named(path));
      fs.chmodSync(pathOfHandle(fd), mode);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** The file opened must be what the name itself says: then no link was followed. */
  #refuseIfLink(fd: Fd, path: DiskPath): void {
    const named = this.lstat(path);
    const opened = this.fstat(fd);
    if (named !== null && named.ino === opened.ino && named.dev === opened.dev && kindOf(named) !== 'link') return;
    this.close(fd);
    throw new FsError('ELOOP', 'openRead', path);
  }

  #refuseIfNamedLink(path: DiskPath, operation: keyof Fs): void {
    const stat = this.lstat(path);
    if (stat === null) throw new FsError('ENOENT', operation, path);
    if (kindOf(stat) === 'link') throw new FsError('ELOOP', operation, path);
  }

  #refuseUnlessFolder(path: DiskPath, operation: keyof Fs): Stat {
    const stat = this.lstat(path);
    if (stat === null) throw new FsError('ENOENT', operation, path);
    if (kindOf(stat) !== 'folder') throw new FsError('ENOTDIR', operation, path);
    return stat;
  }

  #pseudoStat(fd: Fd): Stat {
    const path = this.#handles.nameOf(fd);
    const opened = this.#handles.pseudo(fd);
    const now = this.lstat(path);
    if (now === null || now.ino !== opened.ino || now.dev !== opened.dev) throw new FsError('ESTALE', 'fstat', path);
    return now;
  }

  /** On Windows, waits a little where another program may hold the file; false when that is not it or no longer helps. */
  #waited(error: unknown, tries: number): boolean {
    const wait = WINDOWS_WAITS_MS[tries];
    if (!this.#windows || wait === undefined || !HELD_BY_OTHERS.has(errorCode(error))) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    return true;
  }

  /** For a single call; what is called very often has the loop itself. */
  #again<Found>(operation: keyof Fs, path: DiskPath, work: () => Found): Found {
    for (;;) {
      try {
        return work();
      } catch (error) {
        this.#repeatOrThrow(error, operation, path);
      }
    }
  }

  /** As `again`, for what another program may hold for a moment. */
  #untilFree(operation: keyof Fs, path: DiskPath, work: () => void): void {
    for (let tries = 0; ; tries++) {
      try {
        work();
        return;
      } catch (error) {
        if (!this.#waited(error, tries)) this.#repeatOrThrow(error, operation, path);
      }
    }
  }

  #repeatOrThrow(error: unknown, operation: keyof Fs, path: DiskPath): void {
    againOrThrow(error, operation, this.#handles.named(path));
  }
}

/** The driver as it behaves on `platform`, without the native add-on; for tests of the ways it takes elsewhere. */
export function nodeFsOf(platform: NodeJS.Platform): Fs {
  return new NodeFs(platform, false);
}

export const nodeFs: Fs = new NodeFs(process.platform, true);

/** By node's own calls alone. */
export const nodeFsWithoutNative: Fs = new NodeFs(process.platform, false);

/**
 * Folders whose file system refused to sync them since this process began (the first 16): what was made there is only
 * as durable as that file system makes it by itself.
 */
export function foldersNotSynced(): readonly DiskPath[] {
  return notSynced;
}
