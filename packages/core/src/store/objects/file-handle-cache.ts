/** Keeps a bounded number of files open between reads. */

import type { Fd, Fs } from '../../io/fs.ts';
import type { DiskPath } from '../../model/names.ts';

/** Far below the lowest limit for open files of a process, which is 256. */
const MAX_OPEN = 24;

export class FileHandleCache {
  /** In order of last use. */
  readonly #open = new Map<DiskPath, Fd>();

  constructor(
    private readonly fs: Fs,
    private readonly maxOpen: number = MAX_OPEN,
  ) {}

  /**
   * Returns an open handle for the file.
   * @param check is called with a handle that was not open before; if it throws, the handle is closed
   * @throws FsError like `openRead`
   */
  get(path: DiskPath, check?: (fd: Fd) => void): Fd {
    const known = this.#open.get(path);
    if (known !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, known);
      return known;
    }
    const fd = this.fs.openRead(path);
    this.#open.set(path, fd);
    try {
      check?.(fd);
    } catch (error) {
      this.close(path);
      throw error;
    }
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= this.maxOpen) break;
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

/** Reads `length` bytes to the start of `into`. Returns the number of bytes read, fewer only at the end of the file. */
export function readFully(fs: Fs, fd: Fd, into: Uint8Array, length: number, position: number): number {
  let done = 0;
  while (done < length) {
    const got = fs.read(fd, into, done, length - done, position + done);
    if (got === 0) break;
    done += got;
  }
  return done;
}
