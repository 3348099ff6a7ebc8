import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Manifest, manifest } from '@savepoint/testkit';
import { explain, Project, watchCalls } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';

/**
 * Real mounts: a workspace with a repository on its own disk and a folder that is mounted a second time. A real process
 * of the real command kills itself before its n-th call: 24 moments, or every one with SAVEPOINT_LONG=1.
 */
const MOMENTS = process.env['SAVEPOINT_LONG'] === '1' ? 10_000 : 24;
const CALLS =
  'openSync writeSync fsyncSync renameSync linkSync unlinkSync mkdirSync rmdirSync chmodSync fchmodSync symlinkSync'.split(
    ' ',
  );

function tool(name: string, ...args: readonly string[]): void {
  execFileSync(name, args, { stdio: 'pipe' });
}

const elsewhere = (p: Project): string => `${p.base}/elsewhere`;

function mounted(): Project {
  const p = new Project();
  onTestFinished(() => p.remove());
  mkdirSync(elsewhere(p));
  for (const folder of ['app', 'data', 'shared']) p.write(`${folder}/.keep`, '');
  p.delete('data/.keep');
  p.delete('shared/.keep');
  mount('-t', 'tmpfs', 'none', p.at('data'));
  mount('--bind', elsewhere(p), p.at('shared'));
  tool('git', 'init', '-q', p.at('app'));
  tool('git', 'init', '-q', p.at('data'));
  p.write('notes.txt', 'n1\n');
  p.write('app/a.txt', 'a1\n');
  p.write('data/b.txt', 'b1\n');
  p.write('data/deep/er/c.txt', 'c1\n');
  p.write('shared/d.txt', 'd1\n');
  return p;
}

function mount(...args: readonly string[]): void {
  tool('mount', ...args);
  const at = args.at(-1) as string;
  onTestFinished(() => {
    try {
      tool('umount', at);
    } catch {
      // A test has already unmounted it.
    }
  });
}

/** The text differs each time; otherwise there would be nothing to do. */
function change(p: Project, round: number): void {
  p.write('notes.txt', `n2 ${round}\n`);
  p.write('app/a.txt', `a2 ${round}\n`);
  p.write('app/new/x.txt', `x ${round}\n`);
  p.write('data/b.txt', `b2 ${round}\n`);
  if (p.has('data/deep')) p.delete('data/deep');
  p.write('data/deep', `now a file ${round}\n`);
  p.write('shared/d.txt', `d2 ${round}\n`);
  p.write('shared/e.txt', `e2 ${round}\n`);
}

const treeOf = (p: Project): Manifest => manifest(p.dir, { skip: (path) => /(^|\/)\.savepoint-[^/]*$/.test(path) });

function whyNot(): string | null {
  if (process.getuid?.() !== 0) return 'it takes root';
  const p = new Project('trial');
  try {
    tool('mount', '-t', 'tmpfs', 'none', p.dir);
    tool('umount', p.dir);
    return null;
  } catch (error) {
    return String(error);
  } finally {
    p.remove();
  }
}

const why = whyNot();
if (why !== null) console.error(`NOT TESTED: roots on file systems of their own: ${why}`);

it.skipIf(why !== null)('a single file that is mounted is refused by name, and nothing changes', () => {
  const p = mounted();
  p.write('.env', 'KEY=1\n');
  p.ok('checkpoint');
  mkdirSync(`${p.base}/env`);
  writeFileSync(`${p.base}/env/file`, 'KEY=2\n');
  mount('--bind', `${p.base}/env/file`, p.at('.env'));
  change(p, 1);
  const before = treeOf(p);
  const refused = p.run(['restore', 'cp_1', '--yes']);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('it is a mount point')]);
  expect(refused.stderr).toMatch(/^ {2}\.env/m);
  expect(treeOf(p)).toEqual(before);
  p.ok('restore', 'cp_1', '--yes', '--', 'notes.txt', 'app', 'data', 'shared');
});

describe('a restore over roots on several file systems', () => {
  it.skipIf(why !== null)('that is killed at any moment leaves all old or all new, on all of them', () => {
    const p = mounted();
    p.ok('checkpoint');
    p.ok('pin', 'cp_1');
    const first = treeOf(p);
    change(p, 0);
    const record = `${p.base}/calls`;
    p.ok('checkpoint');
    const whole = p.run(['restore', 'cp_1', '--yes'], watchCalls({ below: p.base, calls: CALLS, record }));
    expect(whole.status, explain(['restore'], whole)).toBe(0);
    expect(treeOf(p)).toEqual(first);
    const calls = readFileSync(record, 'utf8').split('\n').length - 1;
    const most = Math.min(calls, MOMENTS);
    // Evenly spread, including the last call.
    const moments = Array.from({ length: most }, (_, n) => calls - Math.floor((n * calls) / most));
    let [old, done] = [0, 0];
    for (const nth of moments) {
      change(p, nth);
      const before = treeOf(p);
      p.run(['restore', 'cp_1', '--yes'], watchCalls({ below: p.base, calls: CALLS, nth, action: { kill: true } }));
      const where = `killed before call ${nth} of ${calls}`;
      p.ok('checkpoint');
      const found = JSON.stringify(manifest(p.dir));
      expect([JSON.stringify(before), JSON.stringify(first)], where).toContain(found);
      if (found === JSON.stringify(first)) done += 1;
      else old += 1;
      p.ok('verify', '--deep');
    }
    console.info(`${calls} calls, ${moments.length} deaths: ${old} all old, ${done} all new`);
    expect(old).toBeGreaterThan(0);
    expect(done).toBeGreaterThan(0);
  });

  it.skipIf(why !== null)('stays pending until an unmounted one is back', () => {
    const p = mounted();
    p.ok('checkpoint');
    change(p, 1);
    const before = treeOf(p);
    // Dies when some of its files have their new content; the journal exists by then.
    const watch = watchCalls({ below: p.dir, calls: ['linkSync'], nth: 2, action: { kill: true } });
    expect(p.run(['restore', 'cp_1', '--yes'], watch).signal).toBe('SIGKILL');
    tool('umount', '-l', p.at('shared'));
    const partial = p.run(['checkpoint']);
    expect(partial).toMatchObject({ status: 4, stdout: expect.stringMatching(/needs shared, which is not mounted/) });
    const refused = p.run(['restore', 'cp_2', '--yes', '--', 'app']);
    expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('which is not mounted now')]);
    const pending = p.run(['recover']);
    expect(pending).toMatchObject({ status: 4, stdout: expect.stringMatching(/needs shared: mount it again/) });

    tool('mount', '--bind', elsewhere(p), p.at('shared'));
    p.ok('checkpoint');
    const found = treeOf(p);
    p.ok('restore', 'cp_1', '--exact', '--yes');
    expect([JSON.stringify(before), JSON.stringify(treeOf(p))]).toContain(JSON.stringify(found));
  });
});
