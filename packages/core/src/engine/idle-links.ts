/** When a process that stays open replaces linked packs: once it is idle, again if it could not, and not for ever. */

import type { IdleWork } from './adopted-objects.ts';

/** Milliseconds without a call after which a process counts as idle. */
const QUIET_MS = 3_000;
/** Milliseconds between two looks: another process may take a first checkpoint at any time. */
const LOOK_MS = 10_000;
/** How often the work is tried while others work in the store, until the next call. */
const MAX_TRIES = 30;

/** For one workspace. Has no timer: the process calls `look` every few seconds, and only while no call is running. */
export class IdleLinks {
  readonly #ending = new AbortController();
  #running: Promise<void> | null = null;
  #nextLook: number;
  #triesLeft = MAX_TRIES;

  /** @param replace see `replaceLinks` of the library. After it has thrown, it is not called again */
  constructor(
    private readonly replace: (signal: AbortSignal) => Promise<IdleWork>,
    private readonly now: () => number,
  ) {
    this.#nextLook = now() + QUIET_MS;
  }

  /** A call begins or ends. */
  used(): void {
    this.#nextLook = this.now() + QUIET_MS;
    this.#triesLeft = MAX_TRIES;
  }

  look(): void {
    if (this.#running !== null || this.#ending.signal.aborted) return;
    if (this.#triesLeft === 0 || this.now() < this.#nextLook) return;
    this.#running = this.#try().finally(() => {
      this.#running = null;
    });
  }

  /** Stops the work. What it has copied stays, so the next process continues. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #try(): Promise<void> {
    try {
      const done = await this.replace(this.#ending.signal);
      this.#triesLeft = done === 'busy' ? this.#triesLeft - 1 : MAX_TRIES;
      this.#nextLook = Math.max(this.#nextLook, this.now() + LOOK_MS);
    } catch {
      // A store that cannot be read or written. Commands report it.
      this.#ending.abort();
    }
  }
}
