/** What was done in a copy, applied to the workspace. */

import { chmodSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '@savepoint/core';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const AGENT: Actor = { kind: 'agent', name: 'mine' };

function place(): Place {
  const p = new Place();
  p.write('a.txt', 'a\nb\nc\nd\ne\n');
  p.write('b.txt', 'b\n');
  return p;
}

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
