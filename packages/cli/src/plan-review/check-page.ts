/** Runs the checks of a plan while the screen says so. */
import { type Savepoint, showText } from '@savepoint/core';
import { wrap } from '../browser/view/text.ts';
import { showPage } from '../terminal-host/overlay/text-page.ts';
import type { Ui } from '../terminal-host/overlay/ui.ts';

/** Of a note. */
const MOST_ROWS = 20;

/** @throws SavepointError as `checkPlan`, also if the person stops it */
export async function checkOnScreen(
  ui: Ui,
  { savepoint, signal }: { readonly savepoint: Savepoint; readonly signal: AbortSignal },
  id: string,
): Promise<void> {
  const stop = new AbortController();
  let isOver = false;
  const running = savepoint.checkPlan(id, { signal: AbortSignal.any([signal, stop.signal]) }).finally(() => {
    isOver = true;
    ui.redraw();
  });
  // It is awaited below. Until then, a failure is not unhandled.
  running.catch(() => undefined);
  await showPage(ui, {
    title: `Checking what ${id} would apply`,
    lines: ['The checks of the project run on a copy. The folder is not changed.'],
    choices: [['q', 'stop', 'over']],
    cancelled: 'over',
    until: () => (isOver ? 'over' : null),
  });
  const isStopped = !isOver;
  if (isStopped) stop.abort();
  try {
    const { untrusted, notes } = await running;
    if (untrusted.length > 0 && !isStopped) await showNotRun(ui, id, notes);
  } catch (error) {
    if (!isStopped || signal.aborted) throw error;
  }
}

/** Trust is given at a prompt of its own, which shows what would run. */
async function showNotRun(ui: Ui, id: string, notes: readonly string[]): Promise<void> {
  await showPage(ui, {
    title: `The checks of ${id} did not run`,
    lines: notes.flatMap((note) => wrap(showText(note), ui.size.columns, MOST_ROWS)),
    choices: [['q', 'back', 'over']],
    cancelled: 'over',
  });
}
