/** `savepoint plan commit` and `plan apply --commit` through the binary. */

import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { approvePlan } from './plan-approval.ts';

function approved(): { readonly p: Project; readonly id: string } {
  const p = project();
  p.write('src/a.txt', 'a\n');
  p.git('init', '-q', '-b', 'main');
  p.commitAll();
  p.write(
    '../plan.json',
    JSON.stringify({ files: [{ file_path: 'src/a.txt', edits: [{ op: 'write', content: 'b\n' }] }] }),
  );
  const id = JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'Spell it', '--json').stdout).id;
  approvePlan(p, id);
  return { p, id };
}

const AUTHOR = { GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.invalid' };

it('the JSON of `plan apply --commit` has the commits, and the text names them', () => {
  const { p, id } = approved();
  const done = p.run(['plan', 'apply', id, '--yes', '--commit', '--json'], { env: AUTHOR });
  expect(done).toMatchObject({ status: 0 });
  const commit = p.git('rev-parse', 'HEAD').trim();
  expect(JSON.parse(done.stdout).commit).toEqual({
    commits: [{ path: '', branch: 'main', commit, subject: expect.stringMatching(/spell it/i), files: 1 }],
    notes: [],
  });
  p.write(
    '../plan.json',
    JSON.stringify({ files: [{ file_path: 'src/a.txt', edits: [{ op: 'write', content: 'c\n' }] }] }),
  );
  const second = JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'Again', '--json').stdout).id;
  approvePlan(p, second);
  const text = p.run(['plan', 'apply', second, '--yes', '--commit', '-m', 'Own words'], { env: AUTHOR }).stdout;
  expect(text).toMatch(/Committed 1 file on main: [0-9a-f]{10} Own words/);
  const short = p.git('rev-parse', 'HEAD').trim().slice(0, 10);
  const stays = `keeps commit ${short} of ${second}`;
  const preview = p.ok('plan', 'rollback', second, '--dry-run').stdout;
  expect(preview).toContain(stays);
  expect(preview).toContain(`\`git revert ${short}\``);
  expect(JSON.parse(p.ok('undo', '--yes', '--json').stdout).plan.notes).toEqual([
    { path: '', note: expect.stringContaining(stays) },
  ]);
});

it('hooks run only with --hooks, and only for a person; if one refuses, the plan is applied and not committed', () => {
  const { p, id } = approved();
  const head = p.git('rev-parse', 'HEAD');
  p.write('.git/hooks/pre-commit', '#!/bin/sh\ntouch ../ran\nprintf "not \\033[31mtidy\\n" >&2\nexit 1\n', 0o755);
  const asked = ['plan', 'apply', id, '--yes', '--commit', '--hooks'];
  const refused = p.run(asked, { env: AUTHOR });
  expect(refused).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('its hook pre-commit refused (status 1)'),
  });
  expect(refused.stdout).toMatch(/^ {2}not .*tidy\n(?! *\.)/m);
  expect(refused.stdout).toContain('repeat `savepoint plan commit`, with --hooks');
  expect(refused.stdout).not.toContain('\x1b');
  expect([p.read('src/a.txt'), p.git('rev-parse', 'HEAD')]).toEqual(['b\n', head]);
  expect(p.has('../ran')).toBe(true);
  p.delete('../ran');
  expect(p.run(['plan', 'apply', id, '--hooks']).stderr).toContain('needs `--commit`');
  const json = p.run(['plan', 'commit', id, '--hooks', '--json'], { env: { ...AUTHOR, CLAUDECODE: '1' } });
  expect(JSON.parse(json.stderr).error.code).toBe('NEEDS_CONFIRMATION');
  expect(p.run(['plan', 'commit', id], { env: AUTHOR }).status).toBe(0);
  expect(p.has('../ran')).toBe(false);
  expect(p.git('show', '--name-only', '--format=', 'HEAD')).toBe('src/a.txt\n');
});

it('after a check that failed, `plan apply --commit` says that nothing was committed', () => {
  const { p, id } = approved();
  p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', '-c', '! grep -n b src/a.txt'] } } }));
  p.ok('trust', '--yes');
  const head = p.git('rev-parse', 'HEAD');
  const done = p.run(['plan', 'apply', id, '--yes', '--validate', '--commit'], { env: AUTHOR });
  expect(done.stdout).toContain('Nothing was committed.\nnote: checks found new failures');
  expect([done.status, p.read('src/a.txt'), p.git('rev-parse', 'HEAD')]).toEqual([1, 'b\n', head]);
});

it('a plan that is not approved is refused before anybody is asked', () => {
  const { p, id } = approved();
  p.ok('plan', 'review', id, '--reject', 'src/a.txt');
  const refused = p.run(['plan', 'apply', id]);
  expect(refused.stderr).toContain(`${id} is not what was approved`);
});
