/** Work that nobody waits for: it begins when the call that asked for it is over, and its failure is a warning. */

import type { Clock } from '../io/ports.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import type { EventStream } from './events.ts';

export class BackgroundTasks {
  readonly #work = new Set<Promise<void>>();
  /** Work that has not begun. */
  readonly #queued = new Set<string>();
  /** Work that has not ended, and whether it was asked for again meanwhile. */
  readonly #repeated = new Map<string, boolean>();
  #waiters = 0;

  constructor(
    private readonly clock: Clock,
    private readonly events: EventStream,
  ) {}

  /** @param what names the work, also in the warning */
  start(what: string, work: () => Promise<unknown>): void {
    this.#queued.add(what);
    const done = this.clock
      .turn()
      .then(() => {
        this.#queued.delete(what);
        return work();
      })
      .catch((error: unknown) => {
        this.events.emit('warning', { message: `${what} failed: ${asSavepointError(error).message}` });
      })
      .then(() => {
        this.#work.delete(done);
      });
    this.#work.add(done);
  }

  /** Whether work of that name was started and has not begun. */
  isQueued(what: string): boolean {
    return this.#queued.has(what);
  }

  /** One run at a time, and once more however often it is started meanwhile. */
  startAlone(what: string, work: () => Promise<unknown>): void {
    if (this.#repeated.has(what)) {
      this.#repeated.set(what, true);
      return;
    }
    this.#repeated.set(what, false);
    this.start(what, async () => {
      try {
        await work();
      } finally {
        const isDueAgain = this.#repeated.get(what) === true;
        this.#repeated.delete(what);
        if (isDueAgain) this.startAlone(what, work);
      }
    });
  }

  /** Somebody waits for the work to end. */
  get isAwaited(): boolean {
    return this.#waiters > 0;
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    this.#waiters += 1;
    while (this.#work.size > 0) await Promise.all(this.#work);
    this.#waiters -= 1;
  }
}
