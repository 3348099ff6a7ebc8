/**
 * The story of a plan, once per face: 12 files are proposed, checks find two new failures, a hunk is rejected, the rest is
 * checked again, applied and committed, its validation fails, it is rolled back, and the statistics tell all of it.
 */

import type { Savepoint } from '@savepoint/core';
import { open } from '@savepoint/core/node';
import { expect, it } from 'vitest';
import { call, connect } from './mcp-server.ts';
import { approvePlan } from './plan-approval.ts';
import {
  assertCommitted,
  COUNTS,
  contents,
  EDITS,
  FAILURES,
  FILES,
  INTENT,
  storyProject,
  wantedContents,
} from './plan-story-project.ts';

const SUMMARY = [
  'plans:           1 plan: 1 approved, 0 applied, 1 rolled back, 0 cancelled',
  '  proposed       12 paths; rejected and not revised: 0 paths, 1 hunk',
  '  checks         new failures in 2 runs; 0 overrides',
  '  until applied  median ',
];

it('in the shell', () => {
  const p = storyProject();
  const before = contents(p);
  p.ok('trust', '--yes');
  p.write('../edits.json', JSON.stringify({ files: EDITS }));
  const proposed = p.ok('plan', 'new', '../edits.json', '-m', INTENT).stdout;
  const id = /^plan_[0-9a-f]{8}/.exec(proposed)?.[0] ?? '';
  expect(proposed).toContain('pending  12 paths, +13 −13');
  expect(proposed).toContain(`Review it with \`savepoint plan review ${id}\` at a terminal.`);
  const json = (...args: readonly string[]) => JSON.parse(p.ok('plan', ...args, '--json').stdout);

  const checked = p.run(['plan', 'check', id]);
  expect(checked.status).toBe(1);
  expect(checked.stdout).toContain('types: failed, 2 new');
  for (const failure of FAILURES) expect(checked.stdout).toContain(failure);
  expect(json('show', id)).toMatchObject({
    status: 'pending',
    checked: 'failed',
    totals: { files: 12 },
    checks: { results: [{ name: 'types', comparison: 'worse', new: 2, failures: FAILURES }] },
  });
  expect(contents(p)).toEqual(before);

  expect(p.ok('plan', 'review', id, '--reject', 'src/api.txt:1').stdout).toContain('rejected: hunk 1');
  expect(p.ok('plan', 'list').stdout).toContain('checks out of date');
  expect(p.ok('plan', 'check', id).stdout).toContain('No new failures.');
  expect(json('list')).toMatchObject({ plans: [{ id, status: 'pending', checked: 'passed', rejected: 1 }] });

  expect(p.run(['plan', 'apply', id, '--yes']).stderr).toContain(`${id} is not approved.`);
  approvePlan(p, id);
  expect(p.ok('plan', 'apply', id, '--yes').stdout).toContain(`Applied ${id}: ${INTENT}: 12 paths`);
  expect(contents(p)).toEqual(wantedContents(before));
  const committed = json('commit', id);
  expect(committed.commits).toMatchObject([{ branch: 'main', files: 12, subject: INTENT.toLowerCase() }]);
  assertCommitted(p, committed.commits[0].commit);

  const validated = p.run(['plan', 'apply', id, '--yes', '--validate', 'soak', '--on-failure', 'rollback']);
  expect(validated.status).toBe(1);
  expect(validated.stdout).toContain('src/api.txt:11: error: too slow');
  expect(validated.stdout).toContain('Rolled back (now cp_');
  expect(contents(p)).toEqual(before);
  expect(json('list', '--all')).toMatchObject({ plans: [{ id, status: 'rolled-back', applied: [] }] });

  const told = p.ok('stats').stdout;
  for (const line of SUMMARY) expect(told).toContain(line);
  const { plans, acts } = JSON.parse(p.ok('stats', '--json').stdout);
  expect(plans).toEqual({ ...COUNTS, timeToApply: expect.objectContaining({ applications: 1 }) });
  expect(plans.timeToApply.median).toBeGreaterThan(0);
  expect(acts).toMatchObject({ apply: 1, rollback: 1 });
});

it('in the library', async () => {
  const p = storyProject();
  const before = contents(p);
  const opened = (actor: 'agent' | 'user'): Savepoint =>
    open({ dir: p.dir, home: p.store, ...(actor === 'agent' ? { actor: { kind: 'agent', name: 'builder' } } : {}) });
  const agent = opened('agent');
  const person = opened('user');
  const { digest } = await person.listChecks();
  await person.trustChecks(digest);

  const line = { op: 'replace', old: 'line 10\n', new: 'ten\n' } as const;
  const name = { op: 'replace', old: 'def total\n', new: 'def sum\n' } as const;
  const proposed = await agent.proposeEdits(
    FILES.map((path) => ({ path, edits: path === 'src/api.txt' ? [name, line] : [line] })),
    { intent: INTENT },
  );
  const { id } = proposed.plan;
  expect(proposed).toMatchObject({ status: 'pending', totals: { files: 12 } });

  const failed = await agent.checkPlan(id);
  expect(failed.checks).toMatchObject([{ name: 'types', comparison: 'worse' }]);
  expect(failed.checks[0]?.new.map(({ shown }) => shown)).toEqual(FAILURES);
  expect(contents(p)).toEqual(before);

  await person.decidePlan(id, [{ path: 'src/api.txt', hunk: 1, accepted: false }]);
  const good = await agent.checkPlan(id);
  expect(good.plan.checks).toMatchObject({ isCurrent: true, isFailed: false });
  await expect(agent.runPlan(id)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  await expect(agent.approvePlan(id, good.plan.fingerprint)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  expect(await person.approvePlan(id, good.plan.fingerprint)).toMatchObject({ status: 'approved' });

  expect(await agent.runPlan(id)).toMatchObject({ plan: { status: 'applied' }, stopped: null });
  expect(contents(p)).toEqual(wantedContents(before));
  const { commits } = await person.commitPlan(id);
  assertCommitted(p, commits[0]?.commit ?? '');

  const run = await agent.runPlan(id, { validate: ['soak'], onFailure: 'rollback' });
  expect(run.steps).toMatchObject([{ applied: null, checks: [{ name: 'soak', comparison: 'worse' }], isFailed: true }]);
  expect(run.plan.status).toBe('rolled-back');
  expect(contents(p)).toEqual(before);

  const { plans } = await agent.stats();
  expect(plans).toEqual({ ...COUNTS, timeToApply: expect.objectContaining({ applications: 1 }) });
});

it('over MCP, with the person at a terminal', async () => {
  const p = storyProject();
  const before = contents(p);
  p.ok('trust', '--yes');
  const client = await connect(p, '2025-11-25', { name: 'claude-code' });
  const { data: proposed } = await call(client, 'plan_propose', { files: EDITS, intent: INTENT });
  const id = String(proposed['id']);
  expect(proposed).toMatchObject({ status: 'pending', files: 12, by: 'agent claude' });

  const failed = await call(client, 'plan_check', { id });
  expect(failed.data).toMatchObject({ checks: [{ name: 'types', comparison: 'worse', new_failures: FAILURES }] });
  for (const failure of FAILURES) expect(failed.text).toContain(failure);
  expect(contents(p)).toEqual(before);

  p.ok('plan', 'review', id, '--reject', 'src/api.txt:1');
  expect((await call(client, 'plan_check', { id })).data).toMatchObject({ checks: [{ comparison: 'ok' }] });
  expect((await call(client, 'plan_apply', { id })).error).toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  approvePlan(p, id);
  expect((await call(client, 'plan_apply', { id })).data).toMatchObject({ outcome: 'done' });
  expect(contents(p)).toEqual(wantedContents(before));

  const { commits } = JSON.parse(p.ok('plan', 'commit', id, '--json').stdout);
  assertCommitted(p, commits[0].commit);
  const validated = p.run(['plan', 'apply', id, '--yes', '--validate', 'soak', '--on-failure', 'rollback']);
  expect([validated.status, validated.stdout]).toEqual([1, expect.stringContaining('too slow')]);
  expect(contents(p)).toEqual(before);

  expect((await call(client, 'plan_status', { id })).data).toMatchObject({ status: 'rolled-back' });
  const { plans } = JSON.parse(p.ok('stats', '--json').stdout);
  expect(plans).toEqual({ ...COUNTS, timeToApply: expect.objectContaining({ applications: 1 }) });
});
