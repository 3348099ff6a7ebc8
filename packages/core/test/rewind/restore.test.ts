import { existsSync, statSync } from 'node:fs';
import type { Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { linesOf, TimelineWorld, tree, worldWith } from '../timeline/query/timeline-world.ts';

/** What a restore of chosen paths creates, and what no restore removes. */

describe('one path', () => {
  test('comes back with its folders, and other folders do not', async () => {
    const { w, savepoint } = await worldWith({ 'd/e/a': 'a\n', 'd/b': 'b\n', 'f/c': 'c\n' });
    w.shell('rm -r d f');
    await savepoint.restore('cp_1', { paths: tree('d/e/a') });
    expect(w.read('d/e/a')).toBe('a\n');
    expect([existsSync(w.at('d/b')), existsSync(w.at('f'))]).toEqual([false, false]);
  });

  test('does not change the permissions of its folder', async () => {
    if (process.platform === 'win32') return;
    const { w, savepoint } = await worldWith({ 'd/a': 'a\n' });
    w.write('d/a', 'changed\n');
    w.shell('chmod 700 d');
    await savepoint.restore('cp_1', { paths: tree('d/a') });
    expect(w.read('d/a')).toBe('a\n');
    expect(statSync(w.at('d')).mode & 0o777).toBe(0o700);
  });

  test('is refused if a file is now where its folder was', async () => {
    const { w, savepoint } = await worldWith({ 'd/a': 'a\n' });
    w.shell('rm -r d; echo mine > d');
    const { code, message } = await failure(savepoint.restore('cp_1', { paths: tree('d/a') }));
    expect([code, message]).toEqual(['PATH_REFUSED', expect.stringContaining('a file is now where its folder was')]);
    expect(w.read('d')).toBe('mine\n');
  });
});

describe('what a restore does not remove', () => {
  test('files that are ignored now or were ignored then, with their folders', async () => {
    const { w, savepoint } = await worldWith({ '.gitignore': '*.then\n' });
    w.write('.gitignore', '*.now\n');
    for (const name of ['d/x.now', 'd/x.then', 'd/new', 'x.now', 'x.then', 'new']) w.write(name, 'x\n');
    const { plan } = await savepoint.restore('cp_1');
    expect(plan.kept).toEqual(
      expect.arrayContaining([
        { path: 'd', why: 'it is ignored' },
        { path: 'd/x.now', why: 'it is ignored' },
        { path: 'x.then', why: 'it is ignored in cp_1' },
      ]),
    );
    const left = ['d/x.now', 'd/x.then', 'd/new', 'x.now', 'x.then', 'new'].filter((name) => existsSync(w.at(name)));
    expect(left).toEqual(['d/x.now', 'd/x.then', 'x.now', 'x.then']);
  });

  test('a folder with something in it that is not captured', async () => {
    if (process.platform === 'win32') return;
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    w.write('d/new', 'new\n');
    w.shell('mkfifo d/pipe');
    const { plan } = await savepoint.restore('cp_1');
    expect(plan.kept).toEqual([
      { path: 'd', why: expect.stringMatching(/^it contains paths that were not captured \(/) },
    ]);
    w.shell('test -p d/pipe && test ! -e d/new');
  });

  test('repositories that were created since', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    w.shell('git init -q cloned');
    w.write('cloned/b', 'b\n');
    w.write('new/b', 'b\n');
    const { plan } = await savepoint.restore('cp_1');
    expect(plan.kept).toContainEqual({
      path: 'cloned/b',
      why: 'it is in a repository that cp_1 does not have',
    });
    expect([w.read('cloned/b'), existsSync(w.at('new'))]).toEqual(['b\n', false]);
  });

  test('files of a root inside the chosen one', async () => {
    for (const mode of ['exact', 'keep-outside'] as const) {
      const w = new TimelineWorld();
      w.shell('git init -q app');
      w.write('app/a', 'a\n');
      const savepoint = w.open();
      await savepoint.checkpoint();
      w.write('app/new', 'new\n');
      w.write('new', 'new\n');
      await savepoint.checkpoint();
      await savepoint.restore('cp_1', { root: tree('')[0]!, mode });
      expect([w.read('app/new'), existsSync(w.at('new'))]).toEqual(['new\n', false]);
    }
  });

  test('changes of agents in a root inside the chosen one', async () => {
    const w = new TimelineWorld();
    w.shell('git init -q app');
    for (const file of ['a', 'app/a']) w.write(file, linesOf(9));
    const savepoint = w.open();
    await savepoint.checkpoint();
    await savepoint.session({ agent: 'one' }).call({ tool: 'Bash', kind: 'shell' }, () => {
      for (const file of ['a', 'app/a']) w.write(file, linesOf(9, { 3: 'agent' }));
      for (const file of ['new', 'app/new']) w.write(file, 'x\n');
    });
    await savepoint.restore('cp_1', { root: tree('')[0]!, mode: 'keep-outside' });
    expect([w.read('a'), existsSync(w.at('new'))]).toEqual([linesOf(9), false]);
    expect([w.read('app/a'), w.read('app/new')]).toEqual([linesOf(9, { 3: 'agent' }), 'x\n']);
  });

  test('a root inside the chosen one, if only others than agents made changes', async () => {
    const w = new TimelineWorld();
    w.shell('git init -q app');
    for (const file of ['a', 'app/a', 'app/deleted']) w.write(file, linesOf(9));
    const savepoint = w.open();
    await savepoint.checkpoint();
    for (const file of ['a', 'app/a']) w.write(file, linesOf(9, { 3: 'mine' }));
    for (const file of ['new', 'app/new', 'app/deeper/new']) w.write(file, 'x\n');
    w.shell('rm app/deleted');
    await savepoint.checkpoint();
    for (const file of ['a', 'app/a']) w.write(file, linesOf(9, { 3: 'mine', 7: 'later' }));
    await savepoint.restore('cp_1', { root: tree('')[0]!, mode: 'keep-outside' });
    expect([w.read('a'), existsSync(w.at('new'))]).toEqual([linesOf(9, { 7: 'later' }), false]);
    expect(w.read('app/a')).toBe(linesOf(9, { 3: 'mine', 7: 'later' }));
    expect([w.read('app/new'), w.read('app/deeper/new'), existsSync(w.at('app/deleted'))]).toEqual([
      'x\n',
      'x\n',
      false,
    ]);
  });

  test('a folder in which a root is that the checkpoint does not have', async () => {
    const w = new TimelineWorld();
    w.write('a', 'a\n');
    const savepoint = w.open();
    await savepoint.checkpoint();
    w.shell('git init -q new/app');
    w.write('new/app/b', 'b\n');
    w.write('new/c', 'c\n');
    const { plan } = await savepoint.restore('cp_1', { root: tree('')[0]! });
    expect(plan.kept).toContainEqual({ path: 'new', why: 'it belongs to another root' });
    expect([w.read('new/app/b'), existsSync(w.at('new/c'))]).toEqual(['b\n', false]);
  });
});

describe('after changes by an agent and by others', () => {
  async function mixed(): Promise<{ w: TimelineWorld; savepoint: Savepoint }> {
    const { w, savepoint } = await worldWith({ a: linesOf(9) });
    const session = savepoint.session({ agent: 'one', id: 's-one' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => {
      w.write('a', linesOf(9, { 3: 'agent' }));
      w.write('its', 'x\n');
    });
    w.write('a', w.read('a').replace('line 7', 'mine'));
    return { w, savepoint };
  }

  test('it is a conflict that names them, and says how to choose', async () => {
    const { w, savepoint } = await mixed();
    const { code, hint } = await failure(savepoint.restore('cp_1'));
    expect([code, hint]).toEqual(['CONFLICT', expect.stringMatching(/--keep-outside .* --exact /)]);
    expect((await savepoint.previewRestore('cp_1')).parties).toEqual({ agents: ['one'], outside: ['a'] });
    expect(w.read('a')).toBe(linesOf(9, { 3: 'agent', 7: 'mine' }));
  });

  test.each([
    ['likely by others', { paths: tree('a') }, 'outside (likely)'],
    ['by an agent or by others', { track: false }, 'one or outside (open)'],
  ] as const)('changes that are %s are of a second party, too', async (_, request, expected) => {
    const { w, savepoint } = await worldWith({ a: linesOf(9) });
    const session = savepoint.session({ agent: 'one', id: 's-one' });
    await session.call({ tool: 'Edit', kind: 'edit', paths: tree('a') }, () =>
      w.write('a', linesOf(9, { 3: 'agent' })),
    );
    await session.call({ tool: 'Edit', kind: 'edit', ...request }, () => w.write('b', 'b\n'));
    await savepoint.checkpoint();
    const all = (await savepoint.list()).checkpoints.flatMap(({ changes }) => changes ?? []);
    const by = all.find(({ path }) => path === 'b')?.by;
    expect(`${by?.authors.map(({ actor }) => actor.name).join(' or ')} (${by?.grade})`).toBe(expected);
    expect(await failure(savepoint.restore('cp_1'))).toMatchObject({
      code: 'CONFLICT',
      data: { paths: [{ path: 'b' }] },
    });
    expect((await savepoint.previewRestore('cp_1')).parties).toEqual({ agents: ['one'], outside: ['b'] });
    expect(w.read('b')).toBe('b\n');
  });

  test('keep-outside reverts only those of the agent', async () => {
    const { w, savepoint } = await mixed();
    await savepoint.restore('cp_1', { mode: 'keep-outside' });
    expect([w.read('a'), existsSync(w.at('its'))]).toEqual([linesOf(9, { 7: 'mine' }), false]);
  });
});

test('without changes by an agent, keep-outside leaves a file alone that the last checkpoint did not capture', async () => {
  const { w } = await worldWith({ a: 'a\n', b: 'b\n' });
  const savepoint = w.open({ rules: { maxFileBytes: 1_000 } });
  w.write('a', linesOf(500));
  w.write('b', 'changed\n');
  await savepoint.checkpoint();
  await savepoint.restore('cp_1', { mode: 'keep-outside' });
  expect([w.read('a'), w.read('b')]).toEqual([linesOf(500), 'b\n']);
});

test.each(['node_modules', 'pkg/node_modules', '__pycache__'])(
  'a folder %s with tracked files alone is gone after a restore to a state without it, and undo brings it back',
  async (folder) => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    w.write(`${folder}/m/x.js`, 'x\n');
    w.shell('git init -q && git add -f .');
    await savepoint.checkpoint();
    await savepoint.restore('cp_1', { mode: 'exact' });
    expect(existsSync(w.at(folder.split('/')[0] as string))).toBe(false);
    await savepoint.undo();
    expect(w.read(`${folder}/m/x.js`)).toBe('x\n');
  },
);
