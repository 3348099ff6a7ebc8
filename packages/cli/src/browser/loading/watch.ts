/** Tells when the timeline has new checkpoints, from any process. */
import type { Savepoint } from '@savepoint/core';

/** Checkpoints of an agent come in quick succession. */
const TOGETHER_MS = 150;
const AGAIN_MS = 2_000;

export async function followTimeline(
  savepoint: Savepoint,
  signal: AbortSignal,
  onNew: () => Promise<void>,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const soon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted) void onNew();
    }, TOGETHER_MS);
  };
  while (!signal.aborted) {
    try {
      for await (const _ of savepoint.watch({ signal })) soon();
    } catch {
      // What is wrong with the store is said by whatever the user does next. It may be repaired meanwhile.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
    }
  }
  clearTimeout(timer);
}
