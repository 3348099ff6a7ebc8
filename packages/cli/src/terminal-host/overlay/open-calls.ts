/** Agents' calls that run while the user wants to go back: what they write later would not be taken back. */
import { type Savepoint, showText } from '@savepoint/core';
import type { OpenCall } from '@savepoint/core/frontend';
import { stateText } from './go-back.ts';
import type { EarlierState } from './states.ts';
import { showPage } from './text-page.ts';
import type { Ui } from './ui.ts';

const POLL_MS = 250;

export async function runningCalls(savepoint: Savepoint): Promise<readonly OpenCall[]> {
  const calls = await savepoint.openCalls();
  return calls.filter((call) => call.hosts !== true && !call.own && !call.background && call.expired !== true);
}

export function callText({ actor, tool }: OpenCall): string {
  const summary = tool.summary === '' ? '' : `: ${showText(tool.summary)}`;
  return `${showText(actor.name)} is running ${showText(tool.name)}${summary}`;
}

/** Waits, if the user wants to, until no call runs. @returns false if the user cancelled */
export async function waitForCalls(ui: Ui, savepoint: Savepoint, state: EarlierState): Promise<boolean> {
  let calls = await runningCalls(savepoint);
  if (calls.length === 0) return true;
  let isOver = false;
  const poll = setInterval(() => {
    runningCalls(savepoint).then(
      (now) => {
        isOver = now.length === 0;
        calls = now;
        ui.redraw();
      },
      // Not known this time: it still waits.
      () => undefined,
    );
  }, POLL_MS);
  let isInterrupted = false;
  try {
    for (;;) {
      const choice = await showPage<'over' | 'interrupt' | 'cancel'>(ui, {
        title: `Go back to before ${stateText(state)}: waiting …`,
        lines: () => [
          ...calls.map(callText),
          '',
          'What it writes later would not be taken back, so this waits until it has ended.',
          ...(isInterrupted ? ['Esc was sent to the program. If it goes on, send it again.'] : []),
        ],
        choices: [
          ...(ui.program === null ? [] : ([['i', 'interrupt it', 'interrupt']] as const)),
          ...(isInterrupted ? ([['g', 'go on, it has ended', 'over']] as const) : []),
          ['c', 'cancel', 'cancel'],
        ],
        cancelled: 'cancel',
        until: () => (isOver ? 'over' : null),
      });
      if (choice !== 'interrupt') return choice === 'over';
      ui.program?.interrupt();
      isInterrupted = true;
    }
  } finally {
    clearInterval(poll);
  }
}
