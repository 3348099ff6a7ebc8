/** The work of a call, which may ignore the signal that ends the call. */

import type { Clock } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';

/** How long, in milliseconds, work may take to stop after its signal. */
const GRACE_MS = 1_000;

export class RunningWork<T> {
  readonly #result: Promise<T>;
  readonly #end: (background: boolean) => Promise<unknown>;
  #isSettled = false;

  /** Starts the work. @param end ends the call; `background`: its work goes on */
  constructor(work: () => T | Promise<T>, end: (background: boolean) => Promise<unknown>) {
    this.#end = end;
    this.#result = (async () => work())().finally(() => {
      this.#isSettled = true;
    });
  }

  /**
   * Ends the call when the work has ended, or does not end soon after the signal.
   * @throws SavepointError CANCELLED if the work goes on, and what the work throws
   */
  async resultOrAbort(signal: AbortSignal | undefined, clock: Pick<Clock, 'sleep'>): Promise<T> {
    try {
      return await this.#resultUnlessAborted(signal, clock);
    } finally {
      await this.#endCall();
    }
  }

  async #resultUnlessAborted(signal: AbortSignal | undefined, clock: Pick<Clock, 'sleep'>): Promise<T> {
    if (signal === undefined) return this.#result;
    let onAbort = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () =>
        void clock.sleep(GRACE_MS).then(() => reject(cancelledCall('while its tool was running', signal)));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    // Without a listener, a rejection after the work has ended would be an uncaught error.
    aborted.catch(() => undefined);
    try {
      return await Promise.race([this.#result, aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** If its work goes on, the call stays open in the background until the work has ended. */
  async #endCall(): Promise<void> {
    const goesOn = !this.#isSettled;
    await this.#end(goesOn);
    if (!goesOn) return;
    const endAgain = (): Promise<unknown> => this.#end(false);
    // A failure is ignored, because the call has already been answered.
    void this.#result.then(endAgain, endAgain).catch(() => undefined);
  }
}

export function cancelledCall(when: string, { reason }: AbortSignal): SavepointError {
  return new SavepointError(
    'CANCELLED',
    `The call was cancelled ${when}.`,
    {},
    { cause: reason, hint: 'What the tool changes from now on may still be recorded as this call.' },
  );
}
