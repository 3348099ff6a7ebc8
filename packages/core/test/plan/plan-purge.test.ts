/** A purge reaches every text and every content of plans, and what was applied stays applied. */

import { execFileSync } from 'node:child_process';
import type { Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';
import { write } from './write.ts';

const SECRET = 'token = "öpen-sesame-1234"';

/** Every object of the store, as text. */
async function objectsOf(p: Place): Promise<string> {
  return objectsIn(`${await p.store()}/objects.git`);
}

function objectsIn(repository: string): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const ids = git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').trim().split('\n');
  return execFileSync('git', ['-C', repository, 'cat-file', '--batch'], {
    input: ids.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
}

const mentions = (text: string): boolean => text.includes('sesame-1234');

/** A plan of two files that mentions the secret in every text it can have. */
async function talkative(p: Place, savepoint: Savepoint): Promise<string> {
  p.write('check.sh', `grep -q planned a.txt && echo 'a.txt:1: error: ${SECRET}' && exit 1; exit 0\n`);
  p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', 'check.sh'], kind: 'lint' } } }));
  await savepoint.trustChecks((await savepoint.listChecks()).digest);
  const { plan } = await savepoint.proposeEdits([write('a.txt', 'planned\n'), write('b.txt', 'planned\n')], {
    intent: `Put ${SECRET} in a file\nmore`,
  });
  await savepoint.notePlan(plan.id, `Do not use ${SECRET}`);
  await savepoint.setPlanPhases(plan.id, [
    { name: `one ${SECRET}`, paths: ['a.txt'] },
    { name: `two ${SECRET}`, paths: ['b.txt'] },
  ]);
  await savepoint.checkPlan(plan.id, { rungs: ['copy'] });
  await savepoint.approvePlan(plan.id, (await savepoint.plan(plan.id)).fingerprint);
  await savepoint.runPlan(plan.id, { override: `because of ${SECRET}`, validate: [], rungs: ['copy'] });
  return plan.id;
}

test('no text of a plan keeps what was purged, and the plan stays applied', async () => {
  const p = new Place();
  for (const name of ['a.txt', 'b.txt']) p.write(name, `${name}\n`);
  p.write('secret.txt', `${SECRET}\n`);
  const PATH = process.env['PATH'] ?? '';
  const places = { ...p.world.places, searchPath: PATH, variables: () => ({ PATH }) };
  const savepoint = p.open({ places, settings: { savepoint: null } });
  await savepoint.checkpoint();
  const id = await talkative(p, savepoint);
  p.write('check.sh', 'exit 0\n');
  await savepoint.checkpoint();
  expect(mentions(await objectsOf(p))).toBe(true);
  const before = await savepoint.plan(id);
  expect(before.phases.map(({ applied }) => applied !== null)).toEqual([true, false]);
  await savepoint.purge(['secret.txt', 'check.sh']);
  expect(mentions(await objectsOf(p))).toBe(false);
  const after = await p.open().plan(id);
  expect(after.phases.map(({ name, applied }) => [name, applied])).toEqual(
    before.phases.map(({ applied }, index) => [`purged ${index + 1}`, applied]),
  );
  expect(after.plan).toMatchObject({ intent: '', words: [{ text: '' }], override: { why: '' }, failedRuns: 2 });
  expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  // What is left of it goes on, after another approval: its files are others now.
  expect(after.status).toBe('pending');
  await savepoint.approvePlan(id, after.fingerprint);
  expect((await savepoint.runPlan(id)).plan.status).toBe('applied');
  await savepoint.rollBackPlan(id);
  expect(p.read('a.txt')).toBe('a.txt\n');
});

test('a content that only a plan has is purged, with the words that mention it; elsewhere it stays, and is named', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  const savepoint = p.open();
  const { plan } = await savepoint.proposeEdits([write('secret.txt', `${SECRET}\n`), write('a.txt', 'a2\n')], {
    intent: 'Add it',
  });
  const other = await savepoint.proposeEdits(
    [write('copy.txt', 'only in plans\n'), write('x.txt', 'only in plans\n')],
    {
      intent: 'Copies',
    },
  );
  await savepoint.notePlan(plan.id, `Why ${SECRET}?`);
  await savepoint.decidePlan(plan.id, [{ path: 'a.txt', hunk: 1, accepted: true }]);
  await savepoint.purge(['secret.txt']);
  expect(mentions(await objectsOf(p))).toBe(false);
  const { changes, plan: kept } = await p.open().plan(plan.id);
  expect(changes.map(({ change }) => change.path)).toEqual(['a.txt']);
  expect(kept).toMatchObject({ intent: 'Add it', words: [{ text: '' }], decisions: [{ path: 'a.txt' }] });
  const { sameBytes } = await savepoint.purge(['x.txt']);
  expect(sameBytes).toEqual(['copy.txt']);
  expect((await p.open().plan(other.plan.id)).changes.map(({ change }) => change.path)).toEqual(['copy.txt']);
});

test('an export without descriptions has neither the intent nor the names of phases', async () => {
  const { describeWithoutTexts } = await import('../../src/timeline/capture/describe.ts');
  const described = (trigger: string, description: string) =>
    describeWithoutTexts({ trigger, description, changes: [], totals: { files: 0 } } as never);
  expect(described('apply', 'Applied plan_0a1b2c3d (a (b): c): why')).toBe('Applied plan_0a1b2c3d');
  expect(described('rollback', 'plan_0a1b2c3d (why): Rolled back 1 change')).toBe('plan_0a1b2c3d: Rolled back');
  expect(described('rollback', 'Rolled back 1 change')).toBe('Rolled back 1 change');
});

test('the deletion of a session removes the texts of its plans, also from a bundle; those of other sessions stay', async () => {
  const p = Place.with({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const savepoint = p.open();
  await savepoint.checkpoint();
  await savepoint.setPlanMode('on');
  const held = async (id: string, file: string) => {
    const session = savepoint.session({ agent: 'helper', id });
    await session.start();
    await session.prompt(`The words of ${id}`, `prompt of ${id}`);
    const request = { tool: 'Write', kind: 'write', paths: [p.at(file)] } as const;
    await session.hold({ ...request, writes: [{ path: file as never, found: null, result: `by ${id}\n` }] });
    await session.close();
    const { plan } = await savepoint.plan('last');
    await savepoint.notePlan(plan.id, `Words about ${id}`);
    return plan.id;
  };
  const [applied, open, other] = [await held('s-1', 'a.txt'), await held('s-2', 'b.txt'), await held('s-3', 'c.txt')];
  await savepoint.setPlanMode('off');
  await savepoint.setPlanPhases(applied, [{ name: 'words of s-1', paths: ['a.txt'] }]);
  await savepoint.approvePlan(applied, (await savepoint.plan(applied)).fingerprint);
  await savepoint.applyPlan(applied);
  await savepoint.undo();
  await savepoint.redo();
  expect(await objectsOf(p)).toMatch(/words of s-1/i);
  for (const [session, id] of [
    ['s-1', applied],
    ['s-2', open],
  ] as const)
    expect(await savepoint.forgetSession(session)).toMatchObject({ plans: [id] });
  p.write('d.txt', 'd\n');
  await savepoint.checkpoint();
  await savepoint.createBundle(p.at('../all.bundle'), { messages: true });
  const bundled = p.at('../bundled.git');
  execFileSync('git', ['init', '-q', '--bare', bundled]);
  execFileSync('git', ['-C', bundled, 'fetch', '-q', p.at('../all.bundle'), 'refs/*:refs/*']);
  for (const objects of [await objectsOf(p), objectsIn(bundled)])
    expect(objects).not.toMatch(/s of s-[12]|about s-[12]/);
  expect(await objectsOf(p)).toContain('Words about s-3');
  const intents = await Promise.all([applied, open, other].map(async (id) => (await p.open().plan(id)).plan.intent));
  expect(intents).toEqual(['Plan of a deleted session', 'Plan of a deleted session', 'The words of s-3']);
  expect((await savepoint.plan(applied)).status).toBe('applied');
  await savepoint.approvePlan(open, (await savepoint.plan(open)).fingerprint);
  await savepoint.applyPlan(open);
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['by s-1\n', 'by s-2\n']);
  expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
});
