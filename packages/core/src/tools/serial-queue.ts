import { SavepointError } from '../model/errors.ts';

/**
 * Runs calls for one folder one after the other, in the order they were made. In parallel, they would only wait for
 * each other's locks.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #left = 0;

  /** Whether a call is running or waiting for its turn. */
  get isRunning(): boolean {
    return this.#left > 0;
  }

  /** @throws SavepointError CANCELLED if the call was cancelled before its turn */
  run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (signal?.aborted === true) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
      return work();
    });
    this.#left += 1;
    this.#last = turn.catch(() => undefined).finally(() => (this.#left -= 1));
    return turn;
  }

  /** Resolves when no call is left. */
  async drained(): Promise<void> {
    let seen: unknown = null;
    while (seen !== this.#last) {
      seen = this.#last;
      await seen;
    }
  }
}
