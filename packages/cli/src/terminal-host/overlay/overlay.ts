/** The overlay that Esc Esc opens: the list of states, and what can be done with them. */
import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { asFailure, failureAsText } from '../../failure.ts';
import { ChangesSince } from './changes-since.ts';
import {
  busy,
  goBack,
  linesOf,
  notice,
  type OverlayWork,
  type PageEnd,
  reportingFailure,
  resultPage,
  stateText,
  undoLast,
  viewOf,
} from './go-back.ts';
import { goBackWithConversation } from './go-back-conversation.ts';
import { StateList } from './list-page.ts';
import { runningCalls, waitForCalls } from './open-calls.ts';
import { type EarlierState, earlierStates } from './states.ts';
import { showPage } from './text-page.ts';
import type { Ui } from './ui.ts';

/** How often the list looks whether a call has started or ended, and how long ago something was. */
const LOOK_MS = 1000;

/** Resolves when the user returns to the program, or when the program has ended. */
export async function showOverlay(ui: Ui, work: OverlayWork): Promise<void> {
  busy(ui, 'Reading …');
  try {
    while ((await showStates(ui, work)) === 'again');
  } catch (error) {
    await notice(ui, 'The list cannot be shown.', linesOf(failureAsText(asFailure(error), ui.style)));
  }
}

async function showStates(ui: Ui, work: OverlayWork): Promise<PageEnd> {
  const { savepoint } = work;
  const states = await earlierStates(savepoint);
  const changes = new ChangesSince(savepoint, () => ui.redraw());
  let running = await runningCalls(savepoint);
  const look = setInterval(() => {
    void runningCalls(savepoint)
      .then((calls) => {
        running = calls;
        ui.redraw();
      })
      .catch(() => undefined);
  }, LOOK_MS);
  const { root } = await savepoint.place();
  const workspace = showText(Buffer.from(root, 'latin1').toString('utf8').split('/').at(-1) ?? '');
  const list = new StateList(ui, { states, changes, workspace, now: () => savepoint.now(), running: () => running });
  try {
    for (;;) {
      const choice = await list.choose();
      if (choice.act === 'close' || ui.isClosed) return 'left';
      const end = 'state' in choice ? await ACTIONS[choice.act](ui, work, choice.state) : await undoLast(ui, work);
      if (end !== 'back') return end;
    }
  } finally {
    clearInterval(look);
    changes.end();
  }
}

const ACTIONS = {
  files: async (ui: Ui, work: OverlayWork, state: EarlierState): Promise<PageEnd> => {
    const isQuiet = await waitForCalls(ui, work.savepoint, state);
    return isQuiet ? goBack(ui, work, state) : 'back';
  },
  conversation: async (ui: Ui, work: OverlayWork, state: EarlierState): Promise<PageEnd> => {
    const isQuiet = await waitForCalls(ui, work.savepoint, state);
    return isQuiet ? goBackWithConversation(ui, work, state) : 'back';
  },
  agent: async (ui: Ui, work: OverlayWork, state: EarlierState): Promise<PageEnd> => {
    if (!(await waitForCalls(ui, work.savepoint, state))) return 'back';
    return reportingFailure(ui, async () => {
      busy(ui, 'Looking for the changes …');
      const { performRollback } = await import('../../browser/pages/rollback.ts');
      // Calls of agents have ended, and the call of `run` itself lasts as long as the program.
      const input = { session: state.session, after: state.id, force: true };
      const done = await performRollback(ui, work.savepoint, input);
      if (done === null) return 'back';
      return resultPage(ui, work, { title: `Rolled back ${state.agent} since ${stateText(state)}.`, lines: done });
    });
  },
  diff: async (ui: Ui, { savepoint }: OverlayWork, state: EarlierState): Promise<PageEnd> =>
    reportingFailure(ui, async () => {
      busy(ui, 'Comparing …');
      const { diff } = await import('../../commands/changes/diff.ts');
      const output = await VERBS.diff.handle(savepoint, { from: state.id, patch: true }, {});
      const given = { operands: [state.id], paths: [], options: {} };
      return showPage<PageEnd>(ui, {
        title: `Changed since before ${stateText(state)}`,
        lines: linesOf(diff.render(output, viewOf(ui), given)),
        choices: [
          ['↑↓', 'scroll', 'back'],
          ['q', 'back', 'back'],
        ],
        cancelled: 'back',
      });
    }),
};
