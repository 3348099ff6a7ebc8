import { SavepointError, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/faces';
import { agree, LOOK_FIRST } from '../../agree.ts';
import { command, lines, type Session } from '../../command.ts';
import { captureNotes, captureWarnings, listed } from '../../show/capture.ts';
import { planLines, planNotes, toldPaths } from '../../show/plan.ts';
import { counted, shown, when } from '../../show/words.ts';
import type { View } from '../../view.ts';

type Output = OutputOf<typeof VERBS.restore>;

const LISTED_WHEN_DONE = 10;

export const restore = command({
  verb: VERBS.restore,
  operands: [['<checkpoint>', 'cp_12, last, last~2, a commit id, @{10 minutes ago}']],
  takesPaths: true,
  options: [
    { flags: '-n, --dry-run', description: 'only show what would happen' },
    { flags: '-y, --yes', description: 'do not ask' },
    { flags: '--all', description: 'the whole workspace, also from a subfolder' },
    { flags: '--root <folder>', description: 'only this repository, without those that lie in it' },
    { flags: '--allow-partial', description: 'also where a root could not be captured: it is left alone' },
    { flags: '--exact', description: 'equal to the checkpoint, also where agents and others changed files since' },
    {
      flags: '--keep-outside',
      description: 'take back only what agents did; without agents, keep what changed since the last checkpoint',
      conflicts: 'exact',
    },
    {
      flags: '--git',
      description: 'also put branch, HEAD and index of each repository back; commits left behind stay in the store',
    },
    { flags: '--force', description: 'also what is frozen' },
  ],
  examples: [
    'savepoint restore last --dry-run',
    'savepoint restore cp_12',
    'savepoint restore cp_12 --yes -- src/a.ts docs',
    'savepoint restore cp_12 --root backend-api',
    "savepoint restore '@{10 minutes ago}' --yes",
  ],

  input({ operands, paths, options }) {
    return {
      checkpoint: operands[0] ?? '',
      ...(paths.length === 0 ? {} : { paths: [...paths] }),
      ...(options['all'] === true ? { all: true } : {}),
      ...(typeof options['root'] === 'string' ? { root: options['root'] } : {}),
      ...(options['git'] === true ? { git: true } : {}),
      ...(options['allowPartial'] === true ? { allowPartial: true } : {}),
      ...(options['keepOutside'] === true ? { mode: 'keep-outside' as const } : {}),
      ...(options['exact'] === true ? { mode: 'exact' as const } : {}),
      ...(options['dryRun'] === true ? { dryRun: true } : {}),
      ...(options['force'] === true ? { force: true } : {}),
    };
  },

  async carryOut(input, { options }, session) {
    const { savepoint, signal } = session;
    if (input.dryRun === true || options['yes'] === true) return VERBS.restore.handle(savepoint, input, { signal });
    const first = await VERBS.restore.handle(savepoint, { ...input, dryRun: true }, { signal });
    const mode = first.parties === null ? null : await whoseWorkGoes(first, session);
    const wanted = mode === null ? input : { ...input, mode };
    const preview =
      mode === null ? first : await VERBS.restore.handle(savepoint, { ...wanted, dryRun: true }, { signal });
    if (preview.outcome === 'ready') await agreeTo(preview, session);
    // With a conflict or a refused path it fails, as it would have done without a look first.
    return VERBS.restore.handle(savepoint, { ...wanted, expected: preview.fingerprint }, { signal });
  },

  render(output, view, given) {
    if (output.dryRun) return previewText(output, view);
    const { target, checkpoint } = output;
    if (output.outcome === 'nothing') {
      return lines(`Nothing to restore: the files are as in ${target.id} already.`, planNotes(output, target));
    }
    return lines(
      `${showText(output.description)}: ${whatChanges(output)}${after(output)}`,
      given.options['yes'] === true ? planLines(output, view.style, LISTED_WHEN_DONE) : [],
      planNotes(output, target),
      captureWarnings(output.capture),
      checkpoint === null ? [] : ['`savepoint undo` takes it back.'],
    );
  },
});

/**
 * Both agents and others changed files since. Null where nobody is there to be asked: then it is a conflict.
 * @throws SavepointError CANCELLED
 */
async function whoseWorkGoes(preview: Output, { ask, view }: Session): Promise<'keep-outside' | 'exact' | null> {
  if (ask === null || preview.parties === null) return null;
  const { agents, outside } = preview.parties;
  const told = lines(
    `Since ${view.style.id(preview.target.id)} ${agents.map((name) => showText(name)).join(', ')} changed files, and so did others:`,
    listed(outside.map(shown), () => 'these hold, or may hold, what no agent did:'),
  );
  if (await ask(told, 'Keep what others did, and take back only what agents did?')) return 'keep-outside';
  const paths = counted(outside.length, 'of these paths', 'of these paths');
  if (await ask('', `Restore all of it exactly, so that others lose what they did in ${paths}?`)) return 'exact';
  throw new SavepointError('CANCELLED', 'Not restored.');
}

async function agreeTo(preview: Output, session: Session): Promise<void> {
  const paths = whatChanges(preview);
  await agree(session, {
    verb: 'restore',
    would: `Restoring ${preview.target.id} would change ${paths}`,
    hint: LOOK_FIRST,
    shown: previewText(preview, session.view),
    question: `Restore ${paths}?`,
    declined: 'Not restored.',
  });
}

function previewText(preview: Output, { style }: View): string {
  const { target, outcome } = preview;
  const what = `${style.id(target.id)} (${when(target.time)}, ${showText(target.description)})`;
  const heading = outcome === 'nothing' ? `Nothing to restore: the files are as in ${what}.` : `Restoring ${what}:`;
  return lines(
    heading,
    planLines(preview, style),
    planNotes(preview, target),
    captureNotes(preview.capture),
    outcome === 'ready' ? [`${whatChanges(preview)} to change; what is there now is saved first.`] : [],
  );
}

function whatChanges(act: Output): string {
  const paths = counted(toldPaths(act).length, 'path');
  return act.heads.length === 0 ? paths : `${paths} and ${counted(act.heads.length, 'repository', 'repositories')}`;
}

function after({ before, checkpoint }: Output): string {
  return checkpoint === null || before === null ? '' : `  (now ${checkpoint.id}; ${before.id} is the state before)`;
}
