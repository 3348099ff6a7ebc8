/** `savepoint fork check` and `fork merge --check` through the binary. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** A project with a fork, and a trusted check that prints the lines of `errors`. */
function forked(): { readonly p: Project; readonly folder: string } {
  const p = project();
  p.write('errors', 'a.c:3: error: old\n');
  const own = { command: ['sh', '-c', 'cat errors; test ! -s errors'], kind: 'lint' };
  p.write('.savepoint.json', JSON.stringify({ checks: { own } }));
  p.run(['trust', '--yes']);
  p.run(['fork', 'create', 'attempt']);
  return { p, folder: p.run(['fork', 'open', 'attempt']).stdout.trim() };
}

it('checks a fork against what it started from, and shows the result with the fork', () => {
  const { p, folder } = forked();
  const same = p.run(['fork', 'check', 'attempt']);
  expect(same.status, explain(['fork', 'check'], same)).toBe(0);
  expect(same.stdout).toContain('Checked fork attempt, compared with cp_1.');
  expect(same.stdout).toContain('own: failed, 1 as before');
  expect(p.run(['fork', 'list']).stdout).toContain('no new failures');
  writeFileSync(join(folder, 'errors'), 'a.c:4: error: old\nb.c:1: error: \x1b]0;new\x07\n');
  expect(p.run(['fork', 'list']).stdout).toContain('no new failures, before it was changed');
  const worse = p.run(['check', '--fork', 'attempt', '--only', 'lint']);
  expect(worse.status).toBe(1);
  expect(worse.stdout).toContain('own: failed, 1 new, 1 as before');
  expect(worse.stdout).not.toContain('\x1b');
  p.run(['fork', 'create', 'other']);
  for (const args of [['list'], ['show', 'attempt'], ['compare', 'attempt', 'other']]) {
    expect(p.run(['fork', ...args]).stdout, args[0]).toContain('checks failed: own (1 new)');
  }
  const json = JSON.parse(p.run(['fork', 'show', 'attempt', '--json']).stdout);
  expect(json.checks).toMatchObject({ isCurrent: true, results: [{ name: 'own', comparison: 'worse', new: 1 }] });
});

it('merges only without new failures, or with a reason that is recorded', () => {
  const { p, folder } = forked();
  writeFileSync(join(folder, 'errors'), 'a.c:3: error: old\nb.c:1: error: \x1b]0;new\x07\n');
  const refused = p.run(['fork', 'merge', 'attempt', '--yes', '--check']);
  expect(refused.status, explain(['fork', 'merge'], refused)).toBe(1);
  expect(refused.stderr).toContain('Fork attempt was not merged');
  expect(refused.stderr).toContain('b.c:1: error:');
  expect(refused.stderr).toContain('--override');
  expect(refused.stderr).not.toContain('\x1b');
  expect(p.read('errors')).toBe('a.c:3: error: old\n');
  const json = p.run(['fork', 'merge', 'attempt', '--yes', '--check', 'lint', '--json']);
  expect(JSON.parse(json.stderr)).toMatchObject({
    error: { code: 'CHECKS_FAILED', data: { fork: 'attempt', checks: [{ name: 'own', comparison: 'worse' }] } },
  });
  expect(p.run(['fork', 'merge', 'attempt', '--yes', '--override', 'x']).status).toBe(2);
  const previewed = p.run(['fork', 'merge', 'attempt', '--check', 'lint', '--dry-run']);
  expect([previewed.status, previewed.stderr]).toEqual([1, expect.stringContaining('b.c:1: error:')]);
  const overridden = ['fork', 'merge', 'attempt', '--check', 'lint', '--override', 'known', '--dry-run'];
  expect(p.ok(...overridden).stdout).toContain('new failures in own');
  expect(p.read('errors')).toBe('a.c:3: error: old\n');
  const merged = p.run(['fork', 'merge', 'attempt', '--yes', '--check', 'lint', '--override', 'known \x1b[31mfailure']);
  expect(merged.status, explain(['fork', 'merge'], merged)).toBe(0);
  const reason = 'Merged fork attempt despite own: known';
  for (const args of [['list'], ['show', 'last']]) {
    const { stdout } = p.run(args);
    expect(stdout).toContain(reason);
    expect(stdout).not.toContain('\x1b');
  }
});

it('a preview of a merge runs the checks on request, and changes nothing', () => {
  const { p, folder } = forked();
  writeFileSync(join(folder, 'new.txt'), 'new\n');
  const args = ['fork', 'merge', 'attempt', '--check', '--dry-run'];
  const { stdout } = p.ok(...args);
  expect(stdout).toContain('Preview: 1 path would change.');
  expect(stdout).toContain('was checked as it would be after the merge: no new failures in own');
  expect([p.has('new.txt'), p.ok('list').stdout.includes('Merged')]).toEqual([false, false]);
  // Nothing can be checked as long as there is a conflict.
  writeFileSync(join(folder, 'errors'), 'fork\n');
  p.write('errors', 'workspace\n');
  const refused = p.run(args);
  expect([refused.status, refused.stdout.includes('was checked')]).toEqual([3, false]);
});
