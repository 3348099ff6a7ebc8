/** Handles SIGINT, SIGTERM and SIGHUP: the first signal cancels the work, the second ends the process. */

export interface Interrupt {
  readonly signal: AbortSignal;
  /** The exit status as shells define it (128 plus the number of the signal), or null without a signal. */
  status(): number | null;
  /** Restores the default handling of the signals. */
  end(): void;
}

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

type HandledSignal = keyof typeof NUMBERS;

export function listenForInterrupts(
  names: readonly HandledSignal[] = Object.keys(NUMBERS) as HandledSignal[],
): Interrupt {
  const controller = new AbortController();
  let status: number | null = null;
  const end = (): void => {
    for (const name of names) process.off(name, stop);
  };
  const stop = (name: NodeJS.Signals): void => {
    if (status !== null) {
      end();
      process.kill(process.pid, name);
      return;
    }
    status = 128 + NUMBERS[name as HandledSignal];
    controller.abort();
  };
  for (const name of names) process.on(name, stop);
  return { signal: controller.signal, status: () => status, end };
}

/** For work that must end although its terminal is closed. @returns restores the handling before */
export function ignoreHangUps(): () => void {
  const ignore = (): void => undefined;
  process.on('SIGHUP', ignore);
  return () => process.off('SIGHUP', ignore);
}
