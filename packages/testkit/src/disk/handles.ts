import type { DiskPath } from '@savepoint/core';
import { type Fd, type Fs, FsError } from '@savepoint/core/ports';
import type { Ino } from './inodes.ts';

export interface OpenHandle {
  readonly ino: Ino;
  /** As it was opened, with the handles in it put back into their own paths. */
  readonly path: DiskPath;
  readonly access: 'read' | 'write' | 'folder';
}

const FIRST = 3;

/** What a process has open. Numbers are never used again, so that the use of a closed one is always found. */
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

  /** Undefined if it is not open. */
  inodeOf(fd: number): Ino | undefined {
    return this.#open.get(fd)?.ino;
  }

  close(fd: Fd): void {
    this.get(fd, 'close');
    this.#open.delete(fd);
  }

  /** A path with the handle that it goes through put back into what was opened. */
  named(path: DiskPath): DiskPath {
    return path.replace(/^\/proc\/self\/fd\/(\d+)(?=\/|$)/, (handle, fd: string) => {
      return this.#open.get(Number(fd))?.path ?? handle;
    }) as DiskPath;
  }
}
