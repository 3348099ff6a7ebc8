/**
 * What has changed since each state, found in the background: one state after the other, the chosen one first. Agents go
 * on meanwhile, so the chosen one is compared again and again.
 */
import type { Savepoint } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { asFailure } from '../../failure.ts';

export type ChangesJson = OutputOf<typeof VERBS.diff>;

/** Null: not known yet. A text: why it cannot be known. */
type Known = ChangesJson | string | null;

interface Found {
  readonly changes: ChangesJson | string;
  /** When to compare again, on the clock of the process. */
  readonly again: number;
}

const AGAIN_MS = 2_000;
/** In a large workspace, a comparison takes long. It must not run all the time. */
const AGAIN_FACTOR = 10;

export class ChangesSince {
  readonly #savepoint: Savepoint;
  readonly #onFound: () => void;
  readonly #found = new Map<string, Found>();
  readonly #stop = new AbortController();
  #wanted: readonly string[] = [];
  #isRunning = false;

  constructor(savepoint: Savepoint, onFound: () => void) {
    this.#savepoint = savepoint;
    this.#onFound = onFound;
  }

  of(checkpoint: string): Known {
    return this.#found.get(checkpoint)?.changes ?? null;
  }

  /** @param checkpoints the most important one first */
  want(checkpoints: readonly string[]): void {
    this.#wanted = checkpoints;
    if (!this.#isRunning) void this.#run();
  }

  end(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#stop;
    for (;;) {
      const next = this.#next();
      if (next === undefined || signal.aborted) break;
      const began = performance.now();
      const changes = await VERBS.diff
        .handle(this.#savepoint, { from: next }, { signal })
        .catch((error: unknown) => asFailure(error).message);
      const now = performance.now();
      this.#found.set(next, { changes, again: now + Math.max(AGAIN_MS, (now - began) * AGAIN_FACTOR) });
      if (!signal.aborted) this.#onFound();
    }
    this.#isRunning = false;
  }

  #next(): string | undefined {
    const missing = this.#wanted.find((id) => !this.#found.has(id));
    if (missing !== undefined) return missing;
    const [chosen] = this.#wanted;
    const found = chosen === undefined ? undefined : this.#found.get(chosen);
    return found !== undefined && performance.now() >= found.again ? chosen : undefined;
  }
}
