/** `savepoint trust` and `savepoint check` through the binary. */

import { explain, type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** A project whose check prints the lines of `errors`. */
function checked(): Project {
  const p = project();
  p.write('errors', '');
  p.write(
    '.savepoint.json',
    JSON.stringify({ checks: { own: { command: ['sh', '-c', 'cat errors; test ! -s errors'] } } }),
  );
  return p;
}

it('shows exactly what would run, and trusts it only after it was confirmed', () => {
  const p = checked();
  p.write('Makefile', 'lint:\n\tshellcheck \x1b[31m*.sh\n');
  const list = p.run(['trust', '--list']);
  expect(list.status, explain(['trust'], list)).toBe(0);
  expect(list.stdout).toContain(
    "own  (not trusted)\n    sh -c 'cat errors; test ! -s errors'\n    from .savepoint.json\n",
  );
  expect(list.stdout).toContain(
    'make:lint  (not trusted)\n    make -f Makefile lint\n    → shellcheck \\x1b[31m*.sh\n',
  );
  expect(list.stdout).toContain('2 checks cannot run before `savepoint trust`.');
  const refused = p.run(['check', '--json']);
  expect(refused.status).toBe(1);
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'NEEDS_CONFIRMATION' } });
  const unasked = p.run(['trust']);
  expect([unasked.status, unasked.stderr]).toEqual([1, expect.stringContaining('no terminal to ask')]);
  expect(p.run(['trust', '--yes']).stdout).toContain('2 checks can run with `savepoint check`.');
  const revoked = p.run(['trust', '--revoke']);
  expect(revoked.stdout).toContain('Nothing is trusted any more.');
  expect(p.run(['check']).status).toBe(1);
});

it('fails only for new failures, and shows the result with the checkpoint', () => {
  const p = checked();
  p.write('errors', 'a.c:3: error: old\n');
  p.run(['trust', '--yes']);
  p.run(['checkpoint']);
  p.write('errors', 'a.c:4: error: old\n');
  const same = p.run(['check', '--base', 'cp_1']);
  expect(same.status, explain(['check'], same)).toBe(0);
  expect(same.stdout).toContain('own: failed, 1 as before');
  expect(same.stdout).toContain('No new failures.');
  p.write('errors', 'a.c:4: error: old\nb.c:1: error: \x1b]0;new\x07\n');
  const worse = p.run(['check', '--base', 'cp_1']);
  expect(worse.status).toBe(1);
  expect(worse.stdout).toContain('own: failed, 1 new, 1 as before');
  expect(worse.stdout).toContain('    new  b.c:1: error:');
  expect(worse.stdout).not.toContain('\x1b');
  expect(p.run(['list']).stdout).toMatch(/^cp_3 .*\[tests fail\] {2}\[here\]\n/);
  expect(worse.stdout).toContain('Checked cp_3, compared with cp_1.\n');
  const json = p.run(['check', '--base', 'cp_1', '--json']);
  expect(json.status).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    base: 'cp_1',
    checks: [{ name: 'own', comparison: 'worse', remaining: 1 }],
  });
});

it('never calls it a success if nothing was checked', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  const none = p.run(['check']);
  expect([none.status, none.stdout]).toEqual([1, 'No checks were found, so nothing was checked.\n']);
});

it('says with what it compares, and why', () => {
  const p = checked();
  p.run(['trust', '--yes']);
  expect(p.run(['check']).stdout).toContain('Checked cp_1.\n');
  p.run(['test-result', 'cp_1', 'pass']);
  p.write('other', 'more\n');
  expect(p.run(['check']).stdout).toContain('Checked cp_2, compared with cp_1 (tests passed).\n');
});

it('says what to do if a tool is not installed', () => {
  const p = project();
  const checks = { own: { command: ['true'] }, other: { command: ['no-such-program-here'] } };
  p.write('.savepoint.json', JSON.stringify({ checks }));
  p.run(['trust', '--yes']);
  const { status, stdout } = p.run(['check']);
  expect(status).toBe(1);
  expect(stdout).toContain('Not installed: other. Install what they need, or run only the others with `--only own`.\n');
});
