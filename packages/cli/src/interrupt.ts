/** Ctrl-C and its kin: the first stops the work where it can still be stopped, the second ends the process. */

export interface Interrupt {
  readonly signal: AbortSignal;
  /** The process status by the shells' custom (128 and the signal's number), or null where nothing came. */
  status(): number | null;
  /** Gives the signals back to the system. */
  end(): void;
}

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

export function listenForInterrupts(): Interrupt {
  const controller = new AbortController();
  let status: number | null = null;
  const names = Object.keys(NUMBERS) as (keyof typeof NUMBERS)[];
  const end = (): void => {
    for (const name of names) process.off(name, stop);
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
  for (const name of names) process.on(name, stop);
  return { signal: controller.signal, status: () => status, end };
}
