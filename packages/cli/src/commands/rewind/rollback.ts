import { nameFromJson, showText } from '@savepoint/core';
import { type InputOf, type OutputOf, rolledBackText, VERBS, wouldDo } from '@savepoint/core/frontend';
import { nameOfArgument } from '../../argument-path.ts';
import { type CommandContext, command, lines, type VerbArguments } from '../../command.ts';
import { confirm, DRY_RUN_HINT } from '../../input/confirm.ts';
import { linesOfArgument } from '../../lines-argument.ts';
import { captureNotes, captureWarnings, LISTED, listedIn, listWithHeading } from '../../show/capture.ts';
import { titleText } from '../../show/checkpoint.ts';
import { countText, pathText } from '../../show/format.ts';
import { hunkLines } from '../../show/hunks.ts';
import { patchLines } from '../../show/patch.ts';
import { listedPaths, planLines, planNotes, waysOn } from '../../show/plan.ts';
import { sidesLines } from '../../show/sides.ts';
import type { OutputView } from '../../view.ts';
import { CONFLICT_OPTIONS, conflictInput } from './conflict-options.ts';

type RollbackJson = OutputOf<typeof VERBS.rollback>;

const LISTED_WHEN_DONE = 10;

export const rollback = command({
  verb: VERBS.rollback,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--change <id>', description: 'this change (cp_12.3); can be repeated', isRepeatable: true },
    {
      flags: '--hunk <id>',
      description: 'this hunk (cp_12.3:2); --dry-run lists them; can be repeated',
      isRepeatable: true,
    },
    { flags: '--agent <name>', description: 'changes of this agent; also user, outside' },
    { flags: '--session <id>', description: 'changes of this session: its id, or a unique prefix' },
    { flags: '--call <id>', description: 'changes of this tool call: its id, or a unique prefix' },
    { flags: '--after <when>', description: "changes after cp_12, 2026-01-31T12:00 or '10 minutes ago'" },
    { flags: '--file <path>', description: 'changes of this file or folder; can be repeated', isRepeatable: true },
    { flags: '--root <folder>', description: 'changes in this repository' },
    {
      flags: '--lines <lines>',
      description: 'only these lines, by any author (src/a.ts:3-7); can be repeated; with --after: back to that state',
      isRepeatable: true,
    },
    { flags: '--likely', description: 'also changes made while a shell command or other call of the agent ran' },
    { flags: '--include-shared', description: 'also changes that may be from another author; includes --likely' },
    ...CONFLICT_OPTIONS,
    { flags: '--patch', description: 'also show a patch of what would change; the default on a terminal with --lines' },
    { flags: '--force', description: 'proceed even if an open call may write the same files' },
    { flags: '-n, --dry-run', description: 'only show what would change' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
  ],
  examples: [
    'savepoint rollback --agent claude --dry-run',
    'savepoint rollback --session 5f0c --yes',
    'savepoint rollback --change cp_12.3',
    'savepoint rollback --hunk cp_12.3:2',
    "savepoint rollback --after '10 minutes ago' --file src",
    'savepoint rollback --lines src/a.ts:3-7',
    'savepoint rollback --lines src/a.ts:3-7 --after cp_12',
  ],

  input: async ({ options }, context) => ({
    ...texts(options, 'change', 'changes'),
    ...texts(options, 'hunk', 'hunks'),
    ...text(options, 'agent'),
    ...text(options, 'session'),
    ...text(options, 'call'),
    ...text(options, 'after'),
    ...names(options, 'file', 'paths'),
    ...text(options, 'root'),
    ...linesIn(options),
    ...(await conflictInput(options, context)),
    ...flag(options, 'likely'),
    ...flag(options, 'includeShared'),
    ...flag(options, 'force'),
    ...flag(options, 'dryRun'),
    ...(options['dryRun'] === true ? detailIn(options, context.output === 'terminal') : {}),
  }),

  async carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    if (input.dryRun === true || options['yes'] === true) return VERBS.rollback.handle(savepoint, input, { signal });
    const previewOf = (given: RollbackVerbInput): Promise<RollbackJson> =>
      VERBS.rollback.handle(
        savepoint,
        { ...given, dryRun: true, ...detailIn(options, context.view.isTerminal) },
        { signal },
      );
    let chosen = input;
    let preview = await previewOf(chosen);
    if (await wantsLikely(preview, context)) {
      chosen = { ...input, likely: true };
      preview = await previewOf(chosen);
    }
    const isRefused = preview.openCalls.length > 0 && input.force !== true;
    if (preview.outcome === 'ready' && !isRefused) await confirmRollback(preview, context);
    // With a conflict or an open call, this call fails with the proper error.
    return VERBS.rollback.handle(savepoint, { ...chosen, expected: preview.fingerprint }, { signal });
  },

  render(output, view, given) {
    if (output.dryRun) return previewText(output, view);
    if (output.outcome === 'nothing') return lines('Nothing to roll back.', notes(output, view));
    const { before, checkpoint } = output;
    const now = checkpoint === null || before === null ? '' : `  (now ${checkpoint.id}, before: ${before.id})`;
    return lines(
      `${titleText(output.description)}${now}`,
      given.options['yes'] === true ? planLines(output, view.style, listedIn(view, LISTED_WHEN_DONE)) : [],
      notes(output, view),
      captureWarnings(output.capture),
      view.isPage ? [] : 'Run `savepoint undo` to revert.',
    );
  },
});

/** Asks whether to include the changes that are only likely. Without a terminal, they are left out. */
async function wantsLikely({ skipped }: RollbackJson, { ask }: CommandContext): Promise<boolean> {
  const likely = skipped.filter(({ grade }) => grade === 'likely');
  if (likely.length === 0 || ask === null) return false;
  const count = countText(likely.length, 'change');
  const list = lines(
    listWithHeading(skippedTexts(likely), () => `${count} ${likely.length === 1 ? 'is' : 'are'} likely, but not sure:`),
  );
  return ask(list, `Include ${likely.length === 1 ? 'it' : 'them'}?`);
}

async function confirmRollback(preview: RollbackJson, context: CommandContext): Promise<void> {
  const paths = countText(listedPaths(preview).length, 'path');
  await confirm(context, {
    verb: 'rollback',
    consequence: `The rollback would change ${paths}`,
    hint: DRY_RUN_HINT,
    preview: previewText(preview, context.view),
    question: `Roll back ${paths}?`,
    declinedMessage: 'Nothing was rolled back.',
  });
}

function previewText(preview: RollbackJson, view: OutputView): string {
  const { outcome, changes } = preview;
  const patch = preview.detail?.patch ?? undefined;
  const conflicts = preview.results.some(({ result }) => result === 'conflict');
  const heading =
    changes.length > 0
      ? `Preview: would roll back ${rolledBackText(changes)}`
      : outcome === 'ready'
        ? `Preview: ${wouldDo(preview.description)}`
        : conflicts
          ? 'Preview: would fail because of conflicts'
          : 'Nothing to roll back.';
  return lines(
    heading,
    planLines(preview, view.style),
    notes(preview, view),
    captureNotes(preview.capture, view),
    patch === undefined ? hunkLines(preview, view) : patchLines(nameFromJson(patch.text), view.style),
    outcome === 'ready'
      ? [`${countText(listedPaths(preview).length, 'path')} would change. The current state would be saved first.`]
      : [],
  );
}

function notes(output: RollbackJson, view: OutputView): string[] {
  const { style, isPage } = view;
  const most = listedIn(view);
  const hint = (text: string): string => (isPage ? '' : ` (${text})`);
  const { results, skipped, openCalls, incomplete } = output;
  const untouched = results.filter(({ result }) => result === 'skipped');
  const explained = results.filter(({ result, why }) => result !== 'skipped' && result !== 'conflict' && why !== null);
  const left = results.filter(({ result }) => result === 'conflict');
  const isNamed = output.plan.conflicts.length > 0;
  const nothingFits = results.length === 0 && skipped.length === 0;
  return [
    ...(nothingFits ? ['No change matches.'] : []),
    ...listWithHeading(
      incomplete.map(({ checkpoint, why }) => `${checkpoint} (${showText(why)})`),
      () => 'not complete: these checkpoints may have more changes that match, and they stay:',
      most,
    ),
    ...planNotes({ ...output, plan: { ...output.plan, kept: [] } }, null, view),
    ...listWithHeading(
      isNamed ? [] : left.map(({ path, why }) => `${pathText(path)} (${showText(why ?? '')})`),
      () => 'conflicts, left unchanged:',
      most,
    ),
    ...left.flatMap(({ path, sides }) => sidesLines(path, sides, style)),
    ...(isNamed ? waysOn(output.plan.conflicts, view) : []),
    ...listWithHeading(
      explained.map(({ path, why }) => `${pathText(path)} (${showText(why ?? '')})`),
      () => 'notes:',
      most,
    ),
    ...listWithHeading(
      untouched.map(({ path, why }) => `${pathText(path)} (${showText(why ?? '')})`),
      () => 'left unchanged:',
      most,
    ),
    ...skippedLines(skipped, null, () => 'skipped:', most),
    ...skippedLines(
      skipped,
      'likely',
      (them) => `left, because the author is only likely${hint(`--likely includes ${them}`)}:`,
      most,
    ),
    ...skippedLines(
      skipped,
      'open',
      (them) => `left, because more than one author is possible${hint(`--include-shared includes ${them}`)}:`,
      most,
    ),
    ...listWithHeading(
      openCalls.map(
        ({ agent, tool, summary, call }) =>
          `${showText(agent)}: ${showText(tool)} ${showText(summary)} (call ${showText(call)})`,
      ),
      () => `open calls that may write the same files${hint('--force to proceed anyway')}:`,
      most,
    ),
  ];
}

type SkippedJson = RollbackJson['skipped'][number];

function skippedLines(
  skipped: readonly SkippedJson[],
  grade: SkippedJson['grade'],
  heading: (them: string) => string,
  most: number,
): string[] {
  const found = skipped.filter((change) => change.grade === grade);
  const them = found.length === 1 ? 'it' : 'them';
  return listWithHeading(skippedTexts(found), () => heading(them), most);
}

/** In these groups, a call that changed very many files does not hide the others. */
const NAMED_IN_GROUP = 3;

/** A line per change; with many changes, a line for all of a checkpoint that have the same reason. */
function skippedTexts(skipped: readonly SkippedJson[]): readonly string[] {
  if (skipped.length <= LISTED) return skipped.map(({ id, path, why }) => skippedText(id, pathText(path), why));
  const groups = new Map<string, SkippedJson[]>();
  for (const change of skipped) {
    const key = JSON.stringify([checkpointOf(change), change.why]);
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [SkippedJson];
    if (group.length === 1) return skippedText(first.id, pathText(first.path), first.why);
    const paths = group.slice(0, NAMED_IN_GROUP).map(({ path }) => pathText(path));
    const more = group.length > paths.length ? ', …' : '';
    return skippedText(
      checkpointOf(first),
      `${countText(group.length, 'path')}: ${paths.join(', ')}${more}`,
      first.why,
    );
  });
}

function checkpointOf({ id }: SkippedJson): string {
  return id.replace(/\.\d+$/, '');
}

function skippedText(id: string, what: string, why: string): string {
  return `${id}  ${what} (${showText(why)})`;
}

/** Chosen lines are few, and only a patch shows which they are. */
function detailIn({ patch, lines: given }: RollbackFlags, isTerminal: boolean): Pick<RollbackVerbInput, 'detail'> {
  return patch === true || (isTerminal && given !== undefined) ? { detail: { patch: true } } : {};
}

/** @throws SavepointError USAGE */
function linesIn({ lines: given }: RollbackFlags): Pick<RollbackVerbInput, 'lines'> {
  if (!Array.isArray(given)) return {};
  const wanted = given.map((one: string) => linesOfArgument(one, '--lines'));
  return { lines: wanted.map(({ path, first, last = first }) => ({ path, first, last })) };
}

type RollbackFlags = VerbArguments['options'];
type RollbackVerbInput = InputOf<typeof VERBS.rollback>;

function text<Key extends keyof RollbackVerbInput>(options: RollbackFlags, key: Key): { [K in Key]?: string } {
  const value = options[key];
  return (typeof value === 'string' ? { [key]: value } : {}) as { [K in Key]?: string };
}

function flag<Key extends keyof RollbackVerbInput>(options: RollbackFlags, key: Key): { [K in Key]?: true } {
  return (options[key] === true ? { [key]: true } : {}) as { [K in Key]?: true };
}

function texts<Key extends keyof RollbackVerbInput>(
  options: RollbackFlags,
  option: string,
  key: Key,
): { [K in Key]?: string[] } {
  const value = options[option];
  return (Array.isArray(value) ? { [key]: [...value] } : {}) as { [K in Key]?: string[] };
}

function names<Key extends keyof RollbackVerbInput>(options: RollbackFlags, option: string, key: Key) {
  const value = options[option];
  const found = Array.isArray(value) ? value.map((one: string) => nameOfArgument(one)) : undefined;
  return (found === undefined ? {} : { [key]: found }) as { [K in Key]?: ReturnType<typeof nameOfArgument>[] };
}
