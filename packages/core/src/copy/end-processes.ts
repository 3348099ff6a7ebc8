import type { Ports, ProcessIdentity } from '../io/ports.ts';

/** A process gets this time to end by itself. */
const GRACE_MS = 2_000;
const KILL_MS = 10_000;
const POLL_MS = 10;
/** A process that may finish its work gets this time before it is ended. */
const FINISH_MS = 5_000;

/**
 * Ends processes: SIGTERM once, and after a moment SIGKILL until none is left. Also reaches those that left their group.
 * @param left returns those that still run
 * @returns those that do not end
 */
export async function endProcesses(
  { processes, clock }: Pick<Ports, 'processes' | 'clock'>,
  left: () => readonly ProcessIdentity[],
): Promise<readonly ProcessIdentity[]> {
  const started = clock.monotonic();
  const asked = new Set<number>();
  for (;;) {
    const alive = left();
    const waited = clock.monotonic() - started;
    if (alive.length === 0 || waited > KILL_MS) return alive;
    for (const one of alive) {
      if (waited > GRACE_MS) processes.signal(one, 'SIGKILL');
      else if (!asked.has(one.pid)) processes.signal(one, 'SIGTERM');
      asked.add(one.pid);
    }
    await clock.sleep(POLL_MS);
  }
}

/** Waits until none is left, but only some seconds, and not after `signal` aborts. */
export async function waitForProcesses(
  { clock }: Pick<Ports, 'clock'>,
  left: () => readonly ProcessIdentity[],
  signal?: AbortSignal,
): Promise<void> {
  const started = clock.monotonic();
  while (signal?.aborted !== true && left().length > 0 && clock.monotonic() - started < FINISH_MS) {
    await clock.sleep(POLL_MS);
  }
}
