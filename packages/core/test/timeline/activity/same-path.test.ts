import { existsSync } from 'node:fs';
import type { Savepoint, TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { linesOf, type TimelineWorld, tree, worldWith } from '../query/timeline-world.ts';
import { changes, EXACT, KEEP, takenBack, writes } from './agents.ts';

/** Several files at one path, one after the other: each change belongs to one of them. */

async function deletes(w: TimelineWorld, savepoint: Savepoint, name: string): Promise<void> {
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.call({ tool: 'Bash', kind: 'shell' }, () => w.delete(name));
}

/** What a rollback of the change would do, path by path. */
async function rollbackOf(savepoint: Savepoint, change: string): Promise<readonly string[]> {
  const { details } = await savepoint.previewRollback(changes(change), { skipConflicts: true });
  return details.results.map(({ path, result }) => `${path} ${result}`);
}

describe('a file that was created and deleted while another one was gone', () => {
  /** cp_1: no a.txt; cp_2: it is there; cp_3: removed by a restore; cp_4 and cp_5: another one; cp_6: the undo. */
  async function undone(): Promise<{ readonly w: TimelineWorld; readonly savepoint: Savepoint }> {
    const { w, savepoint } = await worldWith({ 'b.txt': 'b\n' });
    await writes(w, savepoint.session({ agent: 'one', id: 's-one' }), 'a.txt', 'first\n');
    await savepoint.restore('cp_1', EXACT);
    await writes(w, savepoint.session({ agent: 'one', id: 's-one' }), 'a.txt', 'second\n');
    await deletes(w, savepoint, 'a.txt');
    await savepoint.undo();
    expect(w.read('a.txt')).toBe('first\n');
    return { w, savepoint };
  }

  test('does not separate the older file from the operation that brought it back', async () => {
    const { savepoint } = await undone();
    expect(await takenBack(savepoint)).toEqual({ 'cp_3.1': 'cp_6' });
  });

  test('is not the older file: a rollback of its creation leaves that one alone', async () => {
    const { savepoint } = await undone();
    expect(await rollbackOf(savepoint, 'cp_4.1')).toEqual(['a.txt skipped']);
    expect(await rollbackOf(savepoint, 'cp_2.1')).toEqual(['a.txt restored']);
  });
});

test('a file that was deleted, and created again with the same content, is the same file', async () => {
  const { w, savepoint } = await worldWith({ 'a.txt': linesOf(5) });
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await writes(w, session, 'a.txt', `one\n${linesOf(5)}`); // cp_2
  await deletes(w, savepoint, 'a.txt'); // cp_3
  await writes(w, session, 'a.txt', `one\n${linesOf(5)}`); // cp_4
  await savepoint.rollback(changes('cp_2.1'));
  expect(w.read('a.txt')).toBe(linesOf(5));
});

test.each(['rollback', 'undo'] as const)(
  'a new file that a %s removed, and that is made again, is not in effect twice',
  async (how) => {
    const { w, savepoint } = await worldWith({ 'b.txt': 'b\n' });
    const session = savepoint.session({ agent: 'one', id: 's-one' });
    const content = 'first\n';
    const make = () =>
      how === 'rollback'
        ? writes(w, session, 'a.txt', content)
        : savepoint.edit([
            { given: 'a.txt', path: 'a.txt', edits: [{ op: 'write', content }], expectedHash: null, force: false },
          ]);
    const remove = (change: string) => (how === 'rollback' ? savepoint.rollback(changes(change)) : savepoint.undo());
    await make(); // cp_2
    await remove('cp_2.1'); // cp_3
    await make(); // cp_4
    expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_3' });
    await remove('cp_4.1'); // cp_5
    expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_3', 'cp_4.1': 'cp_5' });
    await make(); // cp_6
    await remove('cp_6.1'); // cp_7
    expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_3', 'cp_4.1': 'cp_5', 'cp_6.1': 'cp_7' });
  },
);

test('a file whose deletion was done again, and that is created with its content, is the same file', async () => {
  const { w, savepoint } = await worldWith({ 'a.txt': linesOf(5) });
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await writes(w, session, 'a.txt', `one\n${linesOf(5)}`); // cp_2
  await savepoint.edit([
    { given: 'a.txt', path: 'a.txt', edits: [{ op: 'delete' }], expectedHash: null, force: false },
  ]); // cp_3
  await savepoint.undo(); // cp_4
  await savepoint.redo(); // cp_5
  await writes(w, session, 'a.txt', `one\n${linesOf(5)}`); // cp_6
  expect(await rollbackOf(savepoint, 'cp_2.1')).toEqual(['a.txt restored']);
});

test('a file that an exact restore brings back, after a restore of its path had, is not deleted', async () => {
  const { w, savepoint } = await worldWith({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await session.call({ tool: 'Bash', kind: 'shell' }, () => w.delete('a.txt')); // cp_2
  await writes(w, session, 'b.txt', 'b\none\n'); // cp_3
  await savepoint.restore('cp_1', { ...KEEP, paths: tree('a.txt') }); // cp_4
  expect((await savepoint.show('last')).rolledBack).toEqual(['cp_2.1']);
  await savepoint.restore('cp_1', EXACT); // cp_5
  expect(await takenBack(savepoint)).toMatchObject({ 'cp_2.1': 'cp_5', 'cp_3.1': 'cp_5' });
});

test('a frozen file that a shell moved is in both places, and a rollback reverts a change in both', async () => {
  const { w, savepoint } = await worldWith({ 'a.txt': linesOf(5) });
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await writes(w, session, 'a.txt', `one\n${linesOf(5)}`); // cp_2
  await savepoint.freeze(tree('a.txt'));
  await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('mv a.txt c.txt')); // cp_3, cp_4
  await savepoint.unfreeze(tree('a.txt'));
  expect([w.read('a.txt'), w.read('c.txt')]).toEqual([`one\n${linesOf(5)}`, `one\n${linesOf(5)}`]);
  await savepoint.rollback(changes('cp_2.1'));
  expect([w.read('a.txt'), w.read('c.txt')]).toEqual([linesOf(5), linesOf(5)]);
});

test('a rollback that brings a file back to a path, from which a newer file had moved away', async () => {
  const { w, savepoint } = await worldWith({ 'a.txt': linesOf(5) });
  const session = savepoint.session({ agent: 'one', id: 's-one' });
  await deletes(w, savepoint, 'a.txt'); // cp_2
  await session.call({ tool: 'Bash', kind: 'shell' }, () => w.write('a.txt', 'newer\n')); // cp_3
  await session.call({ tool: 'Bash', kind: 'shell' }, () => w.shell('mv a.txt c.txt')); // cp_4
  w.write('c.txt', 'newer\nmine\n');
  await savepoint.checkpoint(); // cp_5
  const prefer = new Map([['c.txt' as TreePath, 'theirs']] as const);
  await savepoint.rollback({ session: 's-one' }, { least: 'likely', prefer }); // cp_6
  expect([w.read('a.txt'), existsSync(w.at('c.txt'))]).toEqual([linesOf(5), false]);
  expect(await rollbackOf(savepoint, 'cp_5.1')).toEqual(['c.txt skipped']);
});

describe('a rollback that brings back three files, two of which had been at the same path', () => {
  const lines = (name: string): string => linesOf(5).replaceAll('line', name);

  test('reverts the changes of each in that file only', async () => {
    const { w, savepoint } = await worldWith({ 'a.txt': lines('a'), 'b.txt': lines('b'), 'c.txt': lines('c') });
    const one = savepoint.session({ agent: 'one', id: 's-one' });
    const shell = (command: string) => one.call({ tool: 'Bash', kind: 'shell' }, () => w.shell(command));
    await writes(w, savepoint.session({ agent: 'two', id: 's-two' }), 'a.txt', `two\n${lines('a')}`); // cp_2
    await shell('mv a.txt d.txt'); // cp_3
    await shell('rm d.txt'); // cp_4
    w.shell('mv b.txt d.txt');
    await savepoint.checkpoint(); // cp_5
    await shell('rm c.txt'); // cp_6
    await shell('mv d.txt c.txt'); // cp_7
    await savepoint.rollback({ session: 's-one' }, { least: 'likely' }); // cp_8
    expect(['a.txt', 'c.txt', 'd.txt'].map((name) => w.read(name))).toEqual([
      `two\n${lines('a')}`,
      lines('c'),
      lines('b'),
    ]);
    expect(await rollbackOf(savepoint, 'cp_2.1')).toEqual(['a.txt restored']);
  });

  test('also if a restore had moved the second one away', async () => {
    const { w, savepoint } = await worldWith({ 'a.txt': lines('a'), 'c.txt': lines('b') });
    const one = savepoint.session({ agent: 'one', id: 's-one' });
    const shell = (command: string) => one.call({ tool: 'Bash', kind: 'shell' }, () => w.shell(command));
    await writes(w, savepoint.session({ agent: 'two', id: 's-two' }), 'a.txt', `two\n${lines('a')}`); // cp_2
    await shell('mv a.txt d.txt'); // cp_3
    await shell('rm d.txt'); // cp_4
    w.shell('mv c.txt d.txt');
    await savepoint.checkpoint(); // cp_5
    w.write('c.txt', lines('c'));
    w.write('f.txt', 'f\n');
    await savepoint.checkpoint(); // cp_6
    await shell('mv c.txt e.txt'); // cp_7
    await shell('rm e.txt'); // cp_8
    await savepoint.restore('cp_4', { ...EXACT, paths: tree('c.txt', 'd.txt') }); // cp_9
    expect((await savepoint.show('last')).changes).toMatchObject([{ path: 'c.txt', from: 'd.txt' }]);
    await savepoint.rollback(changes('cp_3.1', 'cp_4.1', 'cp_7.1', 'cp_8.1', 'cp_9.1')); // cp_10
    expect(['a.txt', 'c.txt', 'd.txt'].map((name) => w.read(name))).toEqual([
      `two\n${lines('a')}`,
      lines('c'),
      lines('b'),
    ]);
    expect(await rollbackOf(savepoint, 'cp_2.1')).toEqual(['a.txt restored']);
  });
});

describe('an operation that has too many changes to list', () => {
  test('and restored changes that it had to capture first', async () => {
    const { w, savepoint } = await worldWith({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    w.write('b.txt', 'b\nmine\n');
    await savepoint.checkpoint(); // cp_2
    w.write('a.txt', 'a\nmine\n');
    await savepoint.restore('cp_1', { ...EXACT, paths: tree('a.txt') }); // cp_3, cp_4
    expect(await takenBack(savepoint)).toEqual({ 'cp_3.1': 'cp_4' });
    w.dropList('cp_4');
    expect(await takenBack(w.open())).toEqual({ 'cp_3.1': 'cp_4' });
  });

  test('and undid the deletion of a file by an edit', async () => {
    const { w, savepoint } = await worldWith({ 'a.txt': 'a\n' });
    const path = 'a.txt' as TreePath;
    await savepoint.edit([{ given: path, path, edits: [{ op: 'delete' }], expectedHash: null, force: false }]); // cp_2
    await savepoint.undo(); // cp_3
    expect(await takenBack(savepoint)).toEqual({ 'cp_2.1': 'cp_3' });
    w.dropList('cp_3');
    expect(await takenBack(w.open())).toEqual({ 'cp_2.1': 'cp_3' });
  });
});
