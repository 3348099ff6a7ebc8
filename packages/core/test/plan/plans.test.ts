/** Plans: proposed, cut down, approved, applied, undone and cancelled. */

import type { FileRequest, Savepoint } from '@savepoint/core';
import { fixedClock, realPorts } from '@savepoint/testkit';
import { workingFiles } from '@savepoint/testkit/command';
import { expect, test } from 'vitest';
import { numberedLines } from '../numbered-lines.ts';
import { Place } from '../place.ts';

const text = (changed: Readonly<Record<number, string>>): string => numberedLines(20, changed);

const place = (): Place => Place.with({ 'a.txt': text({}), 'b.txt': 'b\n' });

const replaced = (old: string, to: string) =>
  ({ op: 'replace', old, new: to, replaceAll: false, tolerant: false }) as const;

async function proposed(savepoint: Savepoint) {
  const files: readonly Pick<FileRequest, 'given' | 'path' | 'edits'>[] = [
    { given: 'a.txt', path: 'a.txt', edits: [replaced('line 2\n', 'two\n'), replaced('line 18\n', 'eighteen\n')] },
    { given: 'b.txt', path: 'b.txt', edits: [{ op: 'delete' }] },
    { given: 'c/d.txt', path: 'c/d.txt', edits: [{ op: 'create', content: 'd\n', mode: null }] },
  ];
  return savepoint.proposeEdits(
    files.map((one) => ({ ...one, expectedHash: null, force: false })),
    { intent: 'Spell the numbers' },
  );
}

test('a plan is cut down, approved, applied and undone', async () => {
  const p = place();
  const savepoint = p.open();
  const before = workingFiles(p.at(''));
  const { plan, fingerprint, status, changes } = await proposed(savepoint);
  expect(status).toBe('pending');
  expect(changes.map(({ change, hunks }) => [change.path, change.operation, hunks?.length])).toEqual([
    ['a.txt', 'write', 2],
    ['b.txt', 'delete', undefined],
    ['c/d.txt', 'create', undefined],
  ]);
  await expect(savepoint.applyPlan(plan.id)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  const cut = await p.open().decidePlan(plan.id, [
    { path: 'a.txt', hunk: 2, accepted: false },
    { path: 'b.txt', accepted: false },
  ]);
  expect([cut.totals, cut.selected]).toEqual([
    { files: 3, added: 3, removed: 3 },
    { files: 2, added: 2, removed: 1 },
  ]);
  expect((await savepoint.plans()).plans[0]?.selected).toEqual(cut.selected);
  await expect(savepoint.approvePlan(plan.id, fingerprint)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await savepoint.approvePlan(plan.id, cut.fingerprint)).status).toBe('approved');
  expect(workingFiles(p.at(''))).toEqual(before);
  const { checkpoint } = await p.open().applyPlan(plan.id);
  expect(checkpoint).toMatchObject({ trigger: 'apply', description: `Applied ${plan.id}: Spell the numbers` });
  expect([p.read('a.txt'), p.read('b.txt'), p.read('c/d.txt')]).toEqual([text({ 2: 'two' }), 'b\n', 'd\n']);
  expect((await savepoint.plan(plan.id)).status).toBe('applied');
  await expect(savepoint.applyPlan(plan.id)).rejects.toMatchObject({ code: 'USAGE' });
  await savepoint.undo();
  expect((await savepoint.plan(plan.id)).status).toBe('rolled-back');
  expect(p.read('a.txt')).toBe(text({}));
  await savepoint.redo();
  expect((await savepoint.plan(plan.id)).status).toBe('applied');
});

test('what was approved no longer counts if a decision changes afterwards', async () => {
  const p = place();
  const savepoint = p.open();
  const { plan, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(plan.id, fingerprint);
  expect((await savepoint.decidePlan(plan.id, [{ path: 'b.txt', accepted: false }])).status).toBe('pending');
  await expect(savepoint.applyPlan(plan.id)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  expect((await savepoint.decidePlan(plan.id, [{ path: 'b.txt', accepted: true }])).status).toBe('approved');
});

test('an agent approves nothing, and applies again nothing that was rolled back after the approval', async () => {
  const p = place();
  const person = p.open();
  const agent = p.open({ actor: { kind: 'agent', name: 'claude' } });
  const { plan, fingerprint } = await proposed(agent);
  const refused = { code: 'NEEDS_CONFIRMATION' };
  await expect(agent.approvePlan(plan.id, fingerprint)).rejects.toMatchObject(refused);
  await expect(agent.applyPlan(plan.id)).rejects.toMatchObject(refused);
  await person.approvePlan(plan.id, fingerprint);
  await agent.applyPlan(plan.id);
  await person.undo();
  await expect(agent.applyPlan(plan.id)).rejects.toMatchObject(refused);
  expect(p.read('b.txt')).toBe('b\n');
  await person.approvePlan(plan.id, fingerprint);
  await person.applyPlan(plan.id);
  expect((await person.plan(plan.id)).status).toBe('applied');
});

test('an applied plan cannot be decided about, approved or cancelled, and one that was rolled back needs another approval', async () => {
  const p = place();
  const clock = fixedClock(Date.UTC(2026, 0, 1));
  const savepoint = p.open({ ports: { ...realPorts(), clock } });
  const { plan, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(plan.id, fingerprint);
  await savepoint.applyPlan(plan.id);
  const refused = { code: 'USAGE', hint: expect.stringContaining(`savepoint plan rollback ${plan.id}`) };
  const decisions = [{ path: 'b.txt', accepted: false }];
  await expect(savepoint.decidePlan(plan.id, decisions)).rejects.toMatchObject(refused);
  await expect(savepoint.approvePlan(plan.id, fingerprint)).rejects.toMatchObject(refused);
  await expect(savepoint.cancelPlan(plan.id)).rejects.toMatchObject({
    ...refused,
    message: `${plan.id} is applied, so it cannot be cancelled.`,
  });
  await savepoint.undo();
  await expect(savepoint.applyPlan(plan.id)).rejects.toMatchObject({
    code: 'NEEDS_CONFIRMATION',
    message: `${plan.id} was rolled back after it was approved.`,
  });
  expect((await savepoint.approvePlan(plan.id, fingerprint)).status).toBe('approved');
  await savepoint.applyPlan(plan.id);
  expect((await savepoint.plan(plan.id)).status).toBe('applied');
  await savepoint.undo();
  expect((await savepoint.cancelPlan(plan.id)).status).toBe('cancelled');
  await expect(savepoint.approvePlan(plan.id, fingerprint)).rejects.toMatchObject({ code: 'USAGE' });
});

test('a path that changed since is a conflict, unless both changes are merged', async () => {
  const p = place();
  const savepoint = p.open();
  const { plan, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(plan.id, fingerprint);
  p.write('a.txt', text({ 10: 'a person' }));
  await expect(savepoint.applyPlan(plan.id)).rejects.toMatchObject({
    code: 'CONFLICT',
    data: { paths: [{ path: 'a.txt' }] },
  });
  expect(p.read('b.txt')).toBe('b\n');
  await savepoint.applyPlan(plan.id, { rebase: true });
  expect(p.read('a.txt')).toBe(text({ 2: 'two', 10: 'a person', 18: 'eighteen' }));
});

test('only a person resolves the conflicts of an approved plan, and counts as an author of what was merged', async () => {
  const p = place();
  const person = p.open();
  const agent = p.open({ actor: { kind: 'agent', name: 'claude' } });
  const { plan, fingerprint } = await proposed(agent);
  await person.approvePlan(plan.id, fingerprint);
  p.write('a.txt', text({ 2: 'a person' }));
  const resolutions = new Map([['a.txt', { content: Buffer.from('merged\n') }]]);
  const prefer = (side: 'ours' | 'theirs') => ({ rebase: true, prefer: new Map([['a.txt', side]]) });
  for (const options of [{ rebase: true, resolutions }, prefer('ours'), prefer('theirs')])
    await expect(agent.applyPlan(plan.id, options)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  expect(p.read('a.txt')).toBe(text({ 2: 'a person' }));
  const { checkpoint } = await person.applyPlan(plan.id, { rebase: true, resolutions });
  expect(p.read('a.txt')).toBe('merged\n');
  const by = Object.fromEntries(
    checkpoint?.changes?.map((one) => [one.path, [one.by.grade, ...one.by.authors.map(({ actor }) => actor.name)]]) ??
      [],
  );
  expect(by).toMatchObject({ 'a.txt': ['open', 'claude', 'user'], 'b.txt': ['sure', 'claude'] });
});

test('a plan survives clean-up, and its secrets do not survive a purge', async () => {
  const p = place();
  const savepoint = p.open();
  const { plan } = await proposed(savepoint);
  p.write('other.txt', 'x\n');
  await savepoint.checkpoint();
  await savepoint.gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
  expect((await p.open().plan(plan.id, { patch: true })).patch?.text.toString()).toContain('+eighteen');
  await savepoint.purge(['c/d.txt']);
  const { changes } = await p.open().plan(plan.id, { patch: true });
  expect(changes.map(({ change }) => change.path)).toEqual(['a.txt', 'b.txt', 'c']);
  expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
});

test('a cancelled plan cannot be applied, and an unknown one has an error of its own', async () => {
  const p = place();
  const savepoint = p.open();
  const { plan, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(plan.id, fingerprint);
  expect((await savepoint.cancelPlan(plan.id)).status).toBe('cancelled');
  await expect(savepoint.applyPlan(plan.id)).rejects.toMatchObject({ code: 'USAGE' });
  await expect(savepoint.plan('plan_00000000')).rejects.toMatchObject({
    code: 'UNKNOWN_PLAN',
    data: { known: [plan.id] },
  });
  expect((await savepoint.plan('last')).plan.id).toBe(plan.id);
});

test('rejecting what a folder was created or removed for leaves the folder as it was', async () => {
  const p = place();
  p.shell('mkdir -m 700 old && echo x > old/x.txt');
  const savepoint = p.open();
  const { plan } = await savepoint.proposeEdits(
    [
      {
        given: 'new/deep/a.txt',
        path: 'new/deep/a.txt',
        edits: [{ op: 'create' as const, content: 'a\n', mode: null }],
      },
      { given: 'old/x.txt', path: 'old/x.txt', edits: [{ op: 'delete' as const }] },
      { given: 'b.txt', path: 'b.txt', edits: [replaced('b', 'c')] },
    ].map((one) => ({ ...one, expectedHash: null, force: false })),
    { intent: 'x' },
  );
  const { fingerprint } = await savepoint.decidePlan(plan.id, [
    { path: 'new/deep/a.txt', accepted: false },
    { path: 'old/x.txt', accepted: false },
  ]);
  await savepoint.approvePlan(plan.id, fingerprint);
  const { plan: done } = await savepoint.applyPlan(plan.id);
  expect(done.paths.map(({ path }) => path)).toEqual(['b.txt']);
  expect(workingFiles(p.at(''))).toEqual(expect.not.objectContaining({ new: expect.anything() }));
});

test('a plan expires some time after its last change, which status and the list say before', async () => {
  const p = place();
  const DAY = 24 * 3_600_000;
  const clock = fixedClock(Date.UTC(2026, 0, 1));
  const open = () => p.open({ ports: { ...realPorts(), clock } });
  const { plan } = await proposed(open());
  const { openPlans } = await open().status();
  expect(openPlans).toEqual([{ id: plan.id, intent: plan.intent, expires: plan.updated + 30 * DAY }]);
  clock.advance(29 * DAY);
  await open().notePlan(plan.id, 'still wanted');
  clock.advance(29 * DAY);
  await open().gc();
  expect((await open().plans()).plans).toHaveLength(1);
  clock.advance(2 * DAY);
  await open().gc();
  expect(await open().plans()).toEqual({ plans: [], keptMs: 30 * DAY, problems: [] });
  expect((await open().verify({ deep: true })).damage).toEqual([]);
});
