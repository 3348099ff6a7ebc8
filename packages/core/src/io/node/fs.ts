import * as fs from 'node:fs';
import { type DiskPath, diskChild, type Name } from '../../model/names.ts';
import {
  type CopyFiles,
  type CopyMethod,
  type Fd,
  type FolderListing,
  type Fs,
  FsError,
  kindOf,
  type Stat,
} from '../fs.ts';
import { waitIfBusy } from './busy-files.ts';
import { HANDLES_FOLDER, handleNumber, isHandlePath, OpenHandles, pathOfHandle, realPathOfHandle } from './handles.ts';
import { listByNode } from './listing.ts';
import { mountTable } from './mount-table.ts';
import { native } from './native.ts';
import { copyByNative } from './native-copy.ts';
import { listAsideByNative, listByNative } from './native-listing.ts';
import { errorCode, fsError, nativePath, throwUnlessInterrupted } from './path.ts';
import { TIME_STEP_MS } from './time-step.ts';
import { cannotSync } from './unsynced-folders.ts';
import { wholeSyncByNative } from './whole-sync.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL } = fs.constants;
// Undefined if the platform has no such flag, despite its type.
const O_NOFOLLOW: number | undefined = fs.constants.O_NOFOLLOW;
const O_DIRECTORY: number = fs.constants.O_DIRECTORY ?? 0;
const O_NONBLOCK: number = fs.constants.O_NONBLOCK ?? 0;
const O_NOCTTY: number = fs.constants.O_NOCTTY ?? 0;
/** The value on Linux for every processor that node supports. node has no constant for it. */
const O_PATH = 0o10000000;

const BYTES = { encoding: 'latin1' } as const;
const NULL_IF_ABSENT = { throwIfNoEntry: false } as const;

/**
 * Implements the file system with node's synchronous calls.
 *
 * If the platform cannot do what the port promises, this driver does the following instead:
 * - Without O_NOFOLLOW (Windows), it detects links by comparing `lstat` of the name with `fstat` of the opened file.
 * - Without O_PATH (all but Linux), `chmod` checks with `lstat` first. A link placed there in between is followed.
 * - Windows has no folder handles that can be synced. `openFolder` returns a pseudo handle there, a negative number
 *   that represents the path and the folder's identity. Its `fstat` fails with ESTALE if another folder has replaced
 *   it. Its `sync` does nothing (NTFS journals its folder entries in order).
 * - A file system that cannot sync folders is tolerated. `foldersNotSynced` reports such folders.
 */
class NodeFs implements Fs {
  readonly #isWindows: boolean;
  readonly #hasHandlePaths: boolean;
  readonly #mayUseNative: boolean;
  readonly #handles = new OpenHandles();

  constructor(platform: NodeJS.Platform, mayUseNative: boolean) {
    this.#isWindows = platform === 'win32';
    this.#hasHandlePaths = platform === 'linux' && fs.existsSync(HANDLES_FOLDER);
    this.#mayUseNative = this.#hasHandlePaths && mayUseNative;
  }

  lstat(path: DiskPath): Stat | null {
    for (;;) {
      try {
        return fs.lstatSync(nativePath(path), NULL_IF_ABSENT) ?? null;
      } catch (error) {
        if (errorCode(error) === 'ENOTDIR') return null;
        this.#throwUnlessInterrupted(error, 'lstat', path);
      }
    }
  }

  realpath(path: DiskPath): DiskPath {
    return this.#retry('realpath', path, () => fs.realpathSync.native(nativePath(path), BYTES) as DiskPath);
  }

  list(path: DiskPath): Name[] {
    for (;;) {
      try {
        if (!this.#hasHandlePaths) {
          this.#refuseUnlessFolder(path, 'list');
          return fs.readdirSync(nativePath(path), BYTES) as Name[];
        }
        if (isHandlePath(path)) return fs.readdirSync(path, BYTES) as Name[];
        // opendir follows links. A handle does not, and it guarantees that the opened folder is listed.
        const fd = fs.openSync(nativePath(path), O_RDONLY | O_DIRECTORY | (O_NOFOLLOW ?? 0));
        try {
          return fs.readdirSync(pathOfHandle(fd), BYTES) as Name[];
        } finally {
          fs.closeSync(fd);
        }
      } catch (error) {
        this.#throwUnlessInterrupted(error, 'list', path);
      }
    }
  }

  listWithStats(path: DiskPath): FolderListing {
    for (;;) {
      try {
        return this.#listWithStats(path);
      } catch (error) {
        this.#throwUnlessInterrupted(error, 'listWithStats', path);
      }
    }
  }

  async listAside(path: DiskPath): Promise<FolderListing> {
    const addOn = this.#mayUseNative ? native() : null;
    return (addOn === null ? null : await listAsideByNative(addOn, path)) ?? this.listWithStats(path);
  }

  openRead(path: DiskPath): Fd {
    const fd = this.#openFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (O_NOFOLLOW ?? 0), 0, 'openRead');
    if (O_NOFOLLOW === undefined || this.#isWindows) this.#refuseIfLink(fd, path);
    return fd;
  }

  openNew(path: DiskPath, mode: number): Fd {
    return this.#openFile(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), mode, 'openNew');
  }

  openFolder(path: DiskPath): Fd {
    if (this.#isWindows) {
      return this.#handles.addPseudo(path, this.#refuseUnlessFolder(path, 'openFolder'));
    }
    // `/proc/self/fd/N` is itself a link; `.` in it is the folder.
    const reached = this.#hasHandlePaths && isHandlePath(path) ? diskChild(path, '.') : path;
    const fd = this.#openFile(reached, O_RDONLY | O_DIRECTORY | (O_NOFOLLOW ?? 0), 0, 'openFolder');
    this.#handles.addFolder(fd, path);
    return fd;
  }

  folderPath(folder: Fd, path: DiskPath): DiskPath {
    return this.#hasHandlePaths && folder >= 0 ? pathOfHandle(folder) : path;
  }

  fstat(fd: Fd): Stat {
    if (fd < 0) return this.#pseudoStat(fd);
    for (;;) {
      try {
        return fs.fstatSync(fd);
      } catch (error) {
        this.#throwUnlessInterrupted(error, 'fstat', this.#handles.pathOf(fd));
      }
    }
  }

  read(fd: Fd, into: Uint8Array, offset: number, length: number, position: number): number {
    for (;;) {
      try {
        return fs.readSync(fd, into, offset, length, position);
      } catch (error) {
        this.#throwUnlessInterrupted(error, 'read', this.#handles.pathOf(fd));
      }
    }
  }

  write(fd: Fd, bytes: Uint8Array, position: number): void {
    let done = 0;
    while (done < bytes.length) {
      try {
        const written = fs.writeSync(fd, bytes, done, bytes.length - done, position + done);
        if (written === 0) throw new FsError('EIO', 'write', this.#handles.pathOf(fd));
        done += written;
      } catch (error) {
        this.#throwUnlessInterrupted(error, 'write', this.#handles.pathOf(fd));
      }
    }
  }

  /** Retries only on EINTR: after any other failure, the system has dropped the pages that it could not write. */
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
        if (this.#isTolerated(error, fd)) return;
        this.#throwUnlessInterrupted(error, 'sync', this.#handles.pathOf(fd));
      }
    }
  }

  async copyFile(from: Fd, to: DiskPath, mode: number, method: CopyMethod): Promise<Fd> {
    const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants;
    // Through the handle, not the name, so that the file the caller checked is copied, even if it was renamed since.
    const source = this.#hasHandlePaths ? pathOfHandle(from) : nativePath(this.#handles.pathOf(from));
    const flags = method === 'clone' ? COPYFILE_EXCL | COPYFILE_FICLONE_FORCE : COPYFILE_EXCL;
    try {
      await fs.promises.copyFile(source, nativePath(to), flags);
    } catch (error) {
      throw fsError(error, errorCode(error), 'copyFile', this.#handles.originalPath(to));
    }
    try {
      // The copy has the source's mode, which may forbid writing.
      this.chmod(to, mode);
      return this.#openFile(to, O_RDWR | (O_NOFOLLOW ?? 0), 0, 'copyFile');
    } catch (error) {
      this.unlink(to);
      throw error;
    }
  }

  get copyFiles(): CopyFiles | undefined {
    const addOn = this.#mayUseNative ? native() : null;
    if (addOn === null) return undefined;
    return (folders, names, method) => copyByNative(addOn, folders, names, method, this.#handles.pathOf(folders.to));
  }

  async syncAll(fds: readonly Fd[]): Promise<void> {
    // Wait for all: a handle that is closed while it is synced could already refer to another file.
    const ends = await Promise.allSettled(fds.map(async (fd) => this.#syncOnThread(fd)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** As `sync`, on another thread. */
  async #syncOnThread(fd: Fd): Promise<void> {
    if (fd < 0) {
      this.#pseudoStat(fd);
      return;
    }
    for (;;) {
      const error = await new Promise<Error | null>((resolve) => fs.fsync(fd, resolve));
      if (error === null || this.#isTolerated(error, fd)) return;
      this.#throwUnlessInterrupted(error, 'sync', this.#handles.pathOf(fd));
    }
  }

  #isTolerated(error: unknown, folder: Fd): boolean {
    return this.#handles.isFolder(folder) && cannotSync(error, this.#handles.pathOf(folder));
  }

  get wholeSync(): Fs['wholeSync'] {
    if (!this.#mayUseNative) return undefined;
    return (folder, count) => wholeSyncByNative(folder, count, this.#handles.pathOf(folder));
  }

  fchmod(fd: Fd, mode: number): void {
    this.#retry('fchmod', this.#handles.pathOf(fd), () => fs.fchmodSync(fd, mode));
  }

  /** Never retried: the handle is released even if this fails, and its number may already be in use again. */
  close(fd: Fd): void {
    const path = this.#handles.pathOf(fd);
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
    return this.#retry('readLink', path, () => fs.readlinkSync(nativePath(path), BYTES));
  }

  makeLink(target: string, path: DiskPath): void {
    this.#retry('makeLink', path, () => fs.symlinkSync(nativePath(target), nativePath(path)));
  }

  makeFolder(path: DiskPath, mode: number): void {
    this.#retry('makeFolder', path, () => fs.mkdirSync(nativePath(path), mode));
  }

  rename(from: DiskPath, to: DiskPath): void {
    this.#retryWhileBusy('rename', to, () => fs.renameSync(nativePath(from), nativePath(to)));
  }

  hardLink(from: DiskPath, to: DiskPath): void {
    this.#retry('hardLink', to, () => {
      // On macOS, link(2) follows `from`. On Linux and Windows it does not.
      if (!this.#hasHandlePaths && fs.lstatSync(nativePath(from)).isSymbolicLink()) {
        throw new FsError('EPERM', 'hardLink', this.#handles.originalPath(from));
      }
      fs.linkSync(nativePath(from), nativePath(to));
    });
  }

  unlink(path: DiskPath): void {
    this.#retryWhileBusy('unlink', path, () => fs.unlinkSync(nativePath(path)));
  }

  removeFolder(path: DiskPath): void {
    this.#retryWhileBusy('removeFolder', path, () => fs.rmdirSync(nativePath(path)));
  }

  chmod(path: DiskPath, mode: number): void {
    for (;;) {
      try {
        if (this.#hasHandlePaths && !isHandlePath(path)) this.#chmodThroughHandle(path, mode);
        else {
          if (!isHandlePath(path)) this.#refuseIfNamedLink(path, 'chmod');
          fs.chmodSync(nativePath(path), mode);
        }
        return;
      } catch (error) {
        this.#throwUnlessInterrupted(error, 'chmod', path);
      }
    }
  }

  touch(path: DiskPath, ms: number): void {
    // node truncates to whole steps. Adding half a step rounds instead.
    const seconds = (ms + TIME_STEP_MS / 2) / 1000;
    this.#retry('touch', path, () => fs.lutimesSync(nativePath(path), seconds, seconds));
  }

  freeSpace(path: DiskPath): number | null {
    for (;;) {
      try {
        const { bavail, bsize } = fs.statfsSync(nativePath(path));
        return bavail * bsize;
      } catch (error) {
        if (errorCode(error) === 'ENOSYS') return null;
        this.#throwUnlessInterrupted(error, 'freeSpace', path);
      }
    }
  }

  mountPoints(): readonly DiskPath[] | null {
    return mountTable();
  }

  #listWithStats(path: DiskPath): FolderListing {
    const named = this.#handles.originalPath(path);
    const addOn = this.#mayUseNative ? native() : null;
    const listing = addOn === null ? null : listByNative(addOn, path, named);
    if (listing !== null) return listing;
    if (!this.#hasHandlePaths) {
      const found = fs.lstatSync(nativePath(path));
      if (!found.isDirectory()) throw new FsError('ENOTDIR', 'listWithStats', named);
      return listByNode({ fd: null, path, displayPath: named });
    }
    if (isHandlePath(path)) {
      return listByNode({ fd: handleNumber(path), path: realPathOfHandle(path), displayPath: named });
    }
    const fd = fs.openSync(nativePath(path), O_RDONLY | O_DIRECTORY | (O_NOFOLLOW ?? 0));
    try {
      return listByNode({ fd, path, displayPath: named });
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
        this.#throwUnlessInterrupted(error, operation, path);
      }
    }
  }

  /** chmod(2) follows links, and Linux has no call that does not. An O_PATH handle has the same effect. */
  #chmodThroughHandle(path: DiskPath, mode: number): void {
    const fd = fs.openSync(nativePath(path), O_PATH | (O_NOFOLLOW ?? 0));
    try {
      if (fs.fstatSync(fd).isSymbolicLink()) throw new FsError('ELOOP', 'chmod', this.#handles.originalPath(path));
      fs.chmodSync(pathOfHandle(fd), mode);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Checks that the opened file is the one that the name refers to, so no link was followed. */
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
    const path = this.#handles.pathOf(fd);
    const opened = this.#handles.pseudoStat(fd);
    const now = this.lstat(path);
    if (now === null || now.ino !== opened.ino || now.dev !== opened.dev) throw new FsError('ESTALE', 'fstat', path);
    return now;
  }

  /** For infrequent calls. The most frequent ones have their own loop. */
  #retry<Result>(operation: keyof Fs, path: DiskPath, work: () => Result): Result {
    for (;;) {
      try {
        return work();
      } catch (error) {
        this.#throwUnlessInterrupted(error, operation, path);
      }
    }
  }

  /** As `#retry`, for files that another program may hold briefly. */
  #retryWhileBusy(operation: keyof Fs, path: DiskPath, work: () => void): void {
    for (let tries = 0; ; tries++) {
      try {
        work();
        return;
      } catch (error) {
        if (!this.#isWindows || !waitIfBusy(error, tries)) this.#throwUnlessInterrupted(error, operation, path);
      }
    }
  }

  #throwUnlessInterrupted(error: unknown, operation: keyof Fs, path: DiskPath): void {
    throwUnlessInterrupted(error, operation, this.#handles.originalPath(path));
  }
}

/** The driver as it behaves on `platform`, without the native add-on; for tests of other platforms. */
export function nodeFsOf(platform: NodeJS.Platform): Fs {
  return new NodeFs(platform, false);
}

export const nodeFs: Fs = new NodeFs(process.platform, true);

/** Uses only node's own calls. */
export const nodeFsWithoutNative: Fs = new NodeFs(process.platform, false);
