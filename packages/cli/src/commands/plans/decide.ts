/** Commands that decide about plans. */

import { isatty } from 'node:tty';
import { type Savepoint, SavepointError } from '@savepoint/core';
import { treePathOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { nextStep, planText } from '../../show/plan-text.ts';

export const planReview = command({
  verb: VERBS.planReview,
  operands: [['<id>', 'the plan']],
  takesPaths: false,
  options: [
    { flags: '--accept <paths...>', description: 'accept these changes, folders, or hunks (PATH:NUMBER)' },
    { flags: '--reject <paths...>', description: 'reject these changes, folders, or hunks (PATH:NUMBER)' },
    { flags: '--only <paths...>', description: 'accept only these, and reject everything else' },
    {
      flags: '--approve [fingerprint]',
      description: 'approve what is not rejected, if the plan is still what `plan show` printed with this fingerprint',
    },
  ],
  examples: [
    'savepoint plan review plan_1a2b3c4d',
    'savepoint plan review plan_1a2b3c4d --reject src/a.ts:2 --approve 0f3c9a1b2d4e5f60',
    'savepoint plan review plan_1a2b3c4d --only src/a.ts --approve 0f3c9a1b2d4e5f60',
    'savepoint plan review plan_1a2b3c4d --approve 0f3c9a1b2d4e5f60',
  ],
  async input({ operands: [id = ''], options }, { savepoint, signal }) {
    const [accept, reject, only] = [namesIn(options['accept']), namesIn(options['reject']), namesIn(options['only'])];
    const isPath = await pathsOf(id, [...accept, ...reject, ...only], savepoint, signal);
    const decided = (names: readonly string[], accepted: boolean) =>
      names.map((name) => ({ ...partIn(name, isPath), accepted }));
    return {
      id,
      decisions: [...decided(accept, true), ...decided(reject, false)],
      ...(only.length === 0 ? {} : { only: only.map((name) => partIn(name, isPath)) }),
      ...approvalIn(options['approve'], id),
    };
  },
  async carryOut(input, _given, context) {
    const { savepoint, signal, output, variables } = context;
    const isAsked = input.decisions?.length === 0 && input.only === undefined && input.approve === undefined;
    if (isAsked && output === 'terminal' && isatty(0) && variables['TERM'] !== 'dumb') {
      const { reviewOnScreen } = await import('../../plan-review/open.ts');
      await reviewOnScreen(input.id, context);
    }
    return VERBS.planReview.handle(savepoint, input, { signal });
  },
  render: (plan, view) => lines(planText(plan, view), nextStep(plan)),
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
  const message =
    typeof given === 'string'
      ? `${JSON.stringify(given)} is not the fingerprint of a plan.`
      : 'An approval needs the fingerprint of the plan that you saw, because the plan may have changed since.';
  const part = typeof given === 'string' ? ' To approve only a part, add `--only PATH`.' : '';
  throw new SavepointError(
    'USAGE',
    message,
    { argument: '--approve' },
    {
      hint: `\`savepoint plan show ${id}\` prints it.${part} At a terminal, \`savepoint plan review ${id}\` needs none.`,
    },
  );
}

function namesIn(given: unknown): readonly string[] {
  const names: readonly string[] = Array.isArray(given) ? given : typeof given === 'string' ? [given] : [];
  if (names.includes('')) throw new SavepointError('USAGE', 'A path is empty.', { argument: '--accept' });
  return names;
}

const HUNK_NAME = /^(.+):([1-9]\d{0,6})$/s;

/** A name such as `a:1` may be that of a file. @returns whether a name is that of a change of the plan */
async function pathsOf(
  id: string,
  names: readonly string[],
  savepoint: Savepoint,
  signal: AbortSignal,
): Promise<(name: string) => boolean> {
  if (!names.some((name) => HUNK_NAME.test(name))) return () => false;
  const place = await savepoint.place();
  const paths = new Set((await savepoint.plan(id, { signal })).changes.map(({ change }) => change.path as string));
  return (name) => paths.has(treePathOf(place, name));
}

function partIn(name: string, isPath: (name: string) => boolean) {
  const found = HUNK_NAME.exec(name);
  return found === null || isPath(name) ? { path: name } : { path: found[1] ?? '', hunk: Number(found[2]) };
}
