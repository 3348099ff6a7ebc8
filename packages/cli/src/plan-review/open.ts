/** Opens the review of a plan on the terminal of this process. */
import { BrowserTerminal } from '../browser/screen/terminal.ts';
import { COLOURED, UNCOLOURED } from '../browser/view/paint.ts';
import type { CommandContext } from '../command.ts';
import { Ui } from '../terminal-host/overlay/ui.ts';
import type { PlanView } from './decisions.ts';
import { PlanReview } from './review.ts';

/** @returns the plan as it is afterwards */
export async function reviewOnScreen(
  id: string,
  { savepoint, signal, variables, withoutMessages, clearProgress }: CommandContext,
): Promise<PlanView> {
  const view = await savepoint.plan(id, { signal });
  clearProgress();
  const terminal: BrowserTerminal = new BrowserTerminal({
    typed: (bytes) => ui.type(bytes),
    changed: () => ui.redraw(),
    closed: () => ui.close(),
  });
  const ui: Ui = new Ui(
    {
      size: () => terminal.size,
      write: (text) => terminal.write(text),
      passToProgram: () => undefined,
      program: null,
    },
    (variables['NO_COLOR'] ?? '') === '' ? COLOURED : UNCOLOURED,
  );
  const end = (): void => ui.close();
  signal.addEventListener('abort', end);
  terminal.enter();
  try {
    return await withoutMessages(() => new PlanReview(ui, view, { savepoint, id: view.plan.id, signal }).run());
  } finally {
    signal.removeEventListener('abort', end);
    terminal.leave();
  }
}
