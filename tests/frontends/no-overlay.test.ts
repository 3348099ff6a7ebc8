/**
 * Machines that refuse what an overlay needs, by a real seccomp filter, as containers have it: the reason is said once, and
 * the next kind of copy is used.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { whyNoOverlays } from '@savepoint/testkit';
import { main, type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

const REFUSE = fileURLToPath(new URL('seccomp.py', import.meta.url));
const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path)) ?? 'python3';

/** By the system calls that are refused: why there is no overlay. */
const REASONS: Readonly<Record<string, string>> = {
  'unshare,mount,setns':
    'this system does not allow new user namespaces (unshare: unshare failed: Operation not permitted)',
  mount:
    'this system does not allow mounts in new user namespaces (unshare: cannot change root filesystem propagation: Operation not permitted)',
  setns:
    "files cannot be changed in an overlay here (nsenter: reassociate to namespace 'ns/user' failed: Operation not permitted)",
};

function under(calls: string, p: Project, ...args: readonly string[]) {
  const command = [REFUSE, calls, process.execPath, main, ...args];
  return spawnSync(PYTHON, command, { cwd: p.dir, env: p.environment(), encoding: 'utf8' });
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.skipIf(whyNoOverlays() !== null)('without an overlay', () => {
  it.each(Object.keys(REASONS))('%s: the reason is said once, and a folder is used', (calls) => {
    const p = project();
    p.write('a.txt', 'old\n');
    const { ino } = statSync(p.at('a.txt'));
    const done = under(calls, p, 'try', '--apply', '--', 'sh', '-c', 'pwd; ! grep -q new a.txt; echo new >>a.txt');
    expect(done.stderr).toContain(`no overlay is possible: ${REASONS[calls]}`);
    expect([countOf(done.stderr, 'no overlay'), done.status]).toEqual([1, 0]);
    expect(done.stdout).toMatch(/^\/.*\/copies\/copy_[0-9a-f]{8}\/tree\n$/);
    expect(done.stderr).toContain('also the real folder by its absolute path');
    expect([p.read('a.txt'), statSync(p.at('a.txt')).ino === ino]).toEqual(['old\nnew\n', false]);
  });

  it('also where overlays worked before, for an isolated run, and as JSON', () => {
    const p = project();
    p.write('a.txt', 'old\n');
    expect(JSON.parse(p.ok('--json', 'try', '--drop', '--', 'pwd').stdout).copy.rung).toBe('overlay');
    const [calls = ''] = Object.keys(REASONS);
    const run = under(calls, p, 'run', '--isolated', '--apply', '--', 'sh', '-c', 'echo new >>a.txt');
    expect([countOf(run.stderr, `no overlay is possible: ${REASONS[calls]}`), run.status]).toEqual([1, 0]);
    const tried = JSON.parse(under(calls, p, '--json', 'try', '--drop', '--', 'true').stdout);
    expect(tried.copy.rung).toMatch(/^(?:copy|reflink)$/);
    expect(tried.notes).toEqual([expect.stringContaining(`no overlay is possible: ${REASONS[calls]}`)]);
    // What only the mount can enforce is not promised.
    const read = under(calls, p, 'run', '--isolated', '--preset', 'read', '--', 'sh', '-c', 'echo changed >a.txt');
    expect([read.status, read.stderr]).toEqual([2, expect.stringContaining(REASONS[calls] ?? '')]);
    expect(p.read('a.txt')).toBe('old\nnew\n');
  });
});
