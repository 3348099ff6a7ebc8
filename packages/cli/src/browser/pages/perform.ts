/** What the user starts with a key, from the question to the message about the result. */
import type { Savepoint } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { asFailure, failureAsText } from '../../failure.ts';
import { shortText } from '../../show/checkpoint.ts';
import { busy, linesOf, notice, viewOf } from '../../terminal-host/overlay/go-back.ts';
import { showPage } from '../../terminal-host/overlay/text-page.ts';
import type { Ui } from '../../terminal-host/overlay/ui.ts';
import { diffLines, fileAt } from '../diff/diff-lines.ts';
import type { Command } from '../keys.ts';
import { chosenRow } from '../list/rows.ts';
import type { Row, State } from '../model.ts';
import { inverse } from './inverse.ts';
import { type Goal, restoreState } from './restore.ts';
import { rollBack } from './rollback.ts';

/** The message about what was done; null: nothing was. */
export type Done = string | null;

interface Work {
  readonly ui: Ui;
  readonly savepoint: Savepoint;
  readonly state: State;
}

export async function performed(command: Command, work: Work): Promise<Done> {
  try {
    const lines = await act(command, work);
    if (lines === null) return null;
    // The first line is the message below the panes.
    if (lines.length > 1 && (await donePage(work.ui, lines, command)) === 'undo') return performed('undo', work);
    return lines[0] ?? null;
  } catch (error) {
    await notice(work.ui, 'This did not work.', linesOf(failureAsText(asFailure(error), work.ui.style)));
    return null;
  }
}

/** Warnings, and how a conversation continues, must not be overlooked. */
async function donePage(ui: Ui, lines: readonly string[], command: Command): Promise<'back' | 'undo'> {
  const canUndo = command === 'restore' || command === 'rollback' || command === 'redo';
  return showPage<'back' | 'undo'>(ui, {
    title: 'Done',
    lines,
    choices: [['enter', 'back', 'back'], ...(canUndo ? [['u', 'undo', 'undo'] as const] : [])],
    cancelled: 'back',
  });
}

async function act(command: Command, { ui, savepoint, state }: Work): Promise<readonly string[] | null> {
  const row = chosenRow(state);
  switch (command) {
    case 'create':
      return created(ui, savepoint, state.typed?.text ?? '');
    case 'pin':
      return row?.kind === 'checkpoint'
        ? pinned(ui, savepoint, row)
        : unsuitable(ui, 'Only checkpoints can be pinned.');
    case 'restore': {
      const goal = row === undefined ? null : goalOf(row);
      return goal === null ? unsuitable(ui, 'This row has no state to restore.') : restoreState(ui, savepoint, goal);
    }
    case 'rollback':
      return row === undefined || row.kind === 'now' || row.kind === 'damaged'
        ? unsuitable(ui, 'Choose a checkpoint or a turn, whose changes are rolled back.')
        : rollBack(ui, savepoint, { row, path: chosenPath(state), turns: turnsIn(state) });
    case 'undo':
    case 'redo':
      return inverse(ui, savepoint, command);
    default:
      return null;
  }
}

async function unsuitable(ui: Ui, text: string): Promise<null> {
  await notice(ui, text, []);
  return null;
}

async function created(ui: Ui, savepoint: Savepoint, typed: string): Promise<readonly string[]> {
  busy(ui, 'Taking a checkpoint …');
  const message = typed.trim();
  const output = await VERBS.checkpoint.handle(savepoint, message === '' ? {} : { message }, {});
  const { checkpoint } = await import('../../commands/checkpoints/checkpoint.ts');
  return linesOf(checkpoint.render(output, viewOf(ui), NO_ARGUMENTS));
}

async function pinned(
  ui: Ui,
  savepoint: Savepoint,
  { checkpoint: { id }, isPinned }: Extract<Row, { kind: 'checkpoint' }>,
): Promise<readonly string[]> {
  const { pin, unpin } = await import('../../commands/checkpoints/pin.ts');
  const command = isPinned ? unpin : pin;
  const output = await command.verb.handle(savepoint, { checkpoint: id }, {});
  return linesOf(command.render(output, viewOf(ui), NO_ARGUMENTS));
}

const NO_ARGUMENTS = { operands: [], paths: [], options: {} };

/** The state to restore: of a turn, the one before its work. */
function goalOf(row: Row): Goal | null {
  switch (row.kind) {
    case 'now':
      return { checkpoint: 'last', title: 'the last checkpoint', session: null };
    case 'damaged':
      return { checkpoint: row.id, title: row.id, session: null };
    case 'turn': {
      const { before, prompt, session } = row.turn;
      const words = prompt === null ? before : shortText(prompt);
      return before === null ? null : { checkpoint: before, title: `the state before “${words}”`, session };
    }
    case 'checkpoint': {
      const { id, description, session } = row.checkpoint;
      return { checkpoint: id, title: `${id}, ${shortText(description)}`, session };
    }
  }
}

/** Only while the diff has the keyboard, because then the user sees which file is chosen. */
function chosenPath({ focus, diff }: State): string | null {
  return focus === 'diff' ? (fileAt(diffLines(diff), diff.cursor)?.path ?? null) : null;
}

function turnsIn({ lists }: State) {
  return lists.turns.rows.flatMap((row) => (row.kind === 'turn' ? [row.turn] : []));
}
