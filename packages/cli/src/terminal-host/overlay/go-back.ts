/** Goes back to a state: shows what would happen, asks, does it and shows the result. It is the verb `restore`. */
import { type JsonName, nameFromJson, nameToJson, type Savepoint } from '@savepoint/core';
import { type InputOf, type OutputOf, VERBS } from '@savepoint/core/frontend';
import type { VerbArguments } from '../../command.ts';
import { asFailure, failureAsText } from '../../failure.ts';
import { mixedAuthorsText } from '../../show/authors.ts';
import { countText, pathText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';
import type { HostedConversations } from './hosted-conversations.ts';
import type { EarlierState } from './states.ts';
import { showPage } from './text-page.ts';
import type { Ui } from './ui.ts';

/** What the pages work with. */
export interface OverlayWork {
  readonly savepoint: Savepoint;
  /** The name of the program, safe to show. */
  readonly program: string;
  readonly hosts: HostedConversations;
}

/** `back`: to the list. `again`: to a new list, because files have changed. `left`: to the program. */
export type PageEnd = 'back' | 'again' | 'left';

export type RestoreInput = InputOf<typeof VERBS.restore>;
export type RestoreJson = OutputOf<typeof VERBS.restore>;

const NO_ARGUMENTS: VerbArguments = { operands: [], paths: [], options: {} };

export async function goBack(ui: Ui, work: OverlayWork, state: EarlierState): Promise<PageEnd> {
  return reportingFailure(ui, async () => {
    let wanted: RestoreInput = { checkpoint: state.id, all: true };
    let isChosen = false;
    for (;;) {
      const ready = await preparedRestore(ui, work, wanted);
      if (ready === null) return 'back';
      const { input, preview } = ready;
      const choice = await showPage<'yes' | 'some' | 'no'>(ui, {
        title: `Go back to before ${stateText(state)}?`,
        lines: await restoreLines(ui, preview),
        choices: [
          ['y', isChosen ? 'go back, these files only' : 'go back, files only', 'yes'],
          ['f', 'choose files', 'some'],
          ['n', 'cancel', 'no'],
        ],
        cancelled: 'no',
      });
      if (choice === 'no' || ui.isClosed) return 'back';
      if (choice === 'yes') return restored(ui, work, { state, input, fingerprint: preview.fingerprint });
      const whole = isChosen
        ? await VERBS.restore.handle(
            work.savepoint,
            { checkpoint: state.id, all: true, mode: 'exact', dryRun: true },
            {},
          )
        : preview;
      const { chooseFiles } = await import('../../browser/pages/choose-files.ts');
      const chosen = await chooseFiles(ui, `Which files go back to before ${stateText(state)}?`, whole);
      if (chosen === null) return 'back';
      const { root } = await work.savepoint.place();
      wanted = {
        checkpoint: state.id,
        paths: chosen.map((path) => nameToJson(`${root}/${nameFromJson(path)}` as never)),
      };
      isChosen = true;
    }
  });
}

export async function undoLast(ui: Ui, work: OverlayWork): Promise<PageEnd> {
  return reportingFailure(ui, async () => {
    busy(ui, 'Looking for the last operation …');
    const preview = await VERBS.undo.handle(work.savepoint, { dryRun: true }, {});
    const canUndo = preview.outcome === 'ready' || preview.outcome === 'nothing';
    const choice = await showPage<'yes' | 'no'>(ui, {
      title: canUndo ? 'Undo the last operation?' : 'The last operation cannot be undone.',
      lines: await undoLines(ui, preview),
      choices: canUndo
        ? [
            ['y', 'undo', 'yes'],
            ['n', 'cancel', 'no'],
          ]
        : [['c', 'back', 'no']],
      cancelled: 'no',
    });
    if (choice === 'no' || ui.isClosed) return 'back';
    busy(ui, 'Undoing …');
    const done = await VERBS.undo.handle(work.savepoint, { expected: preview.fingerprint }, {});
    return resultPage(ui, work, { title: 'Undone.', lines: await undoLines(ui, done) });
  });
}

/** Shows an error like the command does, and returns to the list. */
export async function reportingFailure(ui: Ui, act: () => Promise<PageEnd>): Promise<PageEnd> {
  try {
    return await act();
  } catch (error) {
    await notice(ui, 'This did not work.', linesOf(failureAsText(asFailure(error), ui.style)));
    return 'back';
  }
}

export async function notice(ui: Ui, title: string, lines: readonly string[]): Promise<PageEnd> {
  return showPage<PageEnd>(ui, { title, lines, choices: [['enter', 'back', 'back']], cancelled: 'back' });
}

/** `“the words of the prompt”`, or the checkpoint. */
export function stateText({ words, id, agent }: EarlierState): string {
  return words === null ? `${id} (${agent})` : `“${words}”`;
}

export function linesOf(text: string | Buffer): readonly string[] {
  return text.toString().trimEnd().split('\n');
}

/** The first line of a result, and those that its preview did not show, for example warnings. */
export function unseenLines([first = '', ...rest]: readonly string[], preview: readonly string[]): readonly string[] {
  return [first, ...rest.filter((line) => !preview.includes(line))];
}

export function viewOf(ui: Ui): OutputView {
  return { style: ui.style, width: Math.max(20, ui.size.columns - 2), isTerminal: true, isPage: true };
}

export function busy(ui: Ui, text: string): void {
  ui.draw(['', ` ${text}`]);
}

/** The text of the command. With `yes`, it lists what was changed, because no preview was shown before. */
export async function restoreLines(ui: Ui, output: RestoreJson): Promise<readonly string[]> {
  const { restore } = await import('../../commands/rewind/restore.ts');
  return linesOf(restore.render(output, viewOf(ui), { ...NO_ARGUMENTS, options: { yes: true } }));
}

export async function resultPage(
  ui: Ui,
  { program }: OverlayWork,
  { title, lines }: { readonly title: string; readonly lines: readonly string[] },
  words: string | null = null,
): Promise<PageEnd> {
  const end = await showPage<PageEnd | 'words'>(ui, {
    title,
    lines,
    choices: [
      ['enter', `return to ${program}`, 'left'],
      ...(words === null || ui.program === null ? [] : ([['p', 'put the prompt into its input', 'words']] as const)),
      ['l', 'back to the list', 'again'],
    ],
    cancelled: 'left',
  });
  if (end !== 'words') return end;
  if (words !== null) ui.program?.handBack(words);
  return 'left';
}

/** Asks what has to be decided first. Null: there is nothing to do, or the user cancelled. */
export async function preparedRestore(
  ui: Ui,
  { savepoint }: Pick<OverlayWork, 'savepoint'>,
  first: RestoreInput,
): Promise<{ readonly input: RestoreInput; readonly preview: RestoreJson } | null> {
  let input = first;
  for (;;) {
    busy(ui, 'Comparing …');
    const preview = await VERBS.restore.handle(savepoint, { ...input, dryRun: true }, {});
    const goesBack = preview.outcome === 'nothing' && preview.conversation?.possible === true;
    if (preview.outcome === 'ready' || goesBack) return { input, preview };
    const decision =
      preview.parties !== null
        ? await decideOnOthers(ui, preview, preview.parties)
        : preview.outcome === 'conflict'
          ? await decideOnConflicts(ui, savepoint, preview)
          : null;
    if (decision === null) {
      const title = preview.outcome === 'refused' ? 'This cannot be restored now.' : 'There is nothing to go back to.';
      if (preview.outcome !== 'conflict') await notice(ui, title, await restoreLines(ui, preview));
      return null;
    }
    input = { ...input, ...decision };
  }
}

async function restored(
  ui: Ui,
  work: OverlayWork,
  {
    state,
    input,
    fingerprint,
  }: { readonly state: EarlierState; readonly input: RestoreInput; readonly fingerprint: string },
): Promise<PageEnd> {
  busy(ui, 'Going back …');
  const done = await VERBS.restore.handle(work.savepoint, { ...input, expected: fingerprint }, {});
  return resultPage(
    ui,
    work,
    { title: `Went back to before ${stateText(state)}.`, lines: await restoreLines(ui, done) },
    state.prompt,
  );
}

async function undoLines(ui: Ui, output: OutputOf<typeof VERBS.undo>): Promise<readonly string[]> {
  const { undo } = await import('../../commands/rewind/undo.ts');
  return linesOf(undo.render(output, viewOf(ui), NO_ARGUMENTS));
}

async function decideOnOthers(
  ui: Ui,
  preview: RestoreJson,
  { agents, outside }: NonNullable<RestoreJson['parties']>,
): Promise<Partial<RestoreInput> | null> {
  const choice = await showPage<'agents' | 'all' | 'cancel'>(ui, {
    title: 'Somebody else changed files as well.',
    lines: [
      `Since ${ui.style.id(preview.target.id)}, ${mixedAuthorsText(agents)}.`,
      '',
      'Changed by others, or possibly by others:',
      ...outside.map((path) => `  ${pathText(path)}`),
    ],
    choices: [
      ['a', 'revert only what agents changed', 'agents'],
      ['e', `everything: others lose ${countText(outside.length, 'path')}`, 'all'],
      ['c', 'cancel', 'cancel'],
    ],
    cancelled: 'cancel',
  });
  return choice === 'cancel' ? null : { mode: choice === 'all' ? 'exact' : 'keep-outside' };
}

async function decideOnConflicts(
  ui: Ui,
  savepoint: Savepoint,
  preview: RestoreJson,
): Promise<Partial<RestoreInput> | null> {
  const { conflicts } = preview.plan;
  const choice = await showPage<'ours' | 'theirs' | 'skip' | 'cancel'>(ui, {
    title: `${countText(conflicts.length, 'file')} changed in the same lines.`,
    lines: await restoreLines(ui, preview),
    choices: [
      ['o', 'keep the lines of now', 'ours'],
      ['t', 'take the earlier lines', 'theirs'],
      ['s', 'leave these files alone', 'skip'],
      ['c', 'cancel', 'cancel'],
    ],
    cancelled: 'cancel',
  });
  if (choice === 'cancel') return null;
  if (choice === 'skip') return { skipConflicts: true };
  const { root } = await savepoint.place();
  const absolute = ({ path }: { readonly path: JsonName }): JsonName =>
    nameToJson(`${root}/${nameFromJson(path)}` as never);
  return { [choice]: conflicts.map(absolute) };
}
