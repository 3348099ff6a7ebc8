import { existsSync } from 'node:fs';
import type { Savepoint, TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { linesOf, type TimelineWorld, worldWith } from '../timeline/query/timeline-world.ts';

/**
 * The agent changes something, a person takes it back, and makes the same change himself. It is the person's change then,
 * as blame says, so a rollback of the agent leaves it alone.
 */

async function agent(w: TimelineWorld, savepoint: Savepoint, command: string | (() => void)): Promise<void> {
  const run = typeof command === 'string' ? () => w.shell(command) : command;
  await savepoint.session({ agent: 'one', id: 's-one' }).call({ tool: 'Bash', kind: 'shell' }, run);
}

async function person(w: TimelineWorld, savepoint: Savepoint, ...commands: readonly (string | (() => void))[]) {
  for (const command of commands) {
    if (typeof command === 'string') w.shell(command);
    else command();
    await savepoint.checkpoint();
  }
}

async function rollBack(savepoint: Savepoint) {
  const { details, plan } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
  const { skipped, results, rolledBack } = details;
  return {
    left: skipped.map(({ change, why }) => `${change.id}: ${why}`),
    results: results.map(({ path, result }) => `${result} ${path}`),
    rolledBack,
    changed: plan.paths.map(({ path }) => path),
  };
}

const LEFT = 'it was taken back since, and made again from outside (cp_4)';
const nothing = { left: [`cp_2.1: ${LEFT}`], results: [], rolledBack: [], changed: [] };

describe('what a person took back and made again stays:', () => {
  const isMode = process.platform !== 'win32';
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['a changed line', 'echo B > a', 'echo b > a', 'echo B > a'],
    ['an added line', 'echo B >> a', 'echo b > a', 'echo B >> a'],
    ['a deleted line', 'echo c > twolines', "printf 'b\\nc\\n' > twolines", 'echo c > twolines'],
    ['a created file', 'echo new > f', 'rm f', 'echo new > f'],
    ['an empty file', 'touch f', 'rm f', 'touch f'],
    ['a folder', 'mkdir f', 'rmdir f', 'mkdir f'],
    ['a deletion', 'rm a', 'echo b > a', 'rm a'],
    ['a rename', 'mv long moved', 'mv moved long', 'mv long moved'],
    ['a binary file', "printf 'A\\0A' > binary", "printf 'B\\0B' > binary", "printf 'A\\0A' > binary"],
    ['a new binary file', "printf 'A\\0A' > f", 'rm f', "printf 'A\\0A' > f"],
    ['a link', 'ln -s a f', 'rm f', 'ln -s a f'],
    ...(isMode ? [['a mode', 'chmod 755 a', 'chmod 644 a', 'chmod 755 a'] as const] : []),
  ];
  test.each(cases)('%s', async (_, change, takeBack, again) => {
    const { w, savepoint } = await worldWith({
      a: 'b\n',
      twolines: 'b\nc\n',
      long: linesOf(20),
      binary: 'B\0B',
    });
    await agent(w, savepoint, change); // cp_2
    await person(w, savepoint, takeBack, again); // cp_3, cp_4
    expect(await rollBack(savepoint)).toEqual(nothing);
  });

  test('also if no checkpoint has the second change yet', async () => {
    const { w, savepoint } = await worldWith({ a: 'b\n' });
    await agent(w, savepoint, 'echo B > a; echo new > f');
    await person(w, savepoint, 'echo b > a; rm f');
    w.shell('echo B > a; echo new > f');
    const { details } = await savepoint.previewRollback({ agent: 'one' }, { least: 'likely' });
    expect(details.skipped.map(({ why }) => why)).toEqual([
      'it was taken back since, and made again from outside',
      'it was taken back since, and made again from outside',
    ]);
    await rollBack(savepoint);
    expect([w.read('a'), w.read('f')]).toEqual(['B\n', 'new\n']);
  });
});

describe('of one change, only what is still of the agent is reverted:', () => {
  test('the other lines, also right next to them', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(30) });
    const changed = { 3: 'agent 3', 5: 'agent 5', 20: 'agent 20' };
    await agent(w, savepoint, () => w.write('a', linesOf(30, changed)));
    await person(
      w,
      savepoint,
      () => w.write('a', linesOf(30, { 5: 'agent 5', 20: 'agent 20' })),
      () => w.write('a', linesOf(30, changed)),
    );
    const { left, rolledBack } = await rollBack(savepoint);
    expect(w.read('a')).toBe(linesOf(30, { 3: 'agent 3' }));
    expect(left).toEqual([
      'cp_2.1: some of its lines were taken back since, and made again from outside (cp_4); they stay',
    ]);
    expect(rolledBack).toEqual(['cp_2.1']);
    const { ranges } = await savepoint.blame({ path: 'a' as TreePath });
    const third = ranges.find(({ first, last }) => first <= 3 && last >= 3);
    expect(third?.origin).toMatchObject({ kind: 'change', change: { id: 'cp_4.1' } });
    expect(ranges.filter(({ origin }) => origin.kind === 'change')).toHaveLength(1);
    expect((await rollBack(savepoint)).changed).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('the lines without the mode, and the name without the lines', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(20), b: linesOf(20, { 1: 'b' }) });
    await agent(w, savepoint, () => {
      w.write('a', linesOf(20, { 3: 'agent' }));
      w.shell('chmod 755 a; mv b moved');
      w.write('moved', linesOf(20, { 1: 'b', 3: 'agent' }));
    });
    const back = (): void => w.write('moved', linesOf(20, { 1: 'b' }));
    const again = (): void => w.write('moved', linesOf(20, { 1: 'b', 3: 'agent' }));
    await person(w, savepoint, 'chmod 644 a', 'chmod 755 a', back, again);
    await rollBack(savepoint);
    expect(w.read('a')).toBe(linesOf(20));
    w.shell('test -x a');
    expect([existsSync(w.at('moved')), w.read('b')]).toEqual([false, linesOf(20, { 1: 'b', 3: 'agent' })]);
  });
});

describe('it is still of the agent', () => {
  test('if the agent made it again', async () => {
    const { w, savepoint } = await worldWith({ a: 'b\n' });
    await agent(w, savepoint, 'echo B > a; echo new > f');
    await person(w, savepoint, 'echo b > a; rm f');
    await agent(w, savepoint, 'echo B > a; echo new > f');
    const { details } = await savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect([w.read('a'), existsSync(w.at('f'))]).toEqual(['b\n', false]);
    expect(details.results.map(({ result, why }) => [result, why])).toEqual([
      ['restored', null],
      ['restored', null],
    ]);
  });

  test('if an operation of Savepoint brought it back', async () => {
    const { w, savepoint } = await worldWith({ a: 'b\n' });
    await agent(w, savepoint, 'echo B > a; echo new > f');
    await person(w, savepoint, 'echo b > a; rm f', 'echo B > a; echo new > f', 'echo C > a; rm f');
    await savepoint.restore('cp_2', { mode: 'exact' });
    await rollBack(savepoint);
    expect([w.read('a'), existsSync(w.at('f'))]).toEqual(['b\n', false]);
  });

  test('if others added lines next to it and removed them', async () => {
    const { w, savepoint } = await worldWith({ a: linesOf(5) });
    await agent(w, savepoint, () => w.write('a', linesOf(5, { 3: 'agent' })));
    await person(
      w,
      savepoint,
      () => w.write('a', linesOf(5, { 3: 'agent\nmine' })),
      () => w.write('a', linesOf(5, { 3: 'agent' })),
    );
    await rollBack(savepoint);
    expect(w.read('a')).toBe(linesOf(5));
  });
});

test('the agent took its change back, and a person made it again: neither is reverted', async () => {
  const { w, savepoint } = await worldWith({ a: linesOf(20) });
  await agent(w, savepoint, () => w.write('a', linesOf(20, { 3: 'B' })));
  await person(w, savepoint, () => w.write('a', linesOf(20, { 3: 'B', 18: 'mine' })));
  await agent(w, savepoint, () => w.write('a', linesOf(20, { 18: 'mine' })));
  await person(w, savepoint, () => w.write('a', linesOf(20, { 3: 'B', 18: 'mine' })));
  await rollBack(savepoint);
  expect(w.read('a')).toBe(linesOf(20, { 3: 'B', 18: 'mine' }));
});
