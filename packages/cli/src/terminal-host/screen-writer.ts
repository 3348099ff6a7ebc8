/** Writes bytes to the terminal in order. The event loop does not wait for a slow terminal. */
import { write } from 'node:fs';
import { systemCode } from '../system-error.ts';

/** Above this, the program has to wait. */
const MAX_WAITING_BYTES = 256 * 1024;
const AGAIN_MS = 5;

export class ScreenWriter {
  readonly #fd: number;
  readonly #onRoom: () => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #isFull = false;
  #isGone = false;
  readonly #idle: (() => void)[] = [];

  /** @param onRoom called when there is room again after `write` has returned false */
  constructor(fd: number, onRoom: () => void) {
    this.#fd = fd;
    this.#onRoom = onRoom;
  }

  /** Whether the terminal no longer exists. Then everything is discarded, so that the program does not wait for it. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** @returns whether there is room for more */
  write(bytes: Buffer): boolean {
    if (this.#isGone || bytes.length === 0) return true;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (!this.#isWriting) this.#next();
    this.#isFull = this.#waitingBytes > MAX_WAITING_BYTES;
    return !this.#isFull;
  }

  /** Resolves when everything is written. */
  async drained(): Promise<void> {
    if (!this.#isWriting) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #next(): void {
    const [first, ...more] = this.#waiting;
    if (first === undefined) {
      this.#isWriting = false;
      for (const resolve of this.#idle.splice(0)) resolve();
      return;
    }
    this.#isWriting = true;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#writeRest(bytes);
  }

  #writeRest(bytes: Buffer): void {
    write(this.#fd, bytes, (error, written) => {
      const code = error === null ? null : (systemCode(error) ?? 'EIO');
      // Another process may have made the terminal non-blocking.
      if (code === 'EAGAIN' || code === 'EINTR') setTimeout(() => this.#writeRest(bytes), AGAIN_MS);
      else if (code !== null) this.#giveUp();
      else {
        this.#waitingBytes -= written;
        this.#tellRoom();
        if (written < bytes.length) this.#writeRest(bytes.subarray(written));
        else this.#next();
      }
    });
  }

  #giveUp(): void {
    this.#isGone = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#tellRoom();
    this.#next();
  }

  #tellRoom(): void {
    if (!this.#isFull || this.#waitingBytes > MAX_WAITING_BYTES / 2) return;
    this.#isFull = false;
    this.#onRoom();
  }
}
