/**
 * Goes back with the files and the conversation: shows what both lose, asks, ends the program, restores, and lets the
 * program that continues the conversation follow. If it fails in between, the conversation as it was continues.
 */

import { nameFromJson, type Savepoint, showText, textFromBytes } from '@savepoint/core';
import { shellWord, VERBS } from '@savepoint/core/frontend';
import { asFailure, failureAsText } from '../../failure.ts';
import { lossText } from '../../show/conversation.ts';
import {
  busy,
  goBack,
  linesOf,
  notice,
  type OverlayWork,
  type PageEnd,
  preparedRestore,
  type RestoreJson,
  reportingFailure,
  restoreLines,
  stateText,
} from './go-back.ts';
import { whyOther } from './hosted-conversations.ts';
import type { EarlierState } from './states.ts';
import { showPage } from './text-page.ts';
import type { NextProgram, ReplaceableProgram, Ui } from './ui.ts';

export async function goBackWithConversation(ui: Ui, work: OverlayWork, state: EarlierState): Promise<PageEnd> {
  const { program } = ui;
  if (program === null) return 'back';
  return reportingFailure(ui, async () => {
    const other = await whyOther(work.savepoint, work, state);
    if (other !== null) return filesOnly(ui, work, state, otherConversation(other, state));
    const first = { checkpoint: state.id, all: true, conversation: true, session: state.session };
    const whyNot = await whyImpossible(work.savepoint, first);
    if (whyNot !== null) {
      return filesOnly(ui, work, state, {
        title: 'The conversation cannot go back.',
        lines: [`${showText(whyNot)}.`],
      });
    }
    const ready = await preparedRestore(ui, work, first);
    if (ready === null) return 'back';
    const { input, preview } = ready;
    const choice = await showPage<'yes' | 'no'>(ui, {
      title: `Go back to before ${stateText(state)}, with the conversation?`,
      lines: [
        ...(preview.conversation === null ? [] : [`The conversation loses ${lossText(preview.conversation)}.`, '']),
        ...(await restoreLines(ui, preview)),
        '',
        `${work.program} is ended, and started again where the conversation continues.`,
      ],
      choices: [
        ['y', 'go back, files and conversation', 'yes'],
        ['n', 'cancel', 'no'],
      ],
      cancelled: 'no',
    });
    if (choice === 'no' || ui.isClosed) return 'back';
    busy(ui, `Ending ${work.program} …`);
    if (!(await program.end())) {
      return notice(ui, `${work.program} did not end.`, [
        'Nothing was changed. End it yourself, and use `savepoint restore --conversation`.',
      ]);
    }
    busy(ui, 'Going back …');
    try {
      // At its end, the program may have added to its conversation, and its hooks may have taken a checkpoint.
      const done = await VERBS.restore.handle(work.savepoint, input, {});
      const words = done.conversation?.words ?? state.prompt;
      if (done.continue !== null) follow(program, done.continue, words);
      else {
        followOriginal(program, preview);
        await notice(ui, 'Only the files went back.', await restoreLines(ui, done));
      }
    } catch (error) {
      followOriginal(program, preview);
      await notice(ui, 'This did not work.', linesOf(failureAsText(asFailure(error), ui.style)));
    }
    return 'left';
  });
}

type Continued = NonNullable<RestoreJson['continue']>;

function follow(program: ReplaceableProgram, { command, dir }: Continued, words: string | null): void {
  const folder = textFromBytes(nameFromJson(dir));
  const next: NextProgram | null = folder === null ? null : { command, dir: folder, words };
  if (next !== null) program.continueWith(next);
}

function followOriginal(program: ReplaceableProgram, { conversation }: RestoreJson): void {
  if (conversation?.original) follow(program, conversation.original, null);
}

async function whyImpossible(
  savepoint: Savepoint,
  input: {
    readonly checkpoint: string;
    readonly all: boolean;
    readonly conversation: boolean;
    readonly session: string;
  },
): Promise<string | null> {
  const { conversation } = await VERBS.restore.handle(savepoint, { ...input, dryRun: true }, {});
  return conversation?.possible === true ? null : (conversation?.reason ?? 'it is not known');
}

interface Explanation {
  readonly title: string;
  readonly lines: readonly string[];
}

function otherConversation(why: string, { id, session }: EarlierState): Explanation {
  return {
    title: 'Only the files can go back here.',
    lines: [
      why,
      'To take it back with the files, end its program and use this in another terminal:',
      '',
      `savepoint restore ${id} --conversation \\`,
      `  --session ${showText(shellWord(session))}`,
    ],
  };
}

async function filesOnly(
  ui: Ui,
  work: OverlayWork,
  state: EarlierState,
  { title, lines }: Explanation,
): Promise<PageEnd> {
  const choice = await showPage<'files' | 'cancel'>(ui, {
    title,
    lines: [...lines, '', '1 goes back with the files, and leaves the conversation as it is.'],
    choices: [
      ['1', 'files only', 'files'],
      ['c', 'cancel', 'cancel'],
    ],
    cancelled: 'cancel',
  });
  return choice === 'files' ? goBack(ui, work, state) : 'back';
}
