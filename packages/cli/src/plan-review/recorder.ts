/** Records the decisions of a review while it goes on: each as soon as those before it are recorded. */
import { asFailure } from '../failure.ts';
import type { DecisionRequest, Decisions } from './decisions.ts';

export class Recorder {
  readonly #decisions: Decisions;
  readonly #write: (requests: readonly DecisionRequest[]) => Promise<void>;
  #failure: ReturnType<typeof asFailure> | null = null;
  #running: Promise<void> | null = null;

  constructor(decisions: Decisions, write: (requests: readonly DecisionRequest[]) => Promise<void>) {
    this.#decisions = decisions;
    this.#write = write;
  }

  /** Why something could not be recorded. Nothing is recorded after that. */
  get failure(): ReturnType<typeof asFailure> | null {
    return this.#failure;
  }

  /** @param waitMs to return after this time at the latest @returns whether everything is recorded */
  async waitUpTo(waitMs: number): Promise<boolean> {
    if (this.#running === null && !this.#decisions.isRecorded && this.#failure === null) this.#running = this.#all();
    if (this.#running === null) return this.#failure === null;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs);
    });
    await Promise.race([this.#running, late]);
    clearTimeout(timer);
    return this.#decisions.isRecorded;
  }

  /** @throws SavepointError if something could not be recorded */
  async finish(): Promise<void> {
    await this.waitUpTo(0);
    await this.#running;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Called when it is done, or failed. */
  onEnd: () => void = () => undefined;

  async #all(): Promise<void> {
    try {
      while (!this.#decisions.isRecorded) await this.#decisions.record(this.#write);
    } catch (error) {
      this.#failure = asFailure(error);
    }
    this.#running = null;
    this.onEnd();
  }
}
