/**
 * Whether somebody else worked on a store since this one did. Whoever gets the store's lock writes its own mark into a
 * file, before anything else; who finds its own mark there was the last to hold it, so that what it remembers of refs,
 * packs and journals is how they are, and all of it is durable.
 *
 * The file is not synced: after a power cut nobody is left who could find a mark of its own.
 */

import { readEntireFile } from '../io/durable-write.ts';
import { FsError } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import type { DiskPath } from '../model/names.ts';
import { writeCacheFile } from './state/cache-file.ts';

const MARK_BYTES = 16;

export class LastWriterMark {
  #marker: string;
  /** Under the lock, where it has our mark: nobody else may write one. */
  #isHeld = false;

  constructor(
    private readonly ports: Ports,
    private readonly file: DiskPath,
  ) {
    this.#marker = ports.random.hex(MARK_BYTES);
  }

  /**
   * The lock was just got, and nothing was done under it.
   * @returns whether nobody else had it since this one did
   * @throws FsError when the file keeps another's mark: that one would take the store for its own
   */
  claim(): boolean {
    this.#isHeld = this.isOurs();
    if (this.#isHeld) return true;
    writeCacheFile(this.ports.fs, this.file, Buffer.from(this.#marker));
    this.#isHeld = this.isOurs();
    if (!this.#isHeld) removeIfExists(this.ports.fs, this.file);
    return false;
  }

  /** The lock is about to be released. */
  release(): void {
    this.#isHeld = false;
  }

  /** Nobody else had the lock since, as of now. */
  isOurs(): boolean {
    if (this.#isHeld) return true;
    try {
      return readEntireFile(this.ports.fs, this.file, MARK_BYTES * 2).toString('latin1') === this.#marker;
    } catch (error) {
      if (error instanceof FsError) return false;
      throw error;
    }
  }

  /** Something went wrong: what is remembered may not be how it is. */
  invalidate(): void {
    this.#isHeld = false;
    this.#marker = this.ports.random.hex(MARK_BYTES);
  }
}
