/** Checks on the state of a fork, and before a merge lands. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenOptions, Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const RUNGS = ['copy'] as const;
const VARIABLES = { PATH: process.env['PATH'] ?? '' };

/** A trusted check reports each line of the files `*.err` as a failure. */
class Project extends Place {
  constructor() {
    super();
    this.write('check.sh', 'touch mark; cat *.err; test -z "$(cat *.err)"\n');
    this.write('old.err', 'a.c:1: error: old\n');
    this.define(['sh', 'check.sh']);
  }

  define(command: readonly string[]): void {
    this.write('.savepoint.json', JSON.stringify({ checks: { own: { command, kind: 'tests' } } }));
  }

  override open(options: Partial<OpenOptions> = {}): Savepoint {
    const { places } = this.world;
    return super.open({ places: { ...places, variables: () => VARIABLES }, settings: { savepoint: null }, ...options });
  }

  /** @returns the folder of a new fork */
  async fork(name: string): Promise<string> {
    const savepoint = this.open();
    await savepoint.trustChecks((await savepoint.listChecks()).digest);
    const [made] = await savepoint.createForks([name], { rungs: RUNGS });
    return Buffer.from(made?.files ?? '', 'latin1').toString();
  }
}

const checksOf = async (p: Project, name: string) => (await p.open().fork(name)).checks;

test('a fork is checked against where it left the workspace, and the result is kept with it', async () => {
  const p = new Project();
  const folder = await p.fork('f');
  expect(await checksOf(p, 'f')).toBeNull();
  // Not its failures.
  p.write('mine.err', 'b.c:1: error: of the workspace\n');
  writeFileSync(join(folder, 'old.err'), 'a.c:9: error: old\n');
  const good = await p.open().check({ fork: 'f', rungs: RUNGS });
  expect(good).toMatchObject({ checkpoint: null, base: { id: 'cp_1' } });
  expect(good.checks).toMatchObject([{ name: 'own', comparison: 'same', outcome: 'failed', remaining: 1, new: [] }]);
  expect(await checksOf(p, 'f')).toMatchObject({ isCurrent: true, checks: [{ comparison: 'same', new: 0 }] });
  writeFileSync(join(folder, 'new.err'), 'c.c:1: error: new\n');
  expect(await checksOf(p, 'f')).toMatchObject({ isCurrent: false });
  const worse = await p.open().check({ fork: 'f', rungs: RUNGS, only: ['tests'] });
  expect(worse.checks).toMatchObject([{ comparison: 'worse', new: [{ shown: 'c.c:1: error: new' }] }]);
  expect(await checksOf(p, 'f')).toMatchObject({
    isCurrent: true,
    checks: [{ name: 'own', comparison: 'worse', outcome: 'failed', why: null, new: 1 }],
  });
  // It ran in a copy, and no checkpoint of the workspace gets the result.
  expect([existsSync(join(folder, 'mark')), existsSync(p.at('mark'))]).toEqual([false, false]);
  for (const { testResult } of (await p.open().list()).checkpoints) expect(testResult).toBeNull();
});

test('after a merge, a fork is compared with what was merged; a given base is something else', async () => {
  const p = new Project();
  const folder = await p.fork('f');
  writeFileSync(join(folder, 'new.err'), 'c.c:1: error: new\n');
  await p.open().mergeFork('f');
  const report = await p.open().check({ fork: 'f', rungs: RUNGS });
  expect(report).toMatchObject({ base: null, checks: [{ comparison: 'same', remaining: 2 }] });
  const against = await p.open().check({ fork: 'f', base: 'cp_1', rungs: RUNGS });
  expect(against).toMatchObject({ base: { id: 'cp_1' }, checks: [{ comparison: 'worse' }] });
  expect(await checksOf(p, 'f')).toMatchObject({ checks: [{ comparison: 'same' }] });
  await expect(p.open().check({ fork: 'f', at: 'cp_1' })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(p.open().check({ fork: 'none' })).rejects.toMatchObject({ code: 'UNKNOWN_FORK' });
});

test('a command that a fork changes runs only after a person has trusted it', async () => {
  const p = new Project();
  const folder = await p.fork('f');
  writeFileSync(join(folder, '.savepoint.json'), '{"checks":{"own":{"command":["touch","ran"],"kind":"tests"}}}');
  const untrusted = { code: 'NEEDS_CONFIRMATION', message: expect.stringContaining('own') };
  await expect(p.open().check({ fork: 'f', rungs: RUNGS })).rejects.toMatchObject(untrusted);
  await expect(p.open().mergeFork('f', { check: [], rungs: RUNGS })).rejects.toMatchObject(untrusted);
  const list = await p.open().listChecks({ fork: 'f' });
  expect(list.checks).toMatchObject([{ trust: 'changed', check: { program: { name: 'touch' } } }]);
  const agent = p.open({ actor: { kind: 'agent', name: 'mine' } });
  await expect(agent.trustChecks(list.digest, { fork: 'f' })).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  await p.open().trustChecks(list.digest, { fork: 'f' });
  expect((await p.open().check({ fork: 'f', rungs: RUNGS })).checks).toMatchObject([{ outcome: 'passed' }]);
});

test('a merge that is checked lands only without new failures of the merged files', async () => {
  const p = new Project();
  // Neither side has a failure of its own: only both together.
  p.write('check.sh', 'cat *.err; test -e one && test -e two && echo "d.c:1: error: together"; exit 1\n');
  const folder = await p.fork('f');
  writeFileSync(join(folder, 'one'), '');
  const alone = await p.open().check({ fork: 'f', rungs: RUNGS });
  expect(alone.checks).toMatchObject([{ comparison: 'same' }]);
  p.write('two', '');
  const failed = { name: 'own', comparison: 'worse', outcome: 'failed', why: null, new: ['d.c:1: error: together'] };
  await expect(p.open().mergeFork('f', { check: ['tests'], rungs: RUNGS })).rejects.toMatchObject({
    code: 'CHECKS_FAILED',
    message: expect.stringContaining('d.c:1: error: together'),
    data: { fork: 'f', checks: [failed] },
  });
  expect(existsSync(p.at('one'))).toBe(false);
  await expect(p.open().mergeFork('f', { override: 'no check' })).rejects.toMatchObject({ code: 'USAGE' });
  const options = { check: [], rungs: RUNGS, override: 'fixed tomorrow' };
  const { checkpoint } = await p.open().mergeFork('f', options);
  expect(checkpoint?.description).toBe('Merged fork f despite own: fixed tomorrow');
  expect(existsSync(p.at('one'))).toBe(true);
  await p.open().undo();
  // Nothing to excuse.
  p.shell('rm two');
  const clean = await p.open().mergeFork('f', options);
  expect(clean.checkpoint?.description).toBe('Merged fork f');
  expect((await p.open().mergeFork('f', options)).checkpoint).toBeNull();
});

test('a check without an answer, and no check at all, let no merge land', async () => {
  const p = new Project();
  const folder = await p.fork('f');
  writeFileSync(join(folder, 'check.sh'), 'kill -9 $$\n');
  await expect(p.open().mergeFork('f', { check: [], rungs: RUNGS })).rejects.toMatchObject({
    code: 'CHECKS_FAILED',
    data: { checks: [{ name: 'own', outcome: 'crashed' }] },
  });
  writeFileSync(join(folder, '.savepoint.json'), '{}');
  await expect(p.open().mergeFork('f', { check: [], rungs: RUNGS })).rejects.toMatchObject({
    code: 'CHECKS_FAILED',
    data: { checks: [] },
  });
  expect(readFileSync(p.at('check.sh'), 'utf8')).toContain('touch mark');
});

test('what was checked is what is merged', async () => {
  const p = new Project();
  const folder = await p.fork('f');
  writeFileSync(join(folder, 'new'), 'checked\n');
  const savepoint = p.open();
  const merging = savepoint.mergeFork('f', {
    check: [],
    rungs: RUNGS,
    onOutput: () => writeFileSync(join(folder, 'new'), 'another\n'),
  });
  await expect(merging).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('while the checks ran'),
  });
  expect(existsSync(p.at('new'))).toBe(false);
});

test('on the best rung of the machine', async () => {
  const p = new Project();
  const folder = await p.fork('f');
  writeFileSync(join(folder, 'new.err'), 'c.c:1: error: new\n');
  expect((await p.open().check({ fork: 'f' })).checks).toMatchObject([{ comparison: 'worse' }]);
  await expect(p.open().mergeFork('f', { check: [] })).rejects.toMatchObject({ code: 'CHECKS_FAILED' });
  expect([existsSync(p.at('new.err')), existsSync(p.at('mark'))]).toEqual([false, false]);
});
