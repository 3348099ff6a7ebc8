import fs from 'node:fs';
import { type Project, project, watchCalls } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** A restore that is killed or refused does not hide the way back. */

const FILES = Array.from({ length: 12 }, (_, n) => `f${n}.txt`);

function wrecked(): Project {
  const p = project();
  for (const name of FILES) p.write(name, `${name}\n`);
  p.checkpoint();
  for (const name of FILES.slice(1)) fs.rmSync(p.at(name));
  return p;
}

it('a restore that was killed before its commit point is reported, and `last` still means the good state', () => {
  const p = wrecked();
  // Dies while it stages the files.
  const killed = p.run(
    ['restore', 'cp_1', '--yes'],
    watchCalls({ below: p.dir, calls: ['writeSync', 'fsyncSync'], nth: 3, action: { kill: true } }),
  );
  expect(killed.signal).toBe('SIGKILL');
  expect(fs.existsSync(p.at('f5.txt'))).toBe(false);
  const said = /The restore of cp_1 did not happen.*Run it again/;
  expect(p.ok('status').stdout).toMatch(said);
  expect(p.ok('status').stdout).toMatch(/last: cp_1/);
  expect(p.ok('status').stdout).toMatch(/Changed since cp_1: 11 paths/);
  expect(p.ok('list').stdout).toMatch(said);
  expect(p.ok('restore', 'last', '--dry-run').stdout).toMatch(said);
  expect(p.ok('restore', 'last~0', '--dry-run').stdout).toMatch(/would restore cp_1/);
  const again = p.ok('restore', 'last', '--yes').stdout;
  expect(again).not.toMatch(/Nothing to restore/);
  for (const name of FILES) expect(p.read(name)).toBe(`${name}\n`);
  for (const verb of ['status', 'list']) expect(p.ok(verb).stdout).not.toMatch(/did not happen/);
  p.ok('undo', '--yes');
  expect(fs.existsSync(p.at('f5.txt'))).toBe(false);
});

it('a restore that was refused does not change what `last` means', () => {
  const p = wrecked();
  p.write('f0.txt', 'mine\n');
  p.ok('freeze', 'f0.txt');
  expect(p.run(['restore', 'cp_1', '--yes']).status).not.toBe(0);
  // A refused restore leaves no checkpoint.
  expect(p.ok('status').stdout).toMatch(/last: cp_1/);
  expect(p.ok('restore', 'last', '--dry-run', '--force').stdout).toMatch(/would restore cp_1/);
  p.ok('checkpoint');
  expect(p.ok('status').stdout).toMatch(/last: cp_2/);
});
