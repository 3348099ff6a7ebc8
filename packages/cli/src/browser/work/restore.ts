/** Restores a checkpoint with the verb `restore`: all files or some of them, after a preview. */
import { type JsonName, nameFromJson, nameToJson, type Savepoint } from '@savepoint/core';
import { type InputOf, VERBS } from '@savepoint/core/frontend';
import { busy, preparedRestore, restoreLines } from '../../terminal-host/overlay/go-back.ts';
import { showPage } from '../../terminal-host/overlay/text-page.ts';
import type { Ui } from '../../terminal-host/overlay/ui.ts';
import { chooseFiles } from './choose-files.ts';

type RestoreInput = InputOf<typeof VERBS.restore>;

/** @returns what was done, as the command says it; null: nothing */
export async function restoreState(
  ui: Ui,
  savepoint: Savepoint,
  { checkpoint, title }: { readonly checkpoint: string; readonly title: string },
): Promise<readonly string[] | null> {
  let input: RestoreInput = { checkpoint, all: true };
  let isChosen = false;
  for (;;) {
    const ready = await preparedRestore(ui, { savepoint, program: 'the browser' }, input);
    if (ready === null) return null;
    const choice = await showPage<'yes' | 'some' | 'no'>(ui, {
      title: `Restore ${isChosen ? 'these files from ' : ''}${title}?`,
      lines: await restoreLines(ui, ready.preview),
      choices: [
        ['y', isChosen ? 'restore these files' : 'restore all files', 'yes'],
        ['f', 'choose files', 'some'],
        ['n', 'cancel', 'no'],
      ],
      cancelled: 'no',
    });
    if (choice === 'no') return null;
    if (choice === 'yes') {
      busy(ui, 'Restoring …');
      const done = await VERBS.restore.handle(savepoint, { ...ready.input, expected: ready.preview.fingerprint }, {});
      return restoreLines(ui, done);
    }
    const whole = isChosen
      ? await VERBS.restore.handle(savepoint, { checkpoint, all: true, mode: 'exact', dryRun: true }, {})
      : ready.preview;
    const paths = await chooseFiles(ui, `Which files of ${title}?`, whole);
    if (paths === null) return null;
    input = { checkpoint, paths: await absolutePaths(savepoint, paths) };
    isChosen = true;
  }
}

/** The verbs take paths relative to the current folder, or absolute ones. */
export async function absolutePaths(savepoint: Savepoint, paths: readonly JsonName[]): Promise<JsonName[]> {
  const { root } = await savepoint.place();
  return paths.map((path) => nameToJson(`${root}/${nameFromJson(path)}`));
}
