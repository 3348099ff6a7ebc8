/** What was done in a copy, applied to the workspace. */

import { chmodSync, mkdirSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '@savepoint/core';
import { manifest, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const AGENT: Actor = { kind: 'agent', name: 'mine' };

const place = (): Place => Place.with({ 'a.txt': 'a\nb\nc\nd\ne\n', 'b.txt': 'b\n' });

test('the changes of a copy are merged with those of the folder, are by their author, and can be undone', async () => {
  const p = place();
  const savepoint = p.open();
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  const { files } = made.copy;
  writeFileSync(join(files, 'a.txt'), 'a\nb\nc\nd\nthe copy\n');
  unlinkSync(join(files, 'b.txt'));
  writeFileSync(join(files, 'new.txt'), 'new\n');
  p.write('a.txt', 'a person\nb\nc\nd\ne\n');
  const { checkpoint } = await savepoint.applyCopy(made, { description: 'Tried it', author: { actor: AGENT } });
  expect(p.read('a.txt')).toBe('a person\nb\nc\nd\nthe copy\n');
  expect(checkpoint).toMatchObject({ trigger: 'apply', description: 'Tried it', actor: AGENT });
  expect(checkpoint?.changes?.map(({ path, by }) => [path, by.grade, by.authors[0]?.actor.name])).toEqual([
    ['a.txt', 'sure', 'mine'],
    ['b.txt', 'sure', 'mine'],
    ['new.txt', 'sure', 'mine'],
  ]);
  await made.copy.drop();
  await savepoint.undo();
  expect(p.read('a.txt')).toBe('a person\nb\nc\nd\ne\n');
  expect(p.read('b.txt')).toBe('b\n');
});

test('setuid and setgid bits that are new in a copy are not applied', async () => {
  const p = place();
  chmodSync(p.at('b.txt'), 0o4755);
  const savepoint = p.open();
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  const { files } = made.copy;
  writeFileSync(join(files, 'tool'), 'new\n');
  chmodSync(join(files, 'tool'), 0o6755);
  chmodSync(join(files, 'a.txt'), statSync(p.at('a.txt')).mode | 0o4000);
  writeFileSync(join(files, 'b.txt'), 'changed\n');
  chmodSync(join(files, 'b.txt'), 0o4755);
  const { plan } = await savepoint.applyCopy(made, { description: 'Tried it' });
  await made.copy.drop();
  expect(['tool', 'a.txt', 'b.txt'].map((name) => statSync(p.at(name)).mode & 0o7777)).toEqual([0o755, 0o644, 0o4755]);
  expect(plan.paths.map(({ path }) => path)).toEqual(['b.txt', 'tool']);
  expect(plan.notes?.map(({ path }) => path)).toEqual(['a.txt', 'tool']);
});

test('lines that both changed are a conflict, and nothing is applied', async () => {
  const p = place();
  const savepoint = p.open();
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  writeFileSync(join(made.copy.files, 'a.txt'), 'a\nb\nthe copy\nd\ne\n');
  writeFileSync(join(made.copy.files, 'new.txt'), 'new\n');
  p.write('a.txt', 'a\nb\na person\nd\ne\n');
  await expect(savepoint.applyCopy(made, { description: 'Tried it' })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(p.read('a.txt')).toBe('a\nb\na person\nd\ne\n');
  await made.copy.drop();
});

test('what a command in a copy did not change is not among its changes, on any rung', async () => {
  const p = place();
  chmodSync(p.at(''), 0o755);
  const savepoint = p.open();
  const made = await savepoint.openCopy({ purpose: 'try' });
  expect((await savepoint.diffCopy(made)).changes).toEqual([]);
  writeFileSync(join(made.copy.files, 'new.txt'), 'new\n');
  expect((await savepoint.diffCopy(made)).changes.map(({ path }) => path)).toEqual(['new.txt']);
  await made.copy.drop();
});

const MANY = testEffort({ quick: 400, ci: 1_000, long: 10_000 });

test('many changes are applied at once, beside those of the folder, and are undone at once', {
  timeout: 600_000,
}, async () => {
  const p = new Place();
  const path = (n: number): string => `${n % 40}/${n % 7}/${n}.txt`;
  for (let n = 0; n < MANY; n++) p.write(path(n), `${n}\none\ntwo\nthree\n`);
  p.write('mine.txt', 'old\n');
  const savepoint = p.open();
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  const at = (name: string): string => join(made.copy.files, name);
  mkdirSync(at('new'));
  for (let n = 0; n < MANY; n++) {
    if (n % 5 === 0) unlinkSync(at(path(n)));
    else if (n % 5 === 1) renameSync(at(path(n)), at(`${path(n)}-moved`));
    else if (n % 5 === 2) chmodSync(at(path(n)), 0o755);
    else if (n % 5 === 3) writeFileSync(at(path(n)), `${n}\none\ntwo\ncopy\n`);
    else writeFileSync(at(`new/${n}`), Buffer.from([n, n >> 8, 0]));
  }
  const wanted = manifest(at(''));
  p.write('mine.txt', 'new\n');
  p.write(path(3), '3\nfolder\ntwo\nthree\n');
  const before = manifest(p.at(''));
  const { totals } = await savepoint.diffCopy(made);
  expect(totals.files).toBe(MANY);
  const { checkpoint } = await savepoint.applyCopy(made, { description: 'Tried it' });
  expect(checkpoint?.changes?.length).toBe(MANY);
  const { 'mine.txt': mine, [path(3)]: merged, ...others } = manifest(p.at(''));
  const { 'mine.txt': _, [path(3)]: __, ...expected } = wanted;
  expect(others).toEqual(expected);
  expect([mine, p.read(path(3))]).toEqual([before['mine.txt'], '3\nfolder\ntwo\ncopy\n']);
  await savepoint.undo();
  expect(manifest(p.at(''))).toEqual(before);
  await made.copy.drop();
});
