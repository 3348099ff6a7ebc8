/** Commands that decide about plans and apply them. */

import { isatty } from 'node:tty';
import { SavepointError } from '@savepoint/core';
import { type InputOf, type OutputOf, VERBS } from '@savepoint/core/frontend';
import { type CommandContext, command, lines } from '../../command.ts';
import { confirmOperation, operationText } from '../../show/operation.ts';
import { planText } from '../../show/plan-text.ts';
import { CONFLICT_OPTIONS, conflictInput } from '../rewind/conflict-options.ts';
import { authorOf, commitLines } from './commit.ts';

export const planReview = command({
  verb: VERBS.planReview,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '--accept <paths...>', description: 'accept these changes, or hunks (PATH:NUMBER)' },
    { flags: '--reject <paths...>', description: 'reject these changes, or hunks (PATH:NUMBER)' },
    { flags: '--approve', description: 'approve what is not rejected, so that it can be applied' },
  ],
  examples: [
    'savepoint plan review plan_1a2b3c4d',
    'savepoint plan review plan_1a2b3c4d --reject src/a.ts:2 --approve',
    'savepoint plan review plan_1a2b3c4d --approve',
  ],
  input: ({ operands: [id = ''], options }) => ({
    id,
    decisions: [...decisionsIn(options['accept'], true), ...decisionsIn(options['reject'], false)],
    ...(options['approve'] === true ? { approve: 'any' } : {}),
  }),
  async carryOut(input, _given, context) {
    const { savepoint, signal, output, variables } = context;
    const isAsked = input.decisions?.length === 0 && input.approve === undefined;
    if (isAsked && output === 'terminal' && isatty(0) && variables['TERM'] !== 'dumb') {
      const { reviewOnScreen } = await import('../../plan-review/open.ts');
      await reviewOnScreen(input.id, context);
    }
    return VERBS.planReview.handle(savepoint, input, { signal });
  },
  render: (plan, view) =>
    lines(planText(plan, view), plan.status === 'approved' ? `Apply it with \`savepoint plan apply ${plan.id}\`.` : []),
});

export const planApply = command({
  verb: VERBS.planApply,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '--rebase', description: 'merge with what changed since the plan was made' },
    ...CONFLICT_OPTIONS,
    { flags: '--force', description: 'also change frozen paths' },
    { flags: '--commit', description: 'then commit the files of the plan, as `plan commit` does' },
    { flags: '-m, --message <text>', description: 'with --commit: its message' },
    { flags: '-n, --dry-run', description: 'only show what would change' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
  ],
  examples: ['savepoint plan apply plan_1a2b3c4d --dry-run', 'savepoint plan apply plan_1a2b3c4d --yes'],
  input: async ({ operands: [id = ''], options }, context) => ({
    id,
    ...(await conflictInput(options, context)),
    ...(options['rebase'] === true ? { rebase: true } : {}),
    ...(options['force'] === true ? { force: true } : {}),
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
  }),
  async carryOut(input, { options }, context) {
    const applied = await applyAsked(input, options['yes'] === true, context);
    if (options['commit'] !== true || input.dryRun === true) return applied;
    const { message } = options;
    const asked = { id: input.id, ...(typeof message === 'string' ? { message } : {}), ...authorOf(context) };
    commits.set(applied, await VERBS.planCommit.handle(context.savepoint, asked, { signal: context.signal }));
    return applied;
  },
  render: (output, view) => {
    const text = operationText(output, view, 'Nothing to apply: the files are already like that.');
    const found = commits.get(output);
    return found === undefined ? text : lines(text, commitLines(found));
  },
});

export const planCancel = command({
  verb: VERBS.planCancel,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [],
  examples: ['savepoint plan cancel plan_1a2b3c4d'],
  input: ({ operands: [id = ''] }) => ({ id }),
  render: (plan, view) => lines(planText(plan, view)),
});

/** What `--commit` did, by what was applied. */
const commits = new WeakMap<OutputOf<typeof VERBS.planApply>, OutputOf<typeof VERBS.planCommit>>();

async function applyAsked(input: InputOf<typeof VERBS.planApply>, yes: boolean, context: CommandContext) {
  const { savepoint, signal } = context;
  if (input.dryRun === true || yes) return VERBS.planApply.handle(savepoint, input, { signal });
  const preview = await VERBS.planApply.handle(savepoint, { ...input, dryRun: true }, { signal });
  await confirmOperation(preview, context, { verb: 'plan apply', noun: 'plan', asked: 'Apply', done: 'applied' });
  return VERBS.planApply.handle(savepoint, { ...input, expected: preview.fingerprint }, { signal });
}

function decisionsIn(given: unknown, accepted: boolean) {
  const names: readonly string[] = Array.isArray(given) ? given : typeof given === 'string' ? [given] : [];
  return names.map((name) => {
    const found = /^(.+):([1-9]\d{0,6})$/.exec(name);
    if (name === '') throw new SavepointError('USAGE', 'A path is empty.', { argument: '--accept' });
    return found === null ? { path: name, accepted } : { path: found[1] ?? '', hunk: Number(found[2]), accepted };
  });
}
