/** The calls of a session that run in this process, so that they can be aborted before the session goes back. */

import { SavepointError } from '../model/errors.ts';
import type { CallId } from '../model/ids.ts';

interface InFlightCall {
  readonly controller: AbortController;
  readonly landed: Promise<void>;
  readonly land: () => void;
}

export class CallsInFlight {
  readonly #calls = new Map<CallId, InFlightCall>();
  #isClosed = false;

  /**
   * @param id the id of the call
   * @returns a signal that is aborted when the session goes back
   * @throws SavepointError CANCELLED while it goes back
   */
  begin(id: CallId): AbortSignal {
    if (this.#isClosed) {
      throw new SavepointError(
        'CANCELLED',
        'The session is rolling back to an earlier message, so the call was not started.',
      );
    }
    const known = this.#calls.get(id);
    if (known !== undefined) return known.controller.signal;
    let land = (): void => {};
    const landed = new Promise<void>((resolve) => {
      land = resolve;
    });
    const flight = { controller: new AbortController(), landed, land };
    this.#calls.set(id, flight);
    return flight.controller.signal;
  }

  end(id: CallId): void {
    this.#calls.get(id)?.land();
    this.#calls.delete(id);
  }

  signalOf(id: CallId): AbortSignal | null {
    return this.#calls.get(id)?.controller.signal ?? null;
  }

  /**
   * Aborts all calls and waits until each has ended. No call can start until the returned function is called.
   * @param onAbort called with the ids of the calls before waiting for them
   * @throws SavepointError CANCELLED if the signal ends the wait; calls may start again then
   */
  async abortAll(onAbort: (calls: readonly CallId[]) => void, signal: AbortSignal | null): Promise<() => void> {
    this.#isClosed = true;
    const open = (): void => {
      this.#isClosed = false;
    };
    const reason = new SavepointError('CANCELLED', 'The session is rolling back to an earlier message.');
    const flights = [...this.#calls];
    for (const [, { controller }] of flights) controller.abort(reason);
    if (flights.length > 0) onAbort(flights.map(([id]) => id));
    try {
      await unlessAborted(Promise.all(flights.map(([, { landed }]) => landed)), signal);
      return open;
    } catch (error) {
      open();
      throw error;
    }
  }
}

async function unlessAborted(work: Promise<unknown>, signal: AbortSignal | null): Promise<void> {
  if (signal === null) {
    await work;
    return;
  }
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () =>
      reject(new SavepointError('CANCELLED', 'Cancelled while calls were still running. Nothing was restored.'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
