/** Plans of which something had nothing to change, or did not merge: what counts as applied, and what is left. */

import { existsSync, renameSync, rmSync } from 'node:fs';
import type { FileRequest } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';
import { write } from './write.ts';

class Planned extends Place {
  id = '';

  static async of(requests: readonly FileRequest[], phases: readonly string[] = []): Promise<Planned> {
    const p = new Planned();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) p.write(name, `${name}\n`);
    const named = phases.map((path) => ({ name: path, paths: [path] }));
    const { plan } = await p.open().proposeEdits(requests, { intent: 'x', phases: named });
    p.id = plan.id;
    await p.approve();
    return p;
  }

  async approve(): Promise<void> {
    await this.open().approvePlan(this.id, (await this.open().plan(this.id)).fingerprint);
  }

  run(skipConflicts = false, rebase = false) {
    return this.open().runPlan(this.id, { skipConflicts, rebase });
  }

  /** Its status, which of its phases are done, and what is left of it. */
  async state() {
    const { status, phases, left } = await this.open().plan(this.id);
    return [status, phases.map(({ isDone }) => isDone), left];
  }

  texts(...names: readonly string[]): readonly (string | null)[] {
    return names.map((name) => (existsSync(this.at(name)) ? this.read(name).trim() : null));
  }
}

const ALL = [write('a.txt', 'A\n'), write('b.txt', 'B\n'), write('c.txt', 'C\n')];
const NAMES = ['a.txt', 'b.txt', 'c.txt'];

describe('a phase whose files are already as it wants them', () => {
  test('counts as applied, and the next one follows', async () => {
    const p = await Planned.of(ALL, NAMES);
    p.write('b.txt', 'B\n');
    for (const [checkpoint, done] of [
      [true, [true, false, false]],
      [false, [true, true, false]],
      [true, [true, true, true]],
    ] as const) {
      const applied = await p.open().applyPlan(p.id);
      expect(applied.checkpoint !== null).toBe(checkpoint);
      expect((await p.state())[1]).toEqual(done);
    }
    const view = await p.open().plan(p.id);
    expect([view.status, view.applied.length, view.phases.map(({ applied }) => applied !== null)]).toEqual([
      'applied',
      2,
      [true, false, true],
    ]);
    expect((await p.open().status()).openPlans).toEqual([]);
    await expect(p.run()).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('already applied') });
  });

  test.each([
    // What was there before, what is rolled back, and what then is done.
    { there: 'a.txt', last: true, done: [true, true, false] },
    { there: 'b.txt', last: true, done: [true, true, false] },
    { there: 'c.txt', last: true, done: [true, false, false] },
    { there: 'a.txt', last: false, done: [false, false, false] },
    { there: 'b.txt', last: false, done: [false, false, false] },
  ])('$there, after a rollback (last: $last)', async ({ there, last, done }) => {
    const p = await Planned.of(ALL, NAMES);
    p.write(there, there[0]?.toUpperCase().concat('\n') ?? '');
    expect((await p.run()).plan.status).toBe('applied');
    await p.open().rollBackPlan(p.id, { last });
    expect(await p.state()).toEqual([last ? 'pending' : 'rolled-back', done, []]);
    await p.approve();
    expect((await p.run()).plan.status).toBe('applied');
    expect(p.texts(...NAMES)).toEqual(['A', 'B', 'C']);
  });

  test('two runs at the same time apply each phase once', async () => {
    const p = await Planned.of(ALL, NAMES);
    await Promise.allSettled([p.run(), p.run()]);
    const { status, phases } = await p.open().plan(p.id);
    expect([status, phases.every(({ applied }) => applied !== null)]).toEqual(['applied', true]);
    await p.open().rollBackPlan(p.id);
    expect(p.texts(...NAMES)).toEqual(NAMES);
  });

  test('a whole plan counts as well, and has nothing to roll back or to commit', async () => {
    const p = await Planned.of([write('a.txt', 'A\n')]);
    p.write('a.txt', 'A\n');
    const before = (await p.open().list()).checkpoints.length;
    const { steps, plan } = await p.run();
    expect([steps.map(({ applied }) => applied?.checkpoint), plan.status, plan.applied]).toEqual([
      [null],
      'applied',
      [],
    ]);
    expect((await p.open().list()).checkpoints).toHaveLength(before);
    await expect(p.open().rollBackPlan(p.id)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('changed nothing'),
    });
  });

  test('a plan of which everything is rejected is not applied by that', async () => {
    const p = await Planned.of([write('a.txt', 'A\n')]);
    await p.open().decidePlan(p.id, [{ path: 'a.txt', accepted: false }]);
    await p.approve();
    await p.open().applyPlan(p.id);
    expect((await p.state())[0]).toBe('approved');
  });
});

describe('what does not merge', () => {
  test.each([false, true])(
    'is left out and stays open, until it is applied or rejected (rebase: %s)',
    async (rebase) => {
      const p = await Planned.of(ALL);
      p.write('b.txt', 'mine\n');
      await expect(p.run(false, rebase)).rejects.toMatchObject({ code: 'CONFLICT' });
      const { plan, steps } = await p.run(true, rebase);
      expect(steps[0]?.applied?.plan.kept).toMatchObject([{ path: 'b.txt', why: expect.stringMatching(/^skipped: /) }]);
      expect([plan.status, plan.left, plan.applied.length]).toEqual(['approved', ['b.txt'], 1]);
      expect((await p.open().status()).openPlans).toHaveLength(1);
      // What was changed since in the others is no matter.
      p.write('a.txt', 'A\nmore\n');
      await expect(p.run(false, rebase)).rejects.toMatchObject({
        code: 'CONFLICT',
        data: { paths: [{ path: 'b.txt' }] },
      });
      const checkpoints = (await p.open().list()).checkpoints.length;
      expect((await p.run(true, rebase)).plan).toMatchObject({ status: 'approved', left: ['b.txt'] });
      expect((await p.open().list()).checkpoints).toHaveLength(checkpoints);
      p.write('b.txt', 'b.txt\n');
      const done = await p.run(false, rebase);
      expect([done.plan.status, done.plan.left, done.plan.applied.length]).toEqual(['applied', [], 2]);
      expect(p.texts(...NAMES)).toEqual(['A\nmore', 'B', 'C']);

      // What the second application did is open again if only that is taken back.
      await p.open().undo();
      expect(await p.state()).toEqual(['pending', [], ['b.txt']]);
      await p.open().decidePlan(p.id, [{ path: 'b.txt', accepted: false }]);
      expect((await p.state())[0]).toBe('applied');
      p.write('a.txt', 'A\n');
      await p.open().rollBackPlan(p.id);
      expect(p.texts('b.txt', 'c.txt')).toEqual(['b.txt', 'c.txt']);
    },
  );

  test('in a phase, it comes before the next phases', async () => {
    const p = await Planned.of([...ALL, write('d/x.txt', 'D\n')], ['a.txt', 'b.txt']);
    p.write('a.txt', 'mine\n');
    p.write('c.txt', 'mine\n');
    const { plan, steps } = await p.run(true);
    expect(steps.map(({ applied }) => applied?.plan.paths.map(({ path }) => path))).toEqual([
      [],
      ['b.txt', 'd', 'd/x.txt'],
    ]);
    expect([plan.status, plan.phases.map(({ isDone }) => isDone), plan.left]).toEqual([
      'approved',
      [false, false],
      ['c.txt'],
    ]);
    // Solved by hand, exactly as the plan has it.
    p.write('a.txt', 'A\n');
    p.write('c.txt', 'C\n');
    expect((await p.run()).plan).toMatchObject({ status: 'applied', left: [] });
  });

  test('a rename is left out whole', async () => {
    const p = await Planned.of([
      { path: 'a.txt', edits: [{ op: 'rename', to: 'new/a.txt' }] } as never,
      write('b.txt', 'B\n'),
    ]);
    p.write('a.txt', 'mine\n');
    const { plan } = await p.run(true);
    expect([plan.status, [...plan.left].sort()]).toEqual(['approved', ['a.txt', 'new/a.txt']]);
    expect([...p.texts('a.txt', 'b.txt'), existsSync(p.at('new'))]).toEqual(['mine', 'B', false]);
    p.write('a.txt', 'a.txt\n');
    expect((await p.run()).plan.status).toBe('applied');
    expect(p.texts('a.txt', 'new/a.txt')).toEqual([null, 'a.txt']);
  });

  test('is left out with all below it, where something else is in place of a folder', async () => {
    for (const rebase of [false, true]) {
      const p = await Planned.of([write('d/x.txt', 'D\n'), write('e/x.txt', 'E\n'), write('b.txt', 'B\n')]);
      p.write('d', 'a file\n');
      p.shell('mkdir ../outside && ln -s ../outside e');
      const { plan } = await p.run(true, rebase);
      expect([plan.status, [...plan.left].sort()]).toEqual(['approved', ['d/x.txt', 'e/x.txt']]);
      expect([...p.texts('d', 'b.txt'), existsSync(p.at('../outside/x.txt'))]).toEqual(['a file', 'B', false]);
      p.shell('rm d e');
      expect((await p.run(false, rebase)).plan.status).toBe('applied');
      expect(p.texts('d/x.txt', 'e/x.txt')).toEqual(['D', 'E']);
    }
  });

  test('is named if it changes after the preview, or while it is applied', async () => {
    const p = await Planned.of(ALL);
    const { fingerprint: expected } = await p.open().previewPlan(p.id);
    p.write('b.txt', 'by a hook\n');
    const why = expect.stringContaining('it changed after the plan was made, from outside');
    const conflict = { code: 'CONFLICT', data: { paths: [{ path: 'b.txt', why }] } };
    await expect(p.open().runPlan(p.id, { expected })).rejects.toMatchObject(conflict);
    p.write('b.txt', 'b.txt\n');
    const ports = realPorts();
    const fs = new Proxy(ports.fs, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...given: readonly unknown[]): unknown => {
          if (name === 'rename' && String(given[0]).endsWith('/b.txt')) p.write('b.txt', 'by a watcher\n');
          return Reflect.apply(method, target, given);
        };
      },
    });
    await expect(p.open({ ports: { ...ports, fs } }).runPlan(p.id)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('changed b.txt at the same moment'),
      hint: expect.stringContaining('Try again'),
    });
    expect(p.texts(...NAMES)).toEqual(['a.txt', 'by a watcher', 'c.txt']);
  });

  test('says who changed it', async () => {
    const p = await Planned.of(ALL);
    const agent = p.open({ actor: { kind: 'agent', name: 'claude' } });
    await agent.edit([write('a.txt', 'by claude\n')]);
    rmSync(p.at('b.txt'));
    renameSync(p.at('c.txt'), p.at('d.txt'));
    await expect(p.run()).rejects.toMatchObject({
      code: 'CONFLICT',
      hint: expect.stringContaining('--skip-conflicts'),
      data: {
        paths: [
          { path: 'a.txt', why: expect.stringMatching(/^it changed after the plan was made, by claude, in cp_\d+$/) },
          {
            path: 'b.txt',
            why: expect.stringMatching(/^it changed after the plan was made, from outside, after cp_\d+$/),
          },
          { path: 'c.txt', why: expect.stringContaining('from outside') },
        ],
      },
    });
  });
});

test('a plan whose checkpoint was dropped stays applied, and is not applied again', async () => {
  const p = await Planned.of(ALL);
  const { steps } = await p.run();
  const id = steps[0]?.applied?.checkpoint?.id ?? '';
  p.write('d.txt', 'later\n');
  await p.open().checkpoint();
  await p.open().drop([id]);
  expect(await p.open().plan(p.id)).toMatchObject({ status: 'applied', applied: [id] });
  p.write('a.txt', 'mine\n');
  await expect(p.run()).rejects.toMatchObject({ code: 'USAGE' });
  await expect(p.open().rollBackPlan(p.id)).rejects.toMatchObject({ message: expect.stringContaining('was dropped') });
  expect(p.texts('a.txt')).toEqual(['mine']);
});

test('a fork of a plan that is applied in part gets the rest: what was applied may have been changed since', async () => {
  const p = await Planned.of(ALL, NAMES);
  await p.open().applyPlan(p.id);
  p.write('a.txt', 'mine\n');
  await p.open().createForks(['rest'], { from: p.id });
  await p.open().mergeFork('rest');
  expect(p.texts(...NAMES)).toEqual(['mine', 'B', 'C']);
});
