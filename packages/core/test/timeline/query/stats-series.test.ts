/** Figures by day and by week. */

import { expect, test } from 'vitest';
import { TimelineWorld, tree } from './timeline-world.ts';

const HOUR = 3_600;

test('counts what happened on each day, and what was taken back on the day of the call', async () => {
  const p = new TimelineWorld();
  // Saturday, 31 January 2026, 12:00 UTC.
  p.write('a.txt', 'one\n');
  await p.open().checkpoint();
  const session = p.open().session({ agent: 'mine', id: 's' });
  await session.prompt('Go.', 'm');
  for (const call of ['first', 'second']) {
    await session.begin({ tool: 'Edit', kind: 'edit', paths: tree(`${call}.txt`), id: call });
    p.write(`${call}.txt`, 'one\ntwo\n');
    await session.end(call);
  }
  p.pass(24 * HOUR);
  await p.open().rollback({ call: 'second' }, { least: 'likely' });
  const plan = await p.open().proposeEdits([{ path: 'new.txt', edits: [{ op: 'create', content: 'new\n' }] }], {
    intent: 'Add it',
  });
  p.pass(60);
  await p.open().approvePlan(plan.plan.id, plan.fingerprint);
  p.pass(23 * HOUR);
  await p.open().applyPlan(plan.plan.id);

  const { series, steps } = await p.open().stats({ by: 'day', most: 3 });
  expect(steps).toMatchObject({ all: 3, takenBack: 1 });
  expect(series).toMatchObject([
    { from: '2026-01-31', turns: 1, changes: 2, added: 4, removed: 0, steps: 2, takenBack: 1, rollBackRate: 0.5 },
    {
      ...{ from: '2026-02-01', turns: 0, steps: 0, rollBackRate: null, rollbacks: 1 },
      ...{ plansProposed: 1, plansApproved: 1, plansApplied: 0, timeToApproval: 60_000, timeToApply: null },
    },
    { from: '2026-02-02', plansApproved: 0, plansApplied: 1, timeToApproval: null, timeToApply: 23 * HOUR * 1000 },
  ]);
  expect((await p.open().stats()).series).toBeNull();

  // Weeks begin on Mondays. 13 hours further east, all of Sunday evening is in the second one.
  const weeks = await p.open().stats({ by: 'week', most: 2 });
  expect(weeks.series?.map(({ from, rollbacks, plansApplied }) => [from, rollbacks, plansApplied])).toEqual([
    ['2026-01-26', 1, 0],
    ['2026-02-02', 0, 1],
  ]);
  const east = await p.open().stats({ by: 'week', most: 2, utcOffset: 13 * 60 });
  expect(east.series?.map(({ rollbacks, plansProposed }) => [rollbacks, plansProposed])).toEqual([
    [0, 0],
    [1, 1],
  ]);
});
