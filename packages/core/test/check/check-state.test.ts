/** The checks of a project, run in copies and compared with an earlier state. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenOptions, Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import type { CheckOptions, CheckReport } from '../../src/engine/copies/check-state.ts';
import { Place } from '../place.ts';

const VARIABLES = { PATH: process.env['PATH'] ?? '' };

/** A project with one check: each line of `errors` is a failure. */
class Project extends Place {
  constructor(script = SCRIPT) {
    super();
    this.write('check.sh', script);
    this.write('errors', '');
    this.define({ own: { command: ['sh', 'check.sh'], kind: 'lint' } });
  }

  define(checks: object): void {
    this.write('.savepoint.json', JSON.stringify({ checks }));
  }

  override open(options: Partial<OpenOptions> = {}): Savepoint {
    const { places } = this.world;
    return super.open({ places: { ...places, variables: () => VARIABLES }, settings: { savepoint: null }, ...options });
  }

  async trust(at?: string): Promise<void> {
    const options = at === undefined ? {} : { at };
    const { digest } = await this.open().listChecks(options);
    await this.open().trustChecks(digest, options);
  }

  check(options: CheckOptions = {}): Promise<CheckReport> {
    return this.open().check({ rungs: ['copy'], ...options });
  }
}

/** Leaves a mark in the tree, to show that it is not the real one. */
const SCRIPT = 'touch mark; cat errors; test ! -s errors\n';

/** Every file of the project with its content, mode and times. */
function treeHash(p: Place): string {
  const hash = createHash('sha256');
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      const { mode, mtimeMs } = statSync(path);
      hash.update(`${path} ${mode} ${mtimeMs}\n`);
      if (entry.isDirectory()) walk(path);
      else hash.update(readFileSync(path));
    }
  };
  walk(p.at(''));
  return hash.digest('hex');
}

/** A prompt of an agent starts a turn. */
async function prompt(p: Project, message: string): Promise<void> {
  await p.open().session({ agent: 'mine', id: 's-1' }).prompt(message);
}

test('nothing runs before a person trusts exactly what it runs', async () => {
  const p = new Project();
  const list = await p.open().listChecks();
  expect(list.checks).toMatchObject([{ check: { name: 'own' }, trust: 'new' }]);
  const untrusted = { code: 'NEEDS_CONFIRMATION', message: expect.stringContaining('own') };
  await expect(p.check()).rejects.toMatchObject(untrusted);
  // Nothing was copied or captured.
  await expect(p.open().list()).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  await p.open().trustChecks(list.digest);
  expect((await p.check()).checks).toMatchObject([{ outcome: 'passed', comparison: 'ok' }]);
  p.define({ own: { command: ['sh', 'check.sh', 'more'], kind: 'lint' } });
  expect((await p.open().listChecks()).checks).toMatchObject([{ trust: 'changed' }]);
  await expect(p.check()).rejects.toMatchObject(untrusted);
  await expect(p.open().trustChecks(list.digest)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  await p.trust();
  await p.check();
  await p.open().revokeTrust();
  await expect(p.check()).rejects.toMatchObject(untrusted);
});

test('finds checks that came after the last checkpoint, in folders that are captured', async () => {
  const p = new Project();
  await p.trust();
  await p.check();
  const tests = JSON.stringify({ scripts: { test: 'true' } });
  p.write('new/package.json', tests);
  p.write('node_modules/other/package.json', tests);
  expect((await p.open().listChecks()).checks.map(({ check }) => check.name)).toEqual(['own', 'npm:test:new']);
  await expect(p.check({ only: ['npm:test:new'] })).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  await p.trust();
  expect((await p.check({ only: ['npm:test:new'] })).checks).toMatchObject([{ name: 'npm:test:new' }]);
  unlinkSync(p.at('new/package.json'));
  await expect(p.check({ only: ['npm:test:new'] })).rejects.toMatchObject({ code: 'USAGE' });
});

test('a script of package.json is part of what is trusted', async () => {
  const p = new Place();
  const write = (pretest: string): void =>
    p.write('package.json', JSON.stringify({ scripts: { test: 'sh x.sh', pretest } }));
  write('true');
  const { digest } = await p.open().listChecks();
  write('curl evil');
  await expect(p.open().trustChecks(digest)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
});

describe('an agent cannot trust', () => {
  test('as the actor of the library', async () => {
    const p = new Project();
    const { digest } = await p.open().listChecks();
    const agent = p.open({ actor: { kind: 'agent', name: 'claude' } });
    await expect(agent.trustChecks(digest)).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  });

  test('in its shell', async () => {
    const p = new Project();
    const { digest } = await p.open().listChecks();
    const inShell = p.open({ caller: { ancestors: () => [], agent: 'claude' } });
    await expect(inShell.trustChecks(digest)).rejects.toMatchObject({
      code: 'NEEDS_CONFIRMATION',
      message: expect.stringContaining('Only a person'),
    });
    await expect(p.check()).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  });

  test('a repository cannot trust itself', async () => {
    const p = new Project();
    await p.trust();
    const store = await p.store();
    for (const name of ['trust.json', '.savepoint/trust.json']) p.write(name, readFileSync(join(store, 'trust.json')));
    await p.open().revokeTrust();
    await expect(p.check()).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  });
});

test('compares with the state at the prompt, and leaves the folder as it is', async () => {
  const p = new Project();
  await p.trust();
  p.write('errors', 'a.c:1: error: old\n');
  await prompt(p, 'work');
  p.write('errors', 'a.c:9: error: old\nb.c:2: error: new\n');
  const before = treeHash(p);
  const report = await p.check();
  expect(report.checks).toMatchObject([
    { name: 'own', outcome: 'failed', base: 'failed', comparison: 'worse', remaining: 1, fixed: 0 },
  ]);
  expect(report.checks[0]?.new.map(({ shown }) => shown)).toEqual(['b.c:2: error: new']);
  expect(report.base?.trigger).toBe('prompt');
  expect(treeHash(p)).toBe(before);
  expect(existsSync(p.at('mark'))).toBe(false);
  const copies = join(Buffer.from(p.world.places.home, 'latin1').toString(), 'copies');
  expect(existsSync(copies) ? readdirSync(copies).filter((name) => name.startsWith('copy_')) : []).toEqual([]);
  p.write('errors', 'a.c:9: error: old\n');
  expect((await p.check()).checks).toMatchObject([{ comparison: 'same', new: [], remaining: 1 }]);
});

test('without prompts, compares with the newest state whose tests passed, or else the previous one', async () => {
  const p = new Project();
  p.define({ own: { command: ['sh', 'check.sh'], kind: 'tests' } });
  await p.trust();
  await p.check();
  p.write('errors', 'error: broken\n');
  await p.open().checkpoint();
  p.write('other', 'work\n');
  await p.open().checkpoint();
  const report = await p.check();
  expect([report.base?.id, report.baseReason]).toEqual(['cp_1', 'tests-passed']);
  expect(report.checks).toMatchObject([{ outcome: 'failed', comparison: 'worse', base: 'passed' }]);
  await p.open().setTestResult('cp_1', 'fail');
  p.write('other', 'more\n');
  const next = await p.check();
  expect([next.base?.id, next.baseReason]).toEqual(['cp_3', 'previous']);
  expect(next.checks).toMatchObject([{ outcome: 'failed', comparison: 'same' }]);
});

test('on the best rung of the machine', async () => {
  const p = new Project();
  await p.trust();
  p.write('errors', 'a.c:1: error: x\n');
  const before = treeHash(p);
  const report = await p.open().check();
  expect(report.checks).toMatchObject([{ outcome: 'failed' }]);
  expect(treeHash(p)).toBe(before);
});

test('checks an earlier state, against a given base; results of a base are reused', async () => {
  const p = new Project(`echo run >> '${new Place().at('runs')}'; cat errors; test ! -s errors\n`);
  const runs = /'(.*)'/.exec(p.read('check.sh'))![1]!;
  const count = (): number => readFileSync(runs, 'utf8').split('\n').length - 1;
  await p.trust();
  await p.open().checkpoint();
  p.write('errors', 'error: one\n');
  const { checkpoint } = await p.open().checkpoint();
  p.write('errors', '');
  await p.open().checkpoint();
  const report = await p.check({ at: checkpoint.id, base: 'cp_1' });
  expect(report.checks).toMatchObject([{ comparison: 'worse', base: 'passed' }]);
  expect(report.checkpoint?.id).toBe(checkpoint.id);
  expect(count()).toBe(2);
  await p.check({ at: checkpoint.id, base: 'cp_1' });
  expect(count()).toBe(3);
});

test('a base whose command is not trusted does not run, and nothing is said about new failures', async () => {
  const p = new Project();
  const evil = new Place().at('evil');
  p.define({ own: { command: ['touch', evil], kind: 'lint' } });
  await p.open().checkpoint();
  p.define({ own: { command: ['sh', 'check.sh'], kind: 'lint' } });
  p.write('errors', 'error: one\n');
  await p.trust();
  const report = await p.check({ base: 'cp_1' });
  expect(report.checks).toMatchObject([
    { comparison: 'unknown', base: 'crashed', why: expect.stringContaining('not trusted') },
  ]);
  await p.trust('cp_1');
  expect(existsSync(evil)).toBe(false);
});

test('follows files that were renamed', async () => {
  const p = new Project('for f in *.c; do sed "s/^/$f:1: error: /" "$f"; done; exit 1\n');
  p.write('old.c', 'a line that is long enough to be recognised\nand one more\n');
  await p.trust();
  await p.open().checkpoint();
  renameSync(p.at('old.c'), p.at('new.c'));
  expect((await p.check()).checks).toMatchObject([{ comparison: 'same', new: [], remaining: 2 }]);
});

test('a new failure of a test is run once more', async () => {
  const flaky = new Project('test -e first && exit 0; touch first; echo "error: sometimes"; exit 1\n');
  flaky.define({ own: { command: ['sh', 'check.sh'], kind: 'tests' } });
  flaky.write('first', '');
  await flaky.trust();
  await flaky.open().checkpoint();
  flaky.shell('rm first');
  const { checks } = await flaky.check();
  expect(checks).toMatchObject([{ comparison: 'same', new: [], flaky: [{ message: 'error: sometimes' }] }]);
});

test('the checkpoint gets the result of its tests if all of them ran', async () => {
  const p = new Project();
  const command = ['sh', 'check.sh'];
  p.define({
    one: { command, kind: 'tests' },
    two: { command: ['true'], kind: 'tests' },
    lint: { command: ['false'], kind: 'lint' },
  });
  await p.trust();
  await p.open().checkpoint();
  await p.check({ only: ['one'] });
  expect((await p.open().show('last')).testResult).toBeNull();
  await p.check({ only: ['tests'] });
  expect((await p.open().show('last')).testResult).toBe('pass');
  p.write('errors', 'error: x\n');
  await p.check();
  expect((await p.open().show('last')).testResult).toBe('fail');
});

test('what gives no answer is a new failure if it worked before', async () => {
  const p = new Project();
  await p.trust();
  await p.open().checkpoint();
  p.write('check.sh', 'kill -9 $$\n');
  expect((await p.check()).checks).toMatchObject([{ outcome: 'crashed', comparison: 'worse', base: 'passed' }]);
});

test('an unknown name is an error, and a cancelled run leaves no copy', async () => {
  const p = new Project('echo begun; sleep 60\n');
  await p.trust();
  await expect(p.check({ only: ['nothing'] })).rejects.toMatchObject({ code: 'USAGE' });
  const stop = new AbortController();
  const running = p.check({ signal: stop.signal, onOutput: () => stop.abort() });
  await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  const copies = join(Buffer.from(p.world.places.home, 'latin1').toString(), 'copies');
  expect(existsSync(copies) ? readdirSync(copies).filter((name) => name.startsWith('copy_')) : []).toEqual([]);
});

test('a damaged file of trusted checks trusts nothing, and can be repaired', async () => {
  const p = new Project();
  await p.trust();
  const file = join(await p.store(), 'trust.json');
  unlinkSync(file);
  expect((await p.open().listChecks()).checks).toMatchObject([{ trust: 'new' }]);
  writeFileSync(file, '{"format":1,"checks":[{}]}');
  await expect(p.check()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  expect((await p.open().verify()).damage).toMatchObject([{ problem: expect.stringContaining('trust.json') }]);
  await p.open().repair();
  expect((await p.open().listChecks()).checks).toMatchObject([{ trust: 'new' }]);
});

describe('what is kept of checks', () => {
  test('is shown with the turn and the checkpoint, without output, and stays when other checks run', async () => {
    const p = new Project();
    p.define({ own: { command: ['sh', 'check.sh'], kind: 'lint' }, other: { command: ['true'], kind: 'build' } });
    await p.open().checkpoint();
    await p.trust();
    const session = p.open().session({ agent: 'mine', id: 's' });
    await session.prompt('Go.', 'm');
    await session.begin({ tool: 'Bash', kind: 'shell', id: 'c' });
    p.write('errors', 'bad\n');
    await session.end('c');
    expect((await p.open().turns({ limit: 1 })).turns[0]?.checks).toBeNull();
    await p.check({ only: ['own'] });
    const { checkpoint } = await p.check({ only: ['other'] });
    const { turns } = await p.open().turns({ limit: 1 });
    const kept = {
      base: 2,
      checks: [
        { name: 'own', outcome: 'failed', comparison: 'worse', new: 1 },
        { name: 'other', outcome: 'passed', comparison: 'ok', new: 0 },
      ],
    };
    expect(turns[0]?.checks).toMatchObject(kept);
    const at = await p.open().show(checkpoint?.id ?? '');
    expect((await p.open().checkSummaries([at])).get(at.id)).toMatchObject(kept);
    expect((await p.open().stats({ by: 'day', most: 1 })).series).toMatchObject([{ checksPassed: 1, checksFailed: 1 }]);
    // A damaged file is neither an empty answer without a word nor replaced.
    const file = join(await p.store(), 'check-summaries.json');
    writeFileSync(file, '{');
    const savepoint = p.open();
    const warnings: string[] = [];
    savepoint.on('warning', ({ message }) => void warnings.push(message));
    expect((await savepoint.turns({ limit: 1 })).turns[0]?.checks).toBeNull();
    await p.check({ only: ['other'] });
    expect(warnings).toEqual([expect.stringContaining('check-summaries.json cannot be read')]);
    expect(readFileSync(file, 'utf8')).toBe('{');
  });
});
