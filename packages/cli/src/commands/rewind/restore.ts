import { SavepointError, showText } from '@savepoint/core';
import { type InputOf, type OutputOf, shellWord, VERBS } from '@savepoint/core/frontend';
import { type CommandContext, command, lines, type VerbArguments } from '../../command.ts';
import { confirm } from '../../input/confirm.ts';
import { withPathHint } from '../../path-hint.ts';
import { mixedAuthorsText } from '../../show/authors.ts';
import { captureNotes, captureWarnings, listedIn, listWithHeading } from '../../show/capture.ts';
import { notHappenedLines, shortText, titleText } from '../../show/checkpoint.ts';
import { conversationDoneLines, conversationPreviewLines } from '../../show/conversation.ts';
import { countText, localTime, pathText } from '../../show/format.ts';
import { conflictSides, listedPaths, planLines, planNotes } from '../../show/plan.ts';
import type { OutputView } from '../../view.ts';
import { CONFLICT_OPTIONS, conflictInput } from './conflict-options.ts';

type RestoreJson = OutputOf<typeof VERBS.restore>;

const LISTED_WHEN_DONE = 10;

export const restore = command({
  verb: VERBS.restore,
  operands: [['<checkpoint>', 'cp_12, last, @prompt, @session, a commit id or @{10 minutes ago}']],
  takesPaths: true,
  options: [
    { flags: '-n, --dry-run', description: 'only show what would change' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
    { flags: '--all', description: 'restore the entire workspace, even from a subfolder' },
    { flags: '--root <folder>', description: 'restore only this repository, without nested ones' },
    { flags: '--allow-partial', description: 'proceed even if a root was not captured; that root is left untouched' },
    { flags: '--exact', description: 'restore all paths, even if both agents and others changed files since' },
    {
      flags: '--keep-outside',
      description: 'revert only changes of agents; if there are none, keep only changes since the last checkpoint',
      conflicts: 'exact',
    },
    ...CONFLICT_OPTIONS,
    {
      flags: '--git',
      description: 'also restore branch, HEAD and index; commits that become unreachable are kept in the store',
    },
    { flags: '--force', description: 'also change frozen paths' },
    { flags: '--conversation', description: "also take the agent's conversation back, as a new session" },
    {
      flags: '--conversation-only',
      description: 'take only the conversation back; the files stay',
      conflicts: 'conversation',
    },
    { flags: '--session <id>', description: 'the session whose conversation goes back' },
  ],
  examples: [
    'savepoint restore last --dry-run',
    'savepoint restore @prompt',
    'savepoint restore cp_12',
    'savepoint restore cp_12 --yes -- src/a.ts docs',
    'savepoint restore cp_12 --root backend-api',
    "savepoint restore '@{10 minutes ago}' --yes",
    'savepoint restore @prompt --conversation',
  ],

  excessExample: (path) => `savepoint restore last -- ${shellWord(path)}`,

  async input({ operands, paths, options }, context) {
    return {
      checkpoint: operands[0] ?? '',
      ...(paths.length === 0 ? {} : { paths: [...paths] }),
      ...(await conflictInput(options, context)),
      ...(options['all'] === true ? { all: true } : {}),
      ...(typeof options['root'] === 'string' ? { root: options['root'] } : {}),
      ...(options['git'] === true ? { git: true } : {}),
      ...(options['allowPartial'] === true ? { allowPartial: true } : {}),
      ...(options['keepOutside'] === true ? { mode: 'keep-outside' as const } : {}),
      ...(options['exact'] === true ? { mode: 'exact' as const } : {}),
      ...(options['dryRun'] === true ? { dryRun: true } : {}),
      ...(options['force'] === true ? { force: true } : {}),
      ...(options['conversation'] === true ? { conversation: true } : {}),
      ...(options['conversationOnly'] === true ? { conversation: 'only' as const } : {}),
      ...(typeof options['session'] === 'string' ? { session: options['session'] } : {}),
    };
  },

  async carryOut(input, { options }, context) {
    return withPathHint(
      () => restored(input, options, context),
      (path) => `savepoint restore last -- ${path}`,
    );
  },

  render(output, view, given) {
    const keepsOutside = given.options['keepOutside'] === true;
    if (output.dryRun) return previewText(output, view, keepsOutside);
    const { target, checkpoint } = output;
    if (output.conversation?.only === true) return lines(conversationDoneLines(output));
    if (output.outcome === 'nothing') {
      return lines(
        nothingText(output, target.id, { keepsOutside: keepsOutside || output.parties !== null, view }),
        alternativeLines(output, view),
        notHappenedLines(output.notHappened),
        planNotes(output, target, view),
        conversationDoneLines(output),
      );
    }
    return lines(
      `${titleText(output.description)}: ${changeCountText(output)}${checkpointNote(output)}`,
      given.options['yes'] === true ? planLines(output, view.style, listedIn(view, LISTED_WHEN_DONE)) : [],
      planNotes(output, target, view),
      captureWarnings(output.capture),
      conversationDoneLines(output),
      checkpoint === null || view.isPage ? [] : ['Run `savepoint undo` to revert.'],
    );
  },
});

async function restored(
  input: InputOf<typeof VERBS.restore>,
  options: VerbArguments['options'],
  context: CommandContext,
): Promise<RestoreJson> {
  const { savepoint, signal } = context;
  if (input.dryRun === true || options['yes'] === true) return VERBS.restore.handle(savepoint, input, { signal });
  const first = await VERBS.restore.handle(savepoint, { ...input, dryRun: true }, { signal });
  const mode = first.parties === null ? null : await askForMode(first, context);
  const wanted = mode === null ? input : { ...input, mode };
  const preview =
    mode === null ? first : await VERBS.restore.handle(savepoint, { ...wanted, dryRun: true }, { signal });
  const goesBack = preview.outcome === 'nothing' && preview.conversation?.possible === true;
  if (preview.outcome === 'ready' || goesBack) await confirmRestore(preview, context);
  // With a conflict or a refused path, this call fails with the proper error.
  const output = await VERBS.restore.handle(savepoint, { ...wanted, expected: preview.fingerprint }, { signal });
  // `render` sees from the authors in this field that the user chose to keep changes from outside.
  return mode === 'keep-outside' ? { ...output, parties: first.parties } : output;
}

/**
 * Asks what to keep if both agents and others changed files since. Null without a terminal: then it is a conflict.
 * @throws SavepointError CANCELLED
 */
async function askForMode(
  preview: RestoreJson,
  { ask, view }: CommandContext,
): Promise<'keep-outside' | 'exact' | null> {
  if (ask === null || preview.parties === null) return null;
  const { agents, outside } = preview.parties;
  const text = lines(
    `Since ${view.style.id(preview.target.id)}, ${mixedAuthorsText(agents)}.`,
    listWithHeading(outside.map(pathText), () => 'Changed by others, or possibly by others:'),
    preview.plan.notes.map(({ path, note }) => `${pathText(path)} ${showText(note)}.`),
  );
  if (await ask(text, 'Revert only changes of agents, and keep all others?')) return 'keep-outside';
  const paths = countText(outside.length, 'path');
  if (await ask('', `Restore exactly, and lose the changes of others in ${paths}?`)) return 'exact';
  throw new SavepointError('CANCELLED', 'Nothing was restored.');
}

async function confirmRestore(preview: RestoreJson, context: CommandContext): Promise<void> {
  const paths = confirmedText(preview);
  await confirm(context, {
    verb: 'restore',
    consequence: `Restoring ${preview.target.id} would change ${paths}`,
    hint: 'Nothing was changed. Preview with `savepoint restore --dry-run`, then repeat with --yes.',
    preview: previewText(preview, context.view, false),
    question: `Restore ${paths}?`,
    declinedMessage: 'Nothing was restored.',
  });
}

/** What the user is asked to restore. */
function confirmedText(preview: RestoreJson): string {
  const { conversation } = preview;
  const words = conversation?.possible === true ? ['the conversation'] : [];
  return [...(conversation?.only === true ? [] : [changeCountText(preview)]), ...words].join(' and ');
}

const MIXED_AUTHORS_NOTE =
  'With --keep-outside, only changes of agents would be reverted. With --exact, these paths would be restored as well.';

/** A restore with nothing to do does not mean that the files match: it may keep changes from outside, and some paths. */
function nothingText(
  { plan }: RestoreJson,
  what: string,
  { keepsOutside, view }: { readonly keepsOutside: boolean; readonly view: OutputView },
): string {
  if (keepsOutside) {
    const change = view.isPage ? 'change of agents since' : 'change since';
    return `Nothing to restore: there is no ${change} ${what}${view.isPage ? '' : ' that --keep-outside would revert'}.`;
  }
  return plan.kept.length + plan.notes.length === 0
    ? `Nothing to restore: the files already match ${what}.`
    : `Nothing to restore from ${what}.`;
}

/** Offers earlier states in which these files differ. */
function alternativeLines({ alternatives }: RestoreJson, { isPage }: OutputView): string[] {
  return alternatives.map(({ name, checkpoint, files }) => {
    const prompt = checkpoint.trigger === 'prompt' ? (checkpoint.conversation?.lastUser ?? null) : null;
    const goal =
      prompt === null ? `to ${checkpoint.id}, ${showText(checkpoint.description)}` : `to before "${shortText(prompt)}"`;
    return `${isPage ? showText(name) : `\`savepoint restore ${name}\``} goes back ${goal} (${countText(files, 'path')}).`;
  });
}

function previewText(preview: RestoreJson, view: OutputView, keepsOutside: boolean): string {
  const { style } = view;
  const { target, outcome } = preview;
  const what = `${style.id(target.id)} (${localTime(target.time)}, ${titleText(target.description)})`;
  if (preview.conversation?.only === true) {
    return lines(`Preview: would restore only the conversation of ${what}`, conversationPreviewLines(preview, view));
  }
  const heading =
    outcome === 'nothing' ? nothingText(preview, what, { keepsOutside, view }) : `Preview: would restore ${what}`;
  return lines(
    heading,
    alternativeLines(preview, view),
    notHappenedLines(preview.notHappened),
    planLines(preview, style),
    planNotes(preview, target, view),
    conflictSides(preview, view),
    captureNotes(preview.capture, view),
    conversationPreviewLines(preview, view),
    outcome === 'ready' ? [`${changeCountText(preview)} would change. The current state would be saved first.`] : [],
    preview.parties === null || view.isPage ? [] : [MIXED_AUTHORS_NOTE],
  );
}

function changeCountText(output: RestoreJson): string {
  const paths = countText(listedPaths(output).length, 'path');
  return output.heads.length === 0
    ? paths
    : `${paths} and ${countText(output.heads.length, 'repository', 'repositories')}`;
}

function checkpointNote({ before, checkpoint }: RestoreJson): string {
  return checkpoint === null || before === null ? '' : `  (now ${checkpoint.id}, before: ${before.id})`;
}
