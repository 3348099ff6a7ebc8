/** Restores a checkpoint with the verb `restore`: all files or some of them, after a preview. */
import { type JsonName, nameFromJson, nameToJson, type Savepoint } from '@savepoint/core';
import { type InputOf, VERBS } from '@savepoint/core/frontend';
import { busy, preparedRestore, restoreLines, unseenLines } from '../../terminal-host/overlay/go-back.ts';
import { showPage } from '../../terminal-host/overlay/text-page.ts';
import type { Ui } from '../../terminal-host/overlay/ui.ts';
import { chooseFiles } from './choose-files.ts';

type RestoreInput = InputOf<typeof VERBS.restore>;

export interface Goal {
  readonly checkpoint: string;
  /** Safe to show. */
  readonly title: string;
  /** Whose conversation may go back as well; null: no agent's. */
  readonly session: string | null;
}

/** @returns what was done, as the command says it; null: nothing */
export async function restoreState(ui: Ui, savepoint: Savepoint, goal: Goal): Promise<readonly string[] | null> {
  const { checkpoint, title, session } = goal;
  let input: RestoreInput = { checkpoint, all: true };
  for (;;) {
    const ready = await preparedRestore(ui, { savepoint }, input);
    if (ready === null) return null;
    const choice = await showPage<'yes' | 'some' | 'conversation' | 'no'>(ui, {
      title: `Restore ${input.paths === undefined ? '' : 'these files from '}${title}?`,
      lines: await restoreLines(ui, ready.preview),
      choices: choicesFor(input, session),
      cancelled: 'no',
    });
    if (choice === 'no') return null;
    if (choice === 'yes') return restored(ui, savepoint, ready);
    if (choice === 'conversation') {
      input = { checkpoint, all: true, conversation: true, ...(session === null ? {} : { session }) };
      continue;
    }
    const whole =
      input.paths === undefined
        ? ready.preview
        : await VERBS.restore.handle(savepoint, { checkpoint, all: true, mode: 'exact', dryRun: true }, {});
    const paths = await chooseFiles(ui, `Which files of ${title}?`, whole);
    if (paths === null) return null;
    input = { checkpoint, paths: await absolutePaths(savepoint, paths) };
  }
}

/** The verbs take paths relative to the current folder, or absolute ones. */
export async function absolutePaths(savepoint: Savepoint, paths: readonly JsonName[]): Promise<JsonName[]> {
  const { root } = await savepoint.place();
  return paths.map((path) => nameToJson(`${root}/${nameFromJson(path)}`));
}

type Ready = NonNullable<Awaited<ReturnType<typeof preparedRestore>>>;

async function restored(ui: Ui, savepoint: Savepoint, { input, preview }: Ready): Promise<readonly string[]> {
  busy(ui, 'Restoring …');
  const done = await VERBS.restore.handle(savepoint, { ...input, expected: preview.fingerprint }, {});
  return unseenLines(await restoreLines(ui, done), await restoreLines(ui, preview));
}

type Choice = readonly [letter: string, label: string, choice: 'yes' | 'some' | 'conversation' | 'no'];

function choicesFor({ paths, conversation }: RestoreInput, session: string | null): readonly Choice[] {
  const isWhole = paths === undefined && conversation === undefined;
  const label =
    conversation !== undefined
      ? 'restore files and conversation'
      : isWhole
        ? 'restore all files'
        : 'restore these files';
  return [
    ['y', label, 'yes'],
    ['f', 'choose files', 'some'],
    ...(isWhole && session !== null ? [['v', 'with the conversation', 'conversation'] as const] : []),
    ['n', 'cancel', 'no'],
  ];
}
