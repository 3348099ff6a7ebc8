/** What has changed since each state, found in the background: one state after the other, the chosen one first. */
import type { Savepoint } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { asFailure } from '../../failure.ts';

export type ChangesJson = OutputOf<typeof VERBS.diff>;

/** Null: not known yet. A text: why it cannot be known. */
type Known = ChangesJson | string | null;

export class ChangesSince {
  readonly #savepoint: Savepoint;
  readonly #onFound: () => void;
  readonly #found = new Map<string, ChangesJson | string>();
  readonly #stop = new AbortController();
  #wanted: readonly string[] = [];
  #isRunning = false;

  constructor(savepoint: Savepoint, onFound: () => void) {
    this.#savepoint = savepoint;
    this.#onFound = onFound;
  }

  of(checkpoint: string): Known {
    return this.#found.get(checkpoint) ?? null;
  }

  /** @param checkpoints the most important one first */
  want(checkpoints: readonly string[]): void {
    this.#wanted = checkpoints;
    if (!this.#isRunning) void this.#run();
  }

  /** Before and after files change: nothing is known any more. */
  forget(): void {
    this.#found.clear();
  }

  end(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#stop;
    for (;;) {
      const next = this.#wanted.find((id) => !this.#found.has(id));
      if (next === undefined || signal.aborted) break;
      const found = await VERBS.diff
        .handle(this.#savepoint, { from: next }, { signal })
        .catch((error: unknown) => asFailure(error).message);
      this.#found.set(next, found);
      if (!signal.aborted) this.#onFound();
    }
    this.#isRunning = false;
  }
}
