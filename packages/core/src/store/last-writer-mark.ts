/**
 * Detects whether another process has worked on a store since this one did. After acquiring the store lock, a process
 * writes its own marker to a file before anything else. If the marker is still its own the next time, no other process
 * has held the lock in between. Then its cached refs, packs and journals are current and durable.
 *
 * The file is not synced: no process survives a power cut, so none can find its own marker afterwards.
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
  /** True while the lock is held and the file contains our marker: no other process may replace it then. */
  #isHeld = false;

  constructor(
    private readonly ports: Ports,
    private readonly file: DiskPath,
  ) {
    this.#marker = ports.random.hex(MARK_BYTES);
  }

  /**
   * Writes our marker. Call it right after acquiring the lock, before anything is done under it.
   * @returns whether no other process has held the lock since this one did
   * @throws FsError if another process's marker cannot be removed: that process would consider its caches current
   */
  claim(): boolean {
    this.#isHeld = this.isOurs();
    if (this.#isHeld) return true;
    writeCacheFile(this.ports.fs, this.file, Buffer.from(this.#marker));
    this.#isHeld = this.isOurs();
    if (!this.#isHeld) removeIfExists(this.ports.fs, this.file);
    return false;
  }

  /** Call it right before the lock is released. */
  release(): void {
    this.#isHeld = false;
  }

  /** Returns whether, as of now, no other process has held the lock since this one did. */
  isOurs(): boolean {
    if (this.#isHeld) return true;
    try {
      return readEntireFile(this.ports.fs, this.file, MARK_BYTES * 2).toString('latin1') === this.#marker;
    } catch (error) {
      if (error instanceof FsError) return false;
      throw error;
    }
  }

  /** Drops our marker after a failure: the cached state may differ from the disk. */
  invalidate(): void {
    this.#isHeld = false;
    this.#marker = this.ports.random.hex(MARK_BYTES);
  }
}
