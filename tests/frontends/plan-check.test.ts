/** `savepoint plan check | phases | apply --validate | rollback` through the binary. */

import { readdirSync, readFileSync } from 'node:fs';
import { type CommandOutcome, explain, type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { approvePlan, fingerprintOf } from './plan-approval.ts';
import { onTerminal } from './pseudo-terminal.ts';

/** Lines with `bad` are failures. While `../hold` exists, it says who it is and waits. */
const SCRIPT = `touch mark
if test -e "$HOLD"; then echo $$ > "$HOLD.pid"; exec sleep 600; fi
grep -rn bad src | sed 's/$/: error: bad \\033[31m/'; ! grep -rq bad src\n`;

function checked(): Project {
  const p = project();
  p.write('src/a.txt', 'a\n');
  p.write('check.sh', SCRIPT.replaceAll('$HOLD', p.at('../hold')));
  p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', 'check.sh'], kind: 'lint' } } }));
  p.ok('trust', '--yes');
  return p;
}

function propose(p: Project, files: Readonly<Record<string, string>>): string {
  const edits = (content: string) => [{ op: 'create', content }];
  const request = { files: Object.entries(files).map(([file_path, text]) => ({ file_path, edits: edits(text) })) };
  p.write('../plan.json', JSON.stringify(request));
  return JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'Do it', '--json').stdout).id;
}

function expectStatus(outcome: CommandOutcome, status: number): string {
  expect(outcome.status, explain([], outcome)).toBe(status);
  expect(outcome.stdout + outcome.stderr).not.toContain('\x1b');
  return outcome.stdout;
}

it('checks a plan, refuses it if that failed, and shows the reason of an override wherever the plan is', () => {
  const p = checked();
  const id = propose(p, { 'src/new.txt': 'bad\n' });
  approvePlan(p, id);
  const shown = expectStatus(p.run(['plan', 'check', id]), 1);
  expect(shown).toContain(`Checked ${id} on cp_1, compared with it.`);
  expect(shown).toContain('own: failed, 1 new');
  expect(shown).toContain('New failures in 1 check.');
  expect(p.has('src/new.txt') || p.has('mark')).toBe(false);
  expect(p.ok('plan', 'list').stdout).toContain('checks failed');
  expect(p.ok('plan', 'show', id).stdout).toContain('own: 1 new (compared with cp_1)');
  const refused = p.run(['plan', 'apply', id, '--yes']);
  expectStatus(refused, 1);
  expect(refused.stderr).toContain(`${id} was not applied: its checks fail`);
  expect(refused.stderr).toContain('--override');
  expectStatus(p.run(['plan', 'apply', id, '--yes', '--override', 'the \x1b[31mnext one repairs it']), 0);
  for (const args of [
    ['list', '--all'],
    ['show', id],
  ]) {
    const text = expectStatus(p.run(['plan', ...args]), 0);
    expect(text).toContain('overridden');
    expect(text).toContain('next one repairs it');
  }
  expect(p.ok('stats').stdout).toMatch(
    /1 plan: 1 approved, 1 applied, 0 rolled back, 0 cancelled\n[\s\S]*new failures in 1 run; 1 override\n/,
  );
  const json = JSON.parse(p.ok('plan', 'show', id, '--json').stdout);
  expect(json).toMatchObject({ status: 'applied', checked: 'failed', override: { by: { kind: 'user' } } });
});

it('says that results are stale, and lists the checks of a plan for trust', () => {
  const p = checked();
  const id = propose(p, { 'src/b.txt': 'b\n', 'src/c.txt': 'c\n' });
  expect(expectStatus(p.run(['plan', 'check', id]), 0)).toContain('No new failures.');
  expect(p.ok('plan', 'list').stdout).toContain('checks passed');
  p.ok('plan', 'review', id, '--reject', 'src/b.txt');
  expect(p.ok('plan', 'show', id).stdout).toContain('these results do not count');
  p.write('other.txt', 'x\n');
  p.ok('checkpoint');
  p.ok('plan', 'review', id, '--accept', 'src/b.txt');
  expect(p.ok('plan', 'show', id).stdout).toContain('the folder changed since');
  const other = propose(p, { 'src/Makefile': 'x:\n' });
  expect(p.ok('trust', '--list', '--plan', other).stdout).toContain('own  (trusted)');
  expectStatus(p.run(['trust', '--list', '--plan', other, '--at', 'last']), 2);
});

it('applies phase by phase, stops at failed checks, and rolls back', () => {
  const p = checked();
  const id = propose(p, { 'src/one.txt': 'one\n', 'src/two.txt': 'bad\n', 'src/three.txt': 'three\n' });
  for (const name of ['one', 'two', 'three']) p.ok('plan', 'phases', id, '--phase', name, '--', `src/${name}.txt`);
  expectStatus(p.run(['plan', 'phases', id, '--phase', 'x']), 2);
  expectStatus(p.run(['plan', 'phases', id, '--phase', 'x', '--', 'src/none']), 2);
  approvePlan(p, id);
  const apply = ['plan', 'apply', id, '--yes', '--validate', 'lint', '--on-failure'];
  const failed = expectStatus(p.run([...apply, 'rollback']), 1);
  expect(failed).toContain('Phase one');
  expect(failed).toContain('own: failed, 1 new');
  expect(failed).toContain('Rolled back (now cp_');
  expect(failed).toContain('Not applied yet: two, three.');
  expect(['one', 'two', 'three'].map((name) => p.has(`src/${name}.txt`))).toEqual([true, false, false]);
  expect(p.ok('plan', 'show', id).stdout).toMatch(/phase one: cp_\d+\n {2}phase two: not applied/);
  // What was rolled back needs a new approval.
  approvePlan(p, id);
  const kept = p.run([...apply, 'keep', '--json']);
  expect(kept.status).toBe(1);
  expect(JSON.parse(kept.stdout)).toMatchObject({
    steps: [{ phase: 'two', failed: true, rolledBack: null }],
    left: ['three'],
    stopped: null,
  });
  p.ok('plan', 'rollback', id, '--last', '--yes');
  expect(p.ok('plan', 'rollback', id, '--dry-run').stdout).toContain('1 path would change');
  p.ok('plan', 'rollback', id, '--yes');
  expect(p.has('src/one.txt')).toBe(false);
  expectStatus(p.run(['plan', 'rollback', id, '--yes']), 2);
});

it('takes phases with the edits, and refuses those that do not fit', () => {
  const p = checked();
  const files = ['one', 'two'].map((name) => ({
    file_path: `src/${name}.txt`,
    edits: [{ op: 'create', content: `${name}\n` }],
  }));
  const given = (...phases: readonly { readonly name: string; readonly paths: readonly string[] }[]) => {
    p.write('../plan.json', JSON.stringify({ intent: 'In steps', files, phases }));
    return p.run(['plan', 'new', '../plan.json']);
  };
  const first = { name: 'first', paths: ['src/two.txt'] };
  expect(given({ name: 'x', paths: ['src/none'] }).stderr).toContain('The plan does not change "src/none".');
  expect(given(first, { name: 'second', paths: ['src/two.txt'] }).stderr).toContain('is in a phase already');
  const wrong = given({ name: 'x' } as never);
  expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('phases: 0: paths: missing')]);
  expect(p.ok('plan', 'list', '--all').stdout).toContain('No open plans');
  const made = given(first, { name: 'second', paths: ['src'] });
  expect(made.stdout).toContain('  phase first: not applied\n  phase second: not applied\n');
  expect(JSON.parse(p.ok('plan', 'show', 'last', '--json').stdout)).toMatchObject({
    phases: [{ paths: ['src/two.txt'] }, { paths: ['src'] }],
    dependencies: [],
    findings: [],
  });
});

it('makes a plan of what is not committed in another worktree', () => {
  const p = checked();
  p.commitAll();
  p.git('worktree', 'add', '-q', '../other');
  p.write('../other/src/a.txt', 'of the other\n');
  p.write('../other/new.txt', 'new\n');
  const made = JSON.parse(p.ok('plan', 'new', '--from-worktree', '../other', '--json').stdout);
  expect(made).toMatchObject({ intent: 'Changes of worktree ../other', source: 'worktree', totals: { files: 2 } });
  expect(made.source_name).toBe(p.at('../other'));
  approvePlan(p, made.id);
  p.ok('plan', 'apply', made.id, '--yes');
  expect([p.read('src/a.txt'), p.read('new.txt')]).toEqual(['of the other\n', 'new\n']);
  expect(p.run(['plan', 'new', '--from-worktree', '../none']).stderr).toContain('is not another worktree');
  expectStatus(p.run(['plan', 'new', '--from-worktree', '../other', '--from-fork', 'x']), 2);
});

it('asks at a terminal what becomes of a plan whose checks failed', async () => {
  for (const answer of ['y', 'n']) {
    const p = checked();
    const id = propose(p, { 'src/new.txt': 'bad\n' });
    approvePlan(p, id);
    const { screen, status } = await onTerminal(p, ['plan', 'apply', id, '--validate'], {
      typed: [
        [/Apply 1 path\?/, 'y\r'],
        [/Roll back the plan\?/, `${answer}\r`],
      ],
    });
    expect(status, screen).toBe(1);
    expect(p.has('src/new.txt'), screen).toBe(answer === 'n');
    expect(screen.split('own: failed, 1 new'), screen).toHaveLength(2);
  }
});

it('killed during a check, it leaves nothing for good, and the folder as it was', async () => {
  const p = checked();
  const id = propose(p, { 'src/new.txt': 'n\n' });
  p.write('../hold', '');
  const running = p.start(['plan', 'check', id]);
  const started = (): boolean => p.has('../hold.pid') && p.read('../hold.pid').endsWith('\n');
  await expect.poll(started, { timeout: 30_000 }).toBe(true);
  const files = readdirSync(p.dir).sort();
  process.kill(running.pid, 'SIGKILL');
  await running.done;
  expect([files, p.has('src/new.txt')]).toEqual([['.savepoint.json', 'check.sh', 'src'], false]);
  p.delete('../hold');
  // The kernel tells the mount's holder, which ends what runs in it.
  const left = (): unknown => JSON.parse(p.ok('copies', '--clean', '--json').stdout).copies;
  await expect.poll(left, { timeout: 30_000 }).toEqual([]);
  await expect.poll(() => isAlive(Number(p.read('../hold.pid'))), { timeout: 30_000 }).toBe(false);
  expectStatus(p.run(['plan', 'check', id]), 0);
  expect(JSON.parse(p.ok('plan', 'show', id, '--json').stdout)).toMatchObject({ status: 'pending', checked: 'passed' });
});

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('sleep');
  } catch {
    return false;
  }
}

it('approves only what the person saw', () => {
  const p = checked();
  const id = propose(p, { 'src/new.txt': 'good\n' });
  const seen = /fingerprint ([0-9a-f]{16})$/m.exec(p.ok('plan', 'show', id).stdout)?.[1] ?? '';
  p.write(
    '../plan.json',
    JSON.stringify({ files: [{ file_path: 'src/evil.txt', edits: [{ op: 'create', content: 'x' }] }] }),
  );
  p.ok('plan', 'revise', id, '../plan.json');
  const bare = p.run(['plan', 'review', id, '--approve']);
  expectStatus(bare, 2);
  expect(bare.stderr).toContain('needs the fingerprint');
  for (const more of [[], ['--reject', 'src/evil.txt']]) {
    const refused = p.run(['plan', 'review', id, '--approve', seen, ...more]);
    expectStatus(refused, 3);
    expect(refused.stderr).toContain('is not what was shown');
  }
  expect(p.ok('plan', 'show', id).stdout).toContain('pending');
  const now = fingerprintOf(p, id).slice(0, 16);
  expect(p.ok('plan', 'review', id, '--approve', now).stdout).toContain('approved');
});

it.each([
  ['{"files":[{"path":"a.txt","content":"x"}]}', 'file_path'],
  ['{"files":[null]}', 'file 1'],
  ['{"files":{}}', 'files'],
  ['{"files":[{"file_path":"a.txt","edits":null}]}', 'edits'],
  ['{"files":[{"file_path":"a.txt","edits":[{}]}]}', 'old_string'],
  ['{"intent":5,"files":[{"file_path":"a.txt","edits":[{"op":"create","content":"x"}]}]}', 'intent'],
])('says what is wrong with %s', (request, word) => {
  const p = project();
  p.write('../plan.json', request);
  const { status, stderr } = p.run(['plan', 'new', '../plan.json', ...(word === 'intent' ? [] : ['-m', 't'])]);
  expect(status, stderr).toBe(2);
  expect(stderr).toContain('The request is invalid');
  expect(stderr).toContain(word);
  expect(stderr).not.toContain('@savepoint/core');
});

it('names the command that an agent may not run', () => {
  const p = checked();
  const id = propose(p, { 'src/new.txt': 'good\n' });
  approvePlan(p, id);
  const refused = p.run(['plan', 'apply', id, '--yes', '--force'], { env: { CLAUDECODE: '1' } });
  expect(refused.stderr).toContain('Only a person may run `savepoint plan apply --force`');
});
