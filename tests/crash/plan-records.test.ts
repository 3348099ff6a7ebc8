import type { Savepoint } from '@savepoint/core';
import { FaultyFs, SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { codeOf, engine, put, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { dieAt } from './die-at.ts';

/**
 * A process dies, the power is cut, or the system refuses a call, at any call while it proposes, revises, reviews, splits or
 * cancels a plan, sets its phases, applies one that has nothing to change, or changes a scope. What is recorded is all old or all new, the folder is not changed, and
 * repeating the command completes it.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 3, ci: 6, long: Number.POSITIVE_INFINITY });

const edit = (path: string, content: string) => {
  return { given: path, path, expectedHash: null, force: false, edits: [{ op: 'write' as const, content }] };
};

/** A plan that was reviewed and has a phase, and a scope. */
async function prepared(): Promise<SimDisk> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  for (const name of ['a.txt', 'b.txt', 'c.txt']) put(disk, `${ROOT}/${name}`, `${name}\n`);
  const savepoint = engine(disk, 90);
  const { plan } = await savepoint.proposeEdits([edit('a.txt', 'a2\n'), edit('b.txt', 'b2\n')], { intent: 'x' });
  await savepoint.setPlanPhases(plan.id, [{ name: 'one', paths: ['a.txt'] }]);
  await savepoint.decidePlan(plan.id, [{ path: 'b.txt', accepted: false }]);
  await savepoint.addToScope(['c.txt']);
  disk.makeDurable();
  return disk.afterProcessDeath();
}

interface Scene {
  readonly name: string;
  readonly prepare?: (savepoint: Savepoint) => Promise<unknown>;
  readonly action: (savepoint: Savepoint) => Promise<unknown>;
}

const approve = async (savepoint: Savepoint): Promise<unknown> =>
  savepoint.approvePlan('last', (await savepoint.plan('last')).fingerprint);

const SCENES: readonly Scene[] = [
  { name: 'propose', action: (savepoint) => savepoint.proposeEdits([edit('c.txt', 'c2\n')], { intent: 'second' }) },
  { name: 'revise', action: (savepoint) => savepoint.revisePlan('last', [edit('a.txt', 'a3\n'), edit('new', 'n\n')]) },
  {
    name: 'decide',
    action: (savepoint) => savepoint.decidePlan('last', [{ path: 'a.txt', hunk: 1, accepted: true }]),
  },
  { name: 'approve', action: approve },
  { name: 'note', action: (savepoint) => savepoint.notePlan('last', 'Use another name') },
  { name: 'phases', action: (savepoint) => savepoint.setPlanPhases('last', [{ name: 'two', paths: ['b.txt'] }]) },
  {
    name: 'split',
    prepare: (savepoint) => savepoint.revisePlan('last', [edit('a.ts', 'export {};\n'), edit('b.ts', 'export {};\n')]),
    action: (savepoint) => savepoint.splitPlan('last', { into: 'groups' }),
  },
  { name: 'cancel', action: (savepoint) => savepoint.cancelPlan('last') },
  {
    name: 'apply what is there already',
    prepare: async (savepoint) => {
      await approve(savepoint);
      await savepoint.edit([edit('a.txt', 'a2\n')]);
    },
    action: (savepoint) => savepoint.applyPlan('last'),
  },
  { name: 'scope add', action: (savepoint) => savepoint.addToScope(['a.txt', 'b.txt']) },
  { name: 'scope drop', action: (savepoint) => savepoint.dropFromScope(['c.txt']) },
];

/** Everything that is recorded, without times and ids. */
async function recorded(savepoint: Savepoint): Promise<string> {
  const { plans, problems } = await savepoint.plans();
  const { scopes, damaged } = await savepoint.scope();
  const ids = plans.map(({ plan }) => plan.id);
  const without = (key: string, value: unknown): unknown =>
    ['time', 'updated', 'created', 'since', 'at', 'id', 'commit', 'changed'].includes(key) ? undefined : value;
  expect(new Set(ids).size).toBe(ids.length);
  return JSON.stringify({ plans, problems, scopes, damaged }, without).replace(/plan_[0-9a-f]{8}/g, 'plan');
}

test.each(SCENES)('$name, interrupted at any call', { timeout: 3_600_000 }, async ({ name, prepare, action }) => {
  const random = seededRandom(SEED);
  const start = await prepared();
  await prepare?.(engine(start, 92));
  start.makeDurable();
  const tree = tell(treeOf(start).tree);
  const before = await recorded(engine(start.afterProcessDeath(), 95));
  const whole = start.afterProcessDeath();
  const counting = new FaultyFs(whole);
  const from = whole.calls;
  await action(engine(counting, 100));
  const calls = whole.calls - from;
  const after = await recorded(engine(whole, 150));
  expect(after).not.toBe(before);
  const judge = async (disk: SimDisk, where: string): Promise<void> => {
    expect(tell(treeOf(disk).tree), where).toBe(tree);
    const now = await recorded(engine(disk, 200));
    expect([before, after], where).toContain(now);
    if (now === before) {
      await action(engine(disk, 201));
      expect(await recorded(engine(disk, 202)), where).toBe(after);
    }
    await verifyDeep(engine(disk, 203));
  };
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  for (const moment of all.length > MOMENTS ? random.sample(all, MOMENTS) : all) {
    const disk = start.afterProcessDeath();
    const hasDied = dieAt(disk, moment);
    const error = await action(engine(disk, 100)).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    disk.onCall = null;
    if (hasDied() && error !== null) expect(error).not.toBeInstanceOf(TypeError);
    const where = `SAVEPOINT_SEED=${SEED}: ${name} died before call ${moment} of ${calls}`;
    for (const state of disk.crashStates('any-subset', 1, random)) await judge(state, `${where}, power cut`);
    await judge(disk.afterProcessDeath(), where);
  }
  for (const moment of all.length > MOMENTS ? random.sample(all, MOMENTS) : all) {
    const disk = start.afterProcessDeath();
    const fault = { fail: random.pick(['ENOSPC', 'EIO', 'EACCES']), sticky: random.pick([true, false]) };
    const where = `SAVEPOINT_SEED=${SEED}: ${name}, call ${moment} of ${calls} fails: ${JSON.stringify(fault)}`;
    const savepoint = engine(new FaultyFs(disk, { at: moment, fault }), 100);
    await action(savepoint).catch((error: unknown) => expect(codeOf(error), where).toMatch(/^[A-Z_]+$/));
    await judge(disk.afterProcessDeath(), where);
  }
});
