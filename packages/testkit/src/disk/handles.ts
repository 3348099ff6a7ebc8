import type { DiskPath } from '@savepoint/core';
import { type Fd, type Fs, FsError } from '@savepoint/core/ports';
import type { Ino } from './inodes.ts';

export interface OpenHandle {
  readonly ino: Ino;
  /** The path at the time of opening, without `/proc/self/fd/`. */
  readonly path: DiskPath;
  readonly access: 'read' | 'write' | 'folder';
}

/** 0 to 2 are the standard streams. */
const FIRST_FD = 3;

/** The open handles of a simulated process. Numbers are never reused, so any use of a closed handle is detected. */
export class HandleTable {
  readonly #open = new Map<number, OpenHandle>();
  #next = FIRST_FD;

  open(ino: Ino, path: DiskPath, access: OpenHandle['access']): Fd {
    const fd = this.#next++;
    this.#open.set(fd, { ino, path: this.withoutHandle(path), access });
    return fd as Fd;
  }

  /** @throws FsError EBADF if the handle is not open */
  get(fd: Fd, operation: keyof Fs): OpenHandle {
    const handle = this.#open.get(fd);
    if (handle === undefined) throw new FsError('EBADF', operation, `(handle ${fd})` as DiskPath);
    return handle;
  }

  /** Undefined if the handle is not open. */
  inodeOf(fd: number): Ino | undefined {
    return this.#open.get(fd)?.ino;
  }

  close(fd: Fd): void {
    this.get(fd, 'close');
    this.#open.delete(fd);
  }

  /** Replaces `/proc/self/fd/<handle>` at the start of a path with the path that the handle was opened with. */
  withoutHandle(path: DiskPath): DiskPath {
    return path.replace(/^\/proc\/self\/fd\/(\d+)(?=\/|$)/, (handle, fd: string) => {
      return this.#open.get(Number(fd))?.path ?? handle;
    }) as DiskPath;
  }
}
