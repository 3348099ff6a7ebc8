/**
 * Loads again what is shown, as events come: those in quick succession together, and never while the last time still goes
 * on. Otherwise a busy agent would make the page ask faster than the server answers, and each answer would be thrown away.
 */

export interface Refresher {
  /** @param onlyNewWork whether the event says that older work has not changed */
  readonly note: (onlyNewWork: boolean) => void;
  readonly end: () => void;
}

/** @param refresh may fail: a server that is away is asked again when it is back */
export function refresher(refresh: (onlyNewWork: boolean) => Promise<unknown>, togetherMs: number): Refresher {
  let waiting: { onlyNewWork: boolean } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let hasEnded = false;
  const run = async (): Promise<void> => {
    timer = undefined;
    if (waiting === null || hasEnded) return;
    const { onlyNewWork } = waiting;
    waiting = null;
    isRunning = true;
    await refresh(onlyNewWork).catch(() => undefined);
    isRunning = false;
    plan();
  };
  const plan = (): void => {
    if (waiting === null || isRunning || hasEnded) return;
    timer ??= setTimeout(() => void run(), togetherMs);
  };
  return {
    note: (onlyNewWork) => {
      waiting = { onlyNewWork: onlyNewWork && (waiting?.onlyNewWork ?? true) };
      plan();
    },
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
