/** The checks of plans before and after they are applied, and their phases. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileRequest, OpenOptions, Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import type { RunPlanOptions } from '../../src/engine/plans/run-plan.ts';
import { Place } from '../place.ts';

const VARIABLES = { PATH: process.env['PATH'] ?? '' };
const RUNGS = { rungs: ['copy'] } as const;

/** A project with one check: each line `bad …` in a file of `src` is a failure. */
class Project extends Place {
  constructor(script = 'touch mark src/mark; grep -rh "^bad" src; test $? = 1\n') {
    super();
    this.write('check.sh', script);
    this.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', 'check.sh'], kind: 'lint' } } }));
    this.write('src/a.txt', 'a\n');
    this.write('src/b.txt', 'b\n');
  }

  override open(options: Partial<OpenOptions> = {}): Savepoint {
    const { places } = this.world;
    return super.open({ places: { ...places, variables: () => VARIABLES }, settings: { savepoint: null }, ...options });
  }

  exists(path: string): boolean {
    return existsSync(this.at(path));
  }

  async trust(): Promise<void> {
    const { digest } = await this.open().listChecks();
    await this.open().trustChecks(digest);
  }

  /** A plan that writes these files. */
  async propose(files: Readonly<Record<string, string>>): Promise<string> {
    const requests = Object.entries(files).map(
      ([path, content]): FileRequest => ({
        given: path,
        path,
        edits: this.exists(path)
          ? [{ op: 'replace', old: this.read(path), new: content, replaceAll: false, tolerant: false }]
          : [{ op: 'create', content, mode: null }],
        expectedHash: null,
        force: false,
      }),
    );
    return (await this.open().proposeEdits(requests, { intent: 'Change it' })).plan.id;
  }

  async approve(id: string): Promise<void> {
    const { fingerprint } = await this.open().plan(id);
    await this.open().approvePlan(id, fingerprint);
  }

  run(id: string, options: RunPlanOptions = {}) {
    return this.open().runPlan(id, { ...RUNGS, ...options });
  }

  /** Every file with its content, mode and times. */
  hash(): string {
    const hash = createHash('sha256');
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const path = join(folder, entry.name);
        const { mode, mtimeMs, ctimeMs, ino } = statSync(path);
        hash.update(`${path} ${mode} ${mtimeMs} ${ctimeMs} ${ino}\n`);
        if (entry.isDirectory()) walk(path);
        else hash.update(readFileSync(path));
      }
    };
    walk(this.at(''));
    return hash.digest('hex');
  }
}

describe('a plan is checked before it is applied', () => {
  test('in a copy: the folder stays exactly as it is, and only new failures count', async () => {
    const p = new Project();
    p.shell('git init -q . && echo "*.log" > .gitignore && echo x > y.log && git add -A && git commit -qm x');
    p.write('src/a.txt', 'a\nbad old\n');
    await p.trust();
    const before = p.hash();
    const good = await p.propose({ 'src/new.txt': 'n\n' });
    const bad = await p.propose({ 'src/new.txt': 'bad new\n' });
    expect((await p.open().checkPlan(good, RUNGS)).checks).toMatchObject([{ comparison: 'same' }]);
    const { checks, base, plan } = await p.open().checkPlan(bad, RUNGS);
    expect(checks).toMatchObject([{ comparison: 'worse', new: [{ shown: expect.stringContaining('bad new') }] }]);
    expect(plan.checks).toMatchObject({
      isCurrent: true,
      isFailed: true,
      results: [{ base: base.number, failed: 1, failures: [expect.stringContaining('bad new')] }],
    });
    expect(p.hash()).toBe(before);
    expect(await p.open().copies()).toMatchObject({ copies: [] });
  });

  test('what is left of it, if a person changed what was applied', async () => {
    const p = new Project();
    await p.trust();
    const id = await p.propose({ 'src/a.txt': 'A\n', 'src/new.txt': 'bad new\n' });
    await p.open().setPlanPhases(id, [
      { name: 'first', paths: ['src/a.txt'] },
      { name: 'second', paths: ['src/new.txt'] },
    ]);
    await p.approve(id);
    await p.open().applyPlan(id);
    p.write('src/a.txt', 'mine\n');
    const { checks } = await p.open().checkPlan(id, RUNGS);
    expect(checks).toMatchObject([{ comparison: 'worse', new: [{ shown: expect.stringContaining('bad new') }] }]);
  });

  test('one whose checks failed is applied only with a reason, which is kept', async () => {
    const p = new Project();
    await p.trust();
    const id = await p.propose({ 'src/new.txt': 'bad new\n' });
    await p.open().checkPlan(id, RUNGS);
    await p.approve(id);
    await expect(p.open().applyPlan(id)).rejects.toMatchObject({
      code: 'CHECKS_FAILED',
      data: { plan: id, checks: [{ name: 'own', new: [expect.stringContaining('bad new')] }] },
    });
    await expect(p.open().applyPlan(id, { override: ' ' })).rejects.toMatchObject({ code: 'USAGE' });
    const agent = p.open({ actor: { kind: 'agent', name: 'claude' } });
    await expect(agent.applyPlan(id, { override: 'I say so' })).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
    const inShell = p.open({ caller: { ancestors: () => [], agent: 'claude' } });
    await expect(inShell.applyPlan(id, { override: 'x' })).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
    expect((await p.open().plan(id)).checks?.override).toBeNull();
    await p.open().applyPlan(id, { override: 'the next plan repairs it' });
    const { plan, status } = await p.open().plan(id);
    expect([status, plan.override?.why]).toEqual(['applied', 'the next plan repairs it']);
    await p.open().checkPlan(await p.propose({ 'src/b.txt': 'bad b\n' }), RUNGS);
    await p.open().rollBackPlan(id);
    await p.open().cancelPlan(await p.propose({ 'src/b.txt': 'c\n' }));
    expect((await p.open().stats()).plans).toMatchObject({
      all: 3,
      approved: 1,
      applied: 0,
      rolledBack: 1,
      cancelled: 1,
      failedChecks: 2,
      overrides: 1,
    });
  });

  test('results count only for what was checked', async () => {
    const p = new Project();
    await p.trust();
    const id = await p.propose({ 'src/new.txt': 'bad new\n', 'src/b.txt': 'c\n' });
    await p.open().checkPlan(id, RUNGS);
    const cut = await p.open().decidePlan(id, [{ path: 'src/new.txt', accepted: false }]);
    expect(cut.checks).toMatchObject({ isCurrent: false, isFailed: false });
    await p.open().checkPlan(id, RUNGS);
    expect((await p.open().plan(id)).checks).toMatchObject({ isCurrent: true, isFailed: false });
    p.write('other.txt', 'x\n');
    await p.open().checkpoint();
    expect((await p.open().plan(id)).checks).toMatchObject({ isCurrent: true, results: [{ isFolderMoved: true }] });
    await p.approve(id);
    await p.open().applyPlan(id);
    expect(p.read('src/b.txt')).toBe('c\n');
  });

  test('an earlier failure stays if only other checks run', async () => {
    const p = new Project();
    const checks = {
      own: { command: ['sh', 'check.sh'], kind: 'lint' },
      other: { command: ['true'], kind: 'types' },
    };
    p.write('.savepoint.json', JSON.stringify({ checks }));
    await p.trust();
    const id = await p.propose({ 'src/new.txt': 'bad new\n' });
    await p.open().checkPlan(id, RUNGS);
    const { plan } = await p.open().checkPlan(id, { ...RUNGS, only: ['types'] });
    expect(plan.checks).toMatchObject({ isFailed: true });
    expect(plan.checks?.results.map(({ name }) => name).sort()).toEqual(['other', 'own']);
  });

  test('checks that the plan changes need trust of their own', async () => {
    const p = new Project();
    await p.trust();
    const id = await p.propose({
      '.savepoint.json': JSON.stringify({ checks: { own: { command: ['sh', 'evil.sh'], kind: 'lint' } } }),
    });
    const untrusted = await p.open().checkPlan(id, RUNGS);
    expect(untrusted).toMatchObject({ untrusted: ['own'], checks: [], plan: { checks: null } });
    expect(untrusted.notes).toEqual([expect.stringContaining(`trust --plan ${id}`)]);
    const { digest, checks } = await p.open().listChecks({ plan: id });
    expect(checks).toMatchObject([{ check: { args: ['evil.sh'] }, trust: 'changed' }]);
    await p.open().trustChecks(digest, { plan: id });
    expect((await p.open().checkPlan(id, RUNGS)).checks).toHaveLength(1);
  });

  test('if the folder changes meanwhile, that is said, and the checks run again on what it is then', async () => {
    const p = new Project();
    await p.trust();
    const id = await p.propose({ 'src/new.txt': 'n\n' });
    let runs = 0;
    const onOutput = (): void => undefined;
    const savepoint = p.open();
    savepoint.on('progress', ({ phase, done }) => {
      if (phase !== 'check' || done !== 0) return;
      if (runs++ === 0) p.write('src/b.txt', 'bad by a person\n');
    });
    const { notes, checks, base, moved } = await savepoint.checkPlan(id, { ...RUNGS, onOutput });
    expect(notes).toEqual([expect.stringContaining('ran again: src/b.txt')]);
    expect(moved).toEqual([]);
    // What a person did is in both states, so it is no new failure of the plan.
    expect(checks).toMatchObject([{ comparison: 'same', remaining: 1 }]);
    expect(base.snapshot).toEqual((await p.open().list()).checkpoints.at(0)?.snapshot ?? base.snapshot);
  });
});

describe('if the folder changes while the checks run', () => {
  const written = (runs: string) => ({
    own: { command: ['sh', '-c', `echo own >> ${runs}`], kind: 'lint' },
    docs: { command: ['sh', '-c', `echo docs >> ${runs}`], kind: 'types', reads: ['docs/', 'README'] },
  });

  /** Checks a plan, and writes a file when the first check starts. @returns which checks ran, in order of their names */
  async function checkWhile(changed: string, only: readonly string[] = []) {
    const p = new Project();
    p.write('.savepoint.json', JSON.stringify({ checks: written(p.at('../runs')) }));
    p.write('docs/a.txt', 'a\n');
    await p.trust();
    const id = await p.propose({ 'src/new.txt': 'n\n' });
    const savepoint = p.open();
    let isDone = false;
    savepoint.on('progress', ({ phase }) => {
      if (phase !== 'check' || isDone) return;
      isDone = true;
      p.write(changed, 'changed meanwhile\n');
    });
    const report = await savepoint.checkPlan(id, { ...RUNGS, only });
    const names = report.checks.map(({ name }) => name).sort();
    expect([names, report.moved]).toEqual([only.length === 0 ? ['docs', 'own'] : only, []]);
    // All results are of the folder as it is now.
    const { checks } = await p.open().plan(id);
    const bases = checks?.results.map(({ base, isFolderMoved }) => [`cp_${base}`, isFolderMoved]);
    expect(bases).toEqual(names.map(() => [report.base.id, false]));
    return { runs: p.read('../runs').trim().split('\n').sort(), notes: report.notes.join('\n') };
  }

  test('a check that says what it reads does not run again for other paths', async () => {
    const { runs, notes } = await checkWhile('src/b.txt');
    expect(runs).toEqual(['docs', 'own', 'own']);
    expect(notes).toContain('src/b.txt; not run again, as they do not read that: docs');
    expect((await checkWhile('src/b.txt', ['docs'])).runs).toEqual(['docs']);
  });

  test.each(['docs/a.txt', 'docs/deep/new.txt', 'README'])('it runs again for %s', async (path) => {
    const { runs, notes } = await checkWhile(path);
    expect(runs).toEqual(['docs', 'docs', 'own', 'own']);
    expect(notes).toContain('so they ran again');
  });
});

describe('checks after a plan is applied', () => {
  test('keep it, or roll it back', async () => {
    for (const onFailure of ['keep', 'rollback'] as const) {
      const p = new Project();
      await p.trust();
      const id = await p.propose({ 'src/new.txt': 'bad new\n', 'src/b.txt': 'c\n' });
      await p.approve(id);
      const { steps, plan } = await p.run(id, { validate: ['lint'], onFailure });
      expect(steps).toMatchObject([{ phase: null, isFailed: true, checks: [{ comparison: 'worse' }] }]);
      expect(plan.status).toBe(onFailure === 'keep' ? 'applied' : 'rolled-back');
      expect(p.read('src/b.txt')).toBe(onFailure === 'keep' ? 'c\n' : 'b\n');
      expect(plan.plan.applications[0]?.validation?.results).toMatchObject([{ failed: 1 }]);
    }
  });

  test('are found and trusted before anything is applied', async () => {
    const p = new Project();
    const id = await p.propose({ 'src/b.txt': 'c\n' });
    await p.approve(id);
    await expect(p.run(id, { validate: [] })).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
    await expect(p.run(id, { validate: ['types'] })).rejects.toMatchObject({ code: 'USAGE' });
    p.write('.savepoint.json', '{}');
    await expect(p.run(id, { validate: [] })).rejects.toMatchObject({ code: 'USAGE' });
    expect(p.read('src/b.txt')).toBe('b\n');
  });
});

describe('phases', () => {
  async function phased(files: Readonly<Record<string, string>>, p = new Project()) {
    await p.trust();
    const id = await p.propose(files);
    await p.open().setPlanPhases(id, [{ name: 'one', paths: ['src/one'] }]);
    await p.open().setPlanPhases(id, [{ name: 'two', paths: ['src/two.txt'] }], { add: true });
    await p.approve(id);
    return { p, id };
  }
  const FILES = { 'src/one/x.txt': '1\n', 'src/two.txt': '2\n', 'src/rest.txt': '3\n' };

  test('are applied in order, each with its checkpoint and checks', async () => {
    const { p, id } = await phased(FILES);
    const seen: number[] = [];
    const savepoint = p.open();
    savepoint.on('progress', ({ phase, done }) => {
      if (phase === 'phase') seen.push(done);
    });
    const { steps, plan } = await savepoint.runPlan(id, { ...RUNGS, validate: [] });
    expect(steps.map(({ applied }) => applied?.checkpoint?.changes?.map(({ path }) => path))).toEqual([
      ['src/one/x.txt'],
      ['src/rest.txt', 'src/two.txt'],
    ]);
    expect(steps.every(({ checks, isFailed }) => checks?.length === 1 && !isFailed)).toBe(true);
    expect([plan.status, plan.phases.map(({ applied }) => applied !== null), seen]).toEqual([
      'applied',
      [true, true],
      [0, 1],
    ]);
    await expect(p.run(id)).rejects.toMatchObject({ code: 'USAGE' });
    await p.open().rollBackPlan(id);
    expect(p.exists('src/one/x.txt') || p.exists('src/two.txt')).toBe(false);
    expect((await p.open().plan(id)).status).toBe('rolled-back');
  });

  test('a failed one stops there: it is kept, rolled back, or all are', async () => {
    for (const onFailure of ['keep', 'rollback', 'rollback-all'] as const) {
      const { p, id } = await phased({ ...FILES, 'src/two.txt': 'bad two\n' });
      const { steps, plan } = await p.run(id, { validate: [], onFailure });
      expect(steps.map(({ isFailed }) => isFailed)).toEqual([false, true]);
      const applied = plan.phases.map((one) => one.applied !== null);
      expect([onFailure, applied, p.exists('src/one/x.txt'), p.exists('src/two.txt')]).toEqual([
        onFailure,
        { keep: [true, true], rollback: [true, false], 'rollback-all': [false, false] }[onFailure],
        onFailure !== 'rollback-all',
        onFailure === 'keep',
      ]);
    }
  });

  test('only the phase whose checks failed is rolled back, also if another process went on meanwhile', async () => {
    const p = new Project();
    const until = `until [ -e '${p.at('src/two.txt')}' ]; do sleep 0.05; done`;
    p.write('check.sh', `echo runs; ${until}; grep -rh "^bad" src; test $? = 1\n`);
    const { id } = await phased({ ...FILES, 'src/one/x.txt': 'bad one\n' }, p);
    let others: Promise<unknown> | null = null;
    const onOutput = (): void => {
      others ??= p.run(id);
    };
    const { steps } = await p.run(id, { validate: [], onFailure: 'rollback', onOutput });
    await others;
    expect(steps).toMatchObject([{ phase: 0, isFailed: true, rolledBack: { checkpoint: expect.anything() } }]);
    expect([p.exists('src/one/x.txt'), p.exists('src/two.txt'), p.exists('src/rest.txt')]).toEqual([false, true, true]);
  });

  test('a person repairs a phase that was kept, and the next run goes on', async () => {
    const { p, id } = await phased({ ...FILES, 'src/one/x.txt': 'bad one\n' });
    expect((await p.run(id, { validate: [] })).steps).toHaveLength(1);
    p.write('src/one/x.txt', 'good\n');
    const { steps, plan } = await p.run(id, { validate: [] });
    expect(steps.map(({ phase, applied, isFailed }) => [phase, applied !== null, isFailed])).toEqual([
      [0, false, false],
      [1, true, false],
    ]);
    expect([plan.status, p.read('src/one/x.txt')]).toEqual(['applied', 'good\n']);
  });

  test('a phase that conflicts stops it, and what was applied stays', async () => {
    const { p, id } = await phased({ ...FILES, 'src/b.txt': 'c\n' });
    p.write('src/b.txt', 'other\n');
    const { steps, stopped, plan } = await p.run(id);
    expect([steps.length, stopped?.code, plan.status]).toEqual([1, 'CONFLICT', 'approved']);
    p.write('src/b.txt', 'b\n');
    expect((await p.run(id)).plan.status).toBe('applied');
  });

  test('set by an agent, they take the approval away', async () => {
    const p = new Project();
    const id = await p.propose({ 'src/a.txt': 'good\n' });
    await p.approve(id);
    const phases = [{ name: 'only', paths: ['src'] }];
    expect((await p.open().setPlanPhases(id, phases)).status).toBe('approved');
    const agent = p.open({ actor: { kind: 'agent', name: 'claude' } });
    expect((await agent.setPlanPhases(id, phases)).status).toBe('pending');
    await expect(p.run(id)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  });

  test('are refused if they have nothing of the plan, or something was applied', async () => {
    const { p, id } = await phased(FILES);
    const set = (phases: readonly { readonly name: string; readonly paths: readonly string[] }[]) =>
      p.open().setPlanPhases(id, phases);
    await expect(set([{ name: 'x', paths: ['src/none'] }])).rejects.toMatchObject({ code: 'USAGE' });
    await expect(set([{ name: '', paths: ['src/one'] }])).rejects.toMatchObject({ code: 'USAGE' });
    await expect(set([{ name: 'x', paths: [] }])).rejects.toMatchObject({ code: 'USAGE' });
    for (const phases of [
      [{ name: 'x', paths: ['src/one', 'src/one'] }],
      [
        { name: 'x', paths: ['src'] },
        { name: 'y', paths: ['src/one'] },
      ],
      [
        { name: 'x', paths: ['src/one'] },
        { name: 'y', paths: ['src/two.txt', 'src/one'] },
      ],
    ]) {
      await expect(set(phases)).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining('"src/one", which is in a phase already'),
      });
    }
    // What is left of a folder is another matter.
    const left = [
      { name: 'x', paths: ['src/one'] },
      { name: 'y', paths: ['src'] },
    ];
    expect((await set(left)).phases.map(({ name }) => name)).toEqual(['x', 'y']);
    await p.approve(id);
    await p.open().applyPlan(id);
    await expect(set([])).rejects.toMatchObject({ code: 'USAGE' });
    // What a new revision adds to an applied phase would never be applied.
    const more = [{ op: 'delete' as const }];
    const edits = [{ given: 'src/b.txt', path: 'src/b.txt', edits: more, expectedHash: null, force: false }];
    await expect(p.open().revisePlan(id, edits)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('A phase of'),
    });
  });

  test('are given with the proposal, or it is refused and nothing is kept', async () => {
    const p = new Project();
    const edits = Object.keys(FILES).map((path) => ({
      path,
      edits: [{ op: 'create' as const, content: 'x\n', mode: null }],
    }));
    const propose = (phases: readonly { readonly name: string; readonly paths: readonly string[] }[]) =>
      p.open().proposeEdits(edits, { intent: 'In steps', phases });
    for (const paths of [['src/none'], ['../out'], ['src/one', 'src/one']]) {
      await expect(propose([{ name: 'one', paths }])).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:USAGE|PATH_REFUSED)$/),
      });
    }
    expect((await p.open().plans()).plans).toEqual([]);
    const view = await propose([
      { name: 'one', paths: ['src/one'] },
      { name: 'rest', paths: ['src/two.txt'] },
    ]);
    expect(view).toMatchObject({
      status: 'pending',
      phases: [
        { name: 'one', applied: null },
        { name: 'rest', applied: null },
      ],
      dependencies: [],
      findings: [],
    });
    await p.approve(view.plan.id);
    await p.open().applyPlan(view.plan.id);
    expect(Object.keys(FILES).map((name) => p.exists(name))).toEqual([true, false, false]);
  });

  test('a phase of which everything is rejected is passed over', async () => {
    const p = new Project();
    p.shell('mkdir src/old && echo 1 > src/old/1.txt && echo 2 > src/old/2.txt');
    const id = (
      await p.open().proposeEdits(
        ['src/old/1.txt', 'src/old/2.txt', 'src/b.txt'].map((path) => ({
          given: path,
          path,
          edits: [{ op: 'delete' as const }],
          expectedHash: null,
          force: false,
        })),
        { intent: 'x' },
      )
    ).plan.id;
    await p.open().setPlanPhases(id, [
      { name: 'one', paths: ['src/old/1.txt'] },
      { name: 'two', paths: ['src/b.txt'] },
      { name: 'three', paths: ['src/old/2.txt'] },
    ]);
    await p.open().decidePlan(id, [{ path: 'src/b.txt', accepted: false }]);
    await p.approve(id);
    const { steps, plan } = await p.run(id);
    expect([steps.map(({ phase }) => phase), plan.status]).toEqual([[0, 2], 'applied']);
    expect(['src/old/1.txt', 'src/old/2.txt', 'src/b.txt'].map((path) => p.exists(path))).toEqual([false, false, true]);
  });
});
