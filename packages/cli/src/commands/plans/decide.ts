/** Commands that decide about plans. */

import { isatty } from 'node:tty';
import { SavepointError } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { planText } from '../../show/plan-text.ts';

export const planReview = command({
  verb: VERBS.planReview,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '--accept <paths...>', description: 'accept these changes, or hunks (PATH:NUMBER)' },
    { flags: '--reject <paths...>', description: 'reject these changes, or hunks (PATH:NUMBER)' },
    {
      flags: '--approve [fingerprint]',
      description: 'approve what is not rejected, if the plan is still what `plan show` printed with this fingerprint',
    },
  ],
  examples: [
    'savepoint plan review plan_1a2b3c4d',
    'savepoint plan review plan_1a2b3c4d --reject src/a.ts:2 --approve 0f3c9a1b2d4e5f60',
    'savepoint plan review plan_1a2b3c4d --approve 0f3c9a1b2d4e5f60',
  ],
  input: ({ operands: [id = ''], options }) => ({
    id,
    decisions: [...decisionsIn(options['accept'], true), ...decisionsIn(options['reject'], false)],
    ...approvalIn(options['approve'], id),
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

export const planCancel = command({
  verb: VERBS.planCancel,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [],
  examples: ['savepoint plan cancel plan_1a2b3c4d'],
  input: ({ operands: [id = ''] }) => ({ id }),
  render: (plan, view) => lines(planText(plan, view)),
});

/** @throws SavepointError USAGE */
function approvalIn(given: unknown, id: string): { readonly approve?: string } {
  if (given === undefined) return {};
  if (typeof given === 'string' && /^[0-9a-f]{16,64}$/.test(given)) return { approve: given };
  throw new SavepointError(
    'USAGE',
    'An approval needs the fingerprint of the plan that you saw, because the plan may have changed since.',
    { argument: '--approve' },
    { hint: `\`savepoint plan show ${id}\` prints it. At a terminal, \`savepoint plan review ${id}\` needs none.` },
  );
}

function decisionsIn(given: unknown, accepted: boolean) {
  const names: readonly string[] = Array.isArray(given) ? given : typeof given === 'string' ? [given] : [];
  return names.map((name) => {
    const found = /^(.+):([1-9]\d{0,6})$/.exec(name);
    if (name === '') throw new SavepointError('USAGE', 'A path is empty.', { argument: '--accept' });
    return found === null ? { path: name, accepted } : { path: found[1] ?? '', hunk: Number(found[2]), accepted };
  });
}
