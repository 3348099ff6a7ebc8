/** Files kept open between reads, a bounded number of them. */

import type { Fd, Fs } from '../../io/fs.ts';
import type { DiskPath } from '../../model/names.ts';

/** Far below the 256 handles that a process may have where the least are allowed. */
const MAX_OPEN = 24;

export class FileHandleCache {
  /** In the order of their last use. */
  readonly #open = new Map<DiskPath, Fd>();

  constructor(private readonly fs: Fs) {}

  /** @throws FsError as `openRead` */
  get(path: DiskPath): Fd {
    const known = this.#open.get(path);
    if (known !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, known);
      return known;
    }
    const fd = this.fs.openRead(path);
    this.#open.set(path, fd);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_OPEN) break;
      this.close(oldest);
    }
    return fd;
  }

  close(path: DiskPath): void {
    const fd = this.#open.get(path);
    if (fd === undefined) return;
    this.#open.delete(path);
    this.fs.close(fd);
  }

  closeAll(): void {
    for (const path of [...this.#open.keys()]) this.close(path);
  }
}

/** Reads `length` bytes to the beginning of `into`; returns how many there were, fewer only at the end of the file. */
export function readFully(fs: Fs, fd: Fd, into: Uint8Array, length: number, position: number): number {
  let done = 0;
  while (done < length) {
    const got = fs.read(fd, into, done, length - done, position + done);
    if (got === 0) break;
    done += got;
  }
  return done;
}
