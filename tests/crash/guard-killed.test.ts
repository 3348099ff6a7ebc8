import { readFileSync } from 'node:fs';
import { type SeededRandom, seededRandom, testEffort } from '@savepoint/testkit';
import { explain, type Project, project, watchCalls } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/**
 * The guard kills itself before its n-th call that changes the disk. After the next command, the folder is as the
 * guarded command left it, or as before it, and nothing is pending. SAVEPOINT_LONG=1 tests every call.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 3, ci: 12, long: Number.POSITIVE_INFINITY });
const CALLS = 'renameSync linkSync unlinkSync mkdirSync rmdirSync'.split(' ');
const ARGS = [
  'guard',
  '--check',
  'own',
  '--',
  'sh',
  '-c',
  'for name in a b c; do echo bad > $name.txt; done; rm d.txt',
];
const NAMES = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];

function filesOf(p: Project): string {
  return NAMES.map((name) => `${name}: ${p.has(name) ? p.read(name).trim() : 'absent'}`).join(', ');
}

function prepare(p: Project): void {
  for (const name of NAMES) p.write(name, 'good\n');
}

it('a guard that dies at any moment leaves all of the work or none of it', () => {
  const p = project();
  const check = { command: ['sh', '-c', 'if grep -h ^bad *.txt; then exit 1; fi'], kind: 'lint' };
  p.write('.savepoint.json', JSON.stringify({ checks: { own: check } }));
  prepare(p);
  p.ok('checkpoint');
  p.ok('trust', '--yes');
  const before = filesOf(p);
  const record = `${p.base}/calls`;
  const outcome = p.run(ARGS, watchCalls({ below: p.base, calls: CALLS, record }));
  expect(outcome.status, explain(ARGS, outcome)).toBe(3);
  expect(filesOf(p)).toBe(before);
  const calls = readFileSync(record, 'utf8').split('\n').length - 1;
  expect(calls).toBeGreaterThan(20);
  const worked = 'a.txt: bad, b.txt: bad, c.txt: bad, d.txt: absent';
  for (const nth of moments(calls, seededRandom(SEED))) {
    prepare(p);
    p.run(ARGS, watchCalls({ below: p.base, calls: CALLS, nth, action: { kill: true } }));
    p.ok('checkpoint');
    expect([before, worked], `seed ${SEED}, killed before call ${nth} of ${calls}`).toContain(filesOf(p));
    expect(p.ok('status').stdout).not.toMatch(/pending/);
  }
  expect(JSON.parse(p.ok('verify', '--json').stdout)).toMatchObject({ damage: [] });
}, 600_000);

/** Most of those at the end belong to the rollback. */
function moments(calls: number, random: SeededRandom): readonly number[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1).slice(Math.floor(calls / 3));
  return all.length <= MOMENTS ? all : random.sample(all, MOMENTS).sort((a, b) => a - b);
}
