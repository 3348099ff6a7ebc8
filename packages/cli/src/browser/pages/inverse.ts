/** Undoes or redoes the last operation, after a preview. */
import type { Savepoint } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { busy, linesOf, unseenLines, viewOf } from '../../terminal-host/overlay/go-back.ts';
import { showPage } from '../../terminal-host/overlay/text-page.ts';
import type { Ui } from '../../terminal-host/overlay/ui.ts';

const NO_ARGUMENTS = { operands: [], paths: [], options: {} };

/** @returns what was done, as the command says it; null: nothing */
export async function inverse(ui: Ui, savepoint: Savepoint, name: 'undo' | 'redo'): Promise<readonly string[] | null> {
  busy(ui, 'Looking for the last operation …');
  const command = await commandOf(name);
  const textOf = (output: Parameters<typeof command.render>[0]): readonly string[] =>
    linesOf(command.render(output, viewOf(ui), NO_ARGUMENTS));
  const verb = VERBS[name];
  const preview = await verb.handle(savepoint, { dryRun: true }, {});
  const isPossible = preview.outcome === 'ready' || preview.outcome === 'nothing';
  const choice = await showPage<'yes' | 'no'>(ui, {
    title: isPossible ? `${name === 'undo' ? 'Undo' : 'Redo'} the last operation?` : `The ${name} is not possible.`,
    lines: textOf(preview),
    choices: isPossible
      ? [
          ['y', name, 'yes'],
          ['n', 'cancel', 'no'],
        ]
      : [['enter', 'back', 'no']],
    cancelled: 'no',
  });
  if (choice === 'no') return null;
  busy(ui, name === 'undo' ? 'Undoing …' : 'Redoing …');
  return unseenLines(textOf(await verb.handle(savepoint, { expected: preview.fingerprint }, {})), textOf(preview));
}

async function commandOf(name: 'undo' | 'redo') {
  return name === 'undo'
    ? (await import('../../commands/rewind/undo.ts')).undo
    : (await import('../../commands/rewind/redo.ts')).redo;
}
