import type { DiskPath } from '@savepoint/core';
import { type Fd, type Fs, FsError } from '@savepoint/core/ports';
import type { Ino } from './inodes.ts';

export interface OpenHandle {
  readonly ino: Ino;
  /** The path at the time of opening. Handles in it are replaced by their own paths. */
  readonly path: DiskPath;
  readonly access: 'read' | 'write' | 'folder';
}

const FIRST = 3;

/** The open handles of a process. Numbers are never reused, so any use of a closed handle is detected. */
export class HandleTable {
  readonly #open = new Map<number, OpenHandle>();
  #next = FIRST;

  open(ino: Ino, path: DiskPath, access: OpenHandle['access']): Fd {
    const fd = this.#next++;
    this.#open.set(fd, { ino, path: this.named(path), access });
    return fd as Fd;
  }

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

  /** Replaces a leading handle in a path with the path that was opened. */
  named(path: DiskPath): DiskPath {
    return path.replace(/^\/proc\/self\/fd\/(\d+)(?=\/|$)/, (handle, fd: string) => {
      return this.#open.get(Number(fd))?.path ?? handle;
    }) as DiskPath;
  }
}
