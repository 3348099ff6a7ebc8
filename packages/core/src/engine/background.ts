/** Background tasks. A task starts after the current call, and its failure is only a warning. */

import type { Clock } from '../io/ports.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import type { EventStream } from './events.ts';

export class BackgroundTasks {
  readonly #work = new Set<Promise<void>>();
  /** Tasks that have not started. */
  readonly #queued = new Set<string>();
  /** Tasks that have not ended, and whether each was requested again meanwhile. */
  readonly #repeated = new Map<string, boolean>();
  #waiters = 0;

  constructor(
    private readonly clock: Clock,
    private readonly events: EventStream,
  ) {}

  /** @param what names the task, also in the warning */
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

  /** Whether a task of that name is waiting to start. */
  isQueued(what: string): boolean {
    return this.#queued.has(what);
  }

  /** Runs one task of that name at a time. If it is requested again meanwhile, it runs once more. */
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

  /** Whether a caller is waiting for the tasks to end. */
  get isAwaited(): boolean {
    return this.#waiters > 0;
  }

  /** Resolves when no tasks are left. */
  async idle(): Promise<void> {
    this.#waiters += 1;
    while (this.#work.size > 0) await Promise.all(this.#work);
    this.#waiters -= 1;
  }
}
