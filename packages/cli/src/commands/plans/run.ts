/** Commands that check plans, apply them, and roll them back. */

import { nameFromJson, SavepointError, showName, showText } from '@savepoint/core';
import { type InputOf, type OutputOf, someOf, VERBS } from '@savepoint/core/frontend';
import { type CommandContext, command, lines, type VerbArguments } from '../../command.ts';
import { checkResultText, checksText, verdictText } from '../../show/check-text.ts';
import { commitLines } from '../../show/commits.ts';
import { confirmAndRun, operationText } from '../../show/operation.ts';
import { analysisText, leftOutText, planText } from '../../show/plan-text.ts';
import type { OutputView } from '../../view.ts';
import { checkInput, LIMITS, ONLY } from '../checks/check-options.ts';
import { CONFLICT_OPTIONS, conflictInput } from '../rewind/conflict-options.ts';
import { commitChoices } from './commit-options.ts';

type Applied = OutputOf<typeof VERBS.planApply>;
type Step = Applied['steps'][number];

export const planCheck = command({
  verb: VERBS.planCheck,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [ONLY, ...LIMITS],
  examples: ['savepoint plan check plan_1a2b3c4d', 'savepoint plan check last --only tests'],
  input: (given) => ({ id: given.operands[0] ?? '', ...checkInput(given) }),
  render({ plan, base, moved, ...report }, view) {
    const names = moved.map((path) => showName(nameFromJson(path)));
    const again = `The folder changed meanwhile, so check it again: ${someOf(names, MAX_MOVED)}.`;
    const about = `Checked ${plan.id} on ${base}, compared with it.`;
    const checks = checksText(report, about, view, moved.length === 0 ? [] : [again]);
    return `${lines(analysisText(plan, view))}${checks}`;
  },
});

export const planPhases = command({
  verb: VERBS.planPhases,
  operands: [['<id>', 'the plan']],
  takesPaths: true,
  options: [
    { flags: '--phase <name>', description: 'add a phase with the paths after --, or replace the one with this name' },
    { flags: '--clear', description: 'apply it all at once', conflicts: 'phase' },
  ],
  examples: [
    'savepoint plan phases plan_1a2b3c4d --phase schema -- db',
    'savepoint plan phases plan_1a2b3c4d --phase callers -- src tests',
    'savepoint plan phases plan_1a2b3c4d --clear',
  ],
  input({ operands: [id = ''], paths, options: { phase, clear } }) {
    if (clear === true) return { id, phases: [] };
    if (typeof phase === 'string' && paths.length > 0)
      return { id, phases: [{ name: phase, paths: [...paths] }], add: true };
    const hint = 'Example: `savepoint plan phases last --phase schema -- db`.';
    throw new SavepointError('USAGE', 'A phase needs a name and paths.', { argument: '--phase' }, { hint });
  },
  render: (plan, view) => lines(planText(plan, view)),
});

export const planApply = command({
  verb: VERBS.planApply,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '--rebase', description: 'merge with what changed since the plan was made' },
    ...CONFLICT_OPTIONS,
    { flags: '--override <reason>', description: 'apply it although its checks failed, and record why' },
    {
      flags: '--validate [names]',
      description: 'run checks after it, or after each phase: all, or these, with commas between',
      conflicts: 'dryRun',
    },
    {
      flags: '--on-failure <policy>',
      description: 'if they find new failures: keep it, roll back the last phase or all, or ask (default)',
      choices: ['keep', 'rollback', 'rollback-all', 'ask'],
    },
    ...LIMITS,
    { flags: '--force', description: 'also change frozen paths' },
    { flags: '--commit', description: 'then commit the files of the plan, as `plan commit` does' },
    { flags: '-m, --message <text>', description: 'with --commit: its message' },
    { flags: '--hooks', description: 'with --commit: run the hooks of the repositories' },
    { flags: '-n, --dry-run', description: 'only show what would change' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
  ],
  examples: [
    'savepoint plan apply plan_1a2b3c4d --dry-run',
    'savepoint plan apply plan_1a2b3c4d --yes',
    'savepoint plan apply plan_1a2b3c4d --validate tests --on-failure rollback',
  ],
  input: async (given, context) => ({
    id: given.operands[0] ?? '',
    ...(await conflictInput(given.options, context)),
    ...flagsOf(given.options, ['rebase', 'force', 'dryRun']),
    ...validationOf(given),
    ...commitOf(given.options),
  }),
  async carryOut(input, { options }, context) {
    const { onFailure } = options;
    const applied = await applyAsked(input, options['yes'] === true, context);
    const isAsked = onFailure === undefined || onFailure === 'ask';
    return isAsked ? askToRollBack(input.id, applied, context) : applied;
  },
  render: (output, view) =>
    lines(
      operationText(output, view, nothingText(output)),
      output.steps.flatMap((step) => stepText(step, view)),
      output.commit === null ? [] : commitLines(output.commit),
      output.stopped === null ? [] : stoppedText(output.stopped, view),
      leftText(output, view),
    ),
});

export const planRollback = command({
  verb: VERBS.planRollback,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '--last', description: 'only the phase that was applied last' },
    ...CONFLICT_OPTIONS,
    { flags: '--force', description: 'also change frozen paths' },
    { flags: '-n, --dry-run', description: 'only show what would change' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
  ],
  examples: ['savepoint plan rollback plan_1a2b3c4d', 'savepoint plan rollback last --last --yes'],
  input: async ({ operands: [id = ''], options }, context) => ({
    id,
    ...flagsOf(options, ['last', 'force', 'dryRun']),
    ...(await conflictInput(options, context)),
  }),
  carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    const run = (given: typeof input) => VERBS.planRollback.handle(savepoint, given, { signal });
    const words = { verb: 'plan rollback', noun: 'rollback', asked: 'Roll back', done: 'rolled back' };
    return confirmAndRun({ run, input, isSure: options['yes'] === true }, context, words);
  },
  render: (output, view) => operationText(output, view, 'Nothing to roll back.'),
});

async function applyAsked(
  input: InputOf<typeof VERBS.planApply>,
  isSure: boolean,
  context: CommandContext,
): Promise<Applied> {
  const { savepoint, signal } = context;
  const { validate: _, commit: _commit, ...previewed } = input;
  const run = (given: typeof input) => VERBS.planApply.handle(savepoint, given, { signal });
  if (!isSure && input.dryRun !== true) {
    const { status } = await VERBS.planShow.handle(savepoint, { id: input.id }, { signal });
    // It is refused, which needs no question.
    if (status === 'pending' || status === 'rolled-back' || status === 'cancelled') return run(input);
  }
  const words = { verb: 'plan apply', noun: 'plan', asked: 'Apply', done: 'applied' };
  return confirmAndRun({ run, input, previewed, isSure }, context, words);
}

const MAX_MOVED = 5;
/** Results that a question has shown, which are not shown again in the answer. */
const SHOWN_BEFORE = new WeakSet<NonNullable<Step['checks']>>();

function nothingText({ dryRun, plan: { kept } }: Applied): string {
  if (kept.length > 0)
    return dryRun ? 'Nothing would be applied.' : 'Nothing was applied: what is left does not merge.';
  return `Nothing to apply: the files are already like that.${dryRun ? '' : ' That is recorded: the plan counts as applied.'}`;
}

function leftText({ left, leftOut, dryRun }: Applied, view: OutputView): readonly string[] {
  if (dryRun) return [];
  return [
    ...(left.length === 0
      ? []
      : [
          `Not applied ${leftOut.length === 0 ? 'yet' : 'completely'}: ${left.map((name) => showText(name)).join(', ')}.`,
        ]),
    ...(leftOut.length === 0
      ? []
      : [...leftOutText({ left: leftOut }, view.style), 'This part stays open: `plan apply` tries it again.']),
  ];
}

/** What a hook printed follows in lines of its own. */
function stoppedText(
  { code, message, hint }: NonNullable<Applied['stopped']>,
  { style }: OutputView,
): readonly string[] {
  const [first = '', ...more] = message.split('\n');
  return [
    style.bad(`Stopped: ${showText(first)}`),
    ...more.map((line) => `  ${showText(line)}`),
    ...(code === 'GIT_REFUSED' && hint !== null ? [showText(hint)] : []),
  ];
}

function stepText({ phase, checkpoint, checks, rolledBack }: Step, view: OutputView): readonly string[] {
  if (phase === null && checks === null) return [];
  const done = checkpoint === null ? '' : `  ${view.style.id(checkpoint)}`;
  return [
    ...(phase === null ? [] : [`Phase ${showText(phase)}${done}`]),
    ...(checks === null || SHOWN_BEFORE.has(checks)
      ? []
      : [...checks.flatMap((one) => checkResultText(one, view)), `  ${verdictText(checks)}`]),
    ...(rolledBack === null ? [] : [`  Rolled back (now ${rolledBack}).`]),
  ];
}

/** If checks failed, what becomes of what was applied. Without a terminal, it stays. */
async function askToRollBack(
  id: string,
  applied: Applied,
  { savepoint, signal, ask, view }: CommandContext,
): Promise<Applied> {
  const failed = applied.steps.at(-1);
  if (ask === null || failed?.failed !== true || failed.rolledBack !== null) return applied;
  const what = failed.phase === null ? 'the plan' : `phase ${showText(failed.phase)}`;
  const text = lines(stepText(failed, view));
  if (failed.checks !== null) SHOWN_BEFORE.add(failed.checks);
  if (!(await ask(text, `Roll back ${what}?`))) return applied;
  const { phases } = await VERBS.planShow.handle(savepoint, { id }, { signal });
  const before = phases.filter((one) => one.applied !== null && one.name !== failed.phase);
  const isAll = before.length > 0 && (await ask('', 'Also roll back the phases before it?'));
  const { checkpoint } = await VERBS.planRollback.handle(savepoint, { id, last: !isAll }, { signal });
  return { ...applied, steps: [...applied.steps.slice(0, -1), { ...failed, rolledBack: checkpoint?.id ?? null }] };
}

function flagsOf<Name extends string>(
  options: VerbArguments['options'],
  names: readonly Name[],
): { readonly [One in Name]?: true } {
  return Object.fromEntries(names.filter((name) => options[name] === true).map((name) => [name, true])) as {
    readonly [One in Name]?: true;
  };
}

/** @throws SavepointError USAGE */
function commitOf(options: VerbArguments['options']): Pick<InputOf<typeof VERBS.planApply>, 'commit'> {
  const commit = commitChoices(options);
  if (options['commit'] === true) return { commit };
  const [argument] = Object.keys(commit);
  if (argument === undefined) return {};
  throw new SavepointError('USAGE', `\`--${argument}\` needs \`--commit\`.`, { argument: `--${argument}` });
}

/** Without names, all checks run. */
function validationOf(given: VerbArguments): Partial<InputOf<typeof VERBS.planApply>> {
  const { validate, onFailure, override } = given.options;
  const names = typeof validate === 'string' ? validate.split(',').filter((name) => name !== '') : [];
  return {
    ...checkInput(given),
    ...(validate === undefined ? {} : { validate: names }),
    ...(onFailure === 'rollback' || onFailure === 'rollback-all' ? { onFailure } : {}),
    ...(typeof override === 'string' ? { override } : {}),
  };
}
