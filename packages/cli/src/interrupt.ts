/** Handles SIGINT, SIGTERM and SIGHUP: the first signal cancels the work, the second ends the process. */

export interface Interrupt {
  readonly signal: AbortSignal;
  /** The exit status as shells define it (128 plus the number of the signal), or null without a signal. */
  status(): number | null;
  /** Restores the default handling of the signals. */
  end(): void;
}

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** @param given.withoutHangUp ignores SIGHUP, for work that must end although its terminal is closed */
export function listenForInterrupts(given: { readonly withoutHangUp?: boolean } = {}): Interrupt {
  const controller = new AbortController();
  let status: number | null = null;
  const names = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];
  const ignore = (): void => undefined;
  const end = (): void => {
    for (const name of names) process.off(name, stop).off(name, ignore);
  };
  const stop = (name: NodeJS.Signals): void => {
    if (status !== null) {
      end();
      process.kill(process.pid, name);
      return;
    }
    status = 128 + NUMBERS[name as keyof typeof NUMBERS];
    controller.abort();
  };
  for (const name of names) process.on(name, given.withoutHangUp === true && name === 'SIGHUP' ? ignore : stop);
  return { signal: controller.signal, status: () => status, end };
}
