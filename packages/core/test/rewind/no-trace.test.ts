/** Refused operations, and those with nothing to do, leave no checkpoint: `last` and undo mean the same afterwards. */
import { mkdirSync } from 'node:fs';
import type { ChangeId, DiskPath, Savepoint, TreePath } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { FsError } from '@savepoint/core/ports';
import { fsWith, realPorts } from '@savepoint/testkit';
import { expect, it } from 'vitest';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';

/** A restore to undo, and a change that no checkpoint has. */
async function prepared(): Promise<{ readonly p: Place; readonly savepoint: Savepoint }> {
  const p = new Place();
  const savepoint = p.open();
  p.write('a.txt', 'one\n');
  await savepoint.checkpoint();
  p.write('a.txt', 'two\n');
  await savepoint.checkpoint();
  await savepoint.restore('cp_1', { mode: 'exact' });
  p.write('b.txt', 'unrecorded\n');
  return { p, savepoint };
}

const lastOf = async (savepoint: Savepoint): Promise<number | undefined> => (await savepoint.status()).last?.number;

it.each([
  ['an unknown change', (s: Savepoint) => failure(s.rollback({ changes: ['cp_99.1' as ChangeId] })), 'UNKNOWN_CHANGE'],
  ['unknown paths', (s: Savepoint) => failure(s.restore('cp_1', { paths: ['nosuch' as TreePath] })), 'PATH_UNKNOWN'],
  ['a plan that was not shown', (s: Savepoint) => failure(s.restore('cp_2', { expected: 'other' })), 'CONFLICT'],
  ['nothing to restore', async (s: Savepoint) => s.restore('cp_1', { paths: ['a.txt' as TreePath] }), null],
  ['nothing to roll back', async (s: Savepoint) => s.rollback({ agent: 'outside', after: { checkpoint: 99 } }), null],
] as const)('%s', async (_, run, code) => {
  const { p, savepoint } = await prepared();
  const before = await lastOf(savepoint);
  const result = await run(savepoint);
  if (code === null) expect(result).toMatchObject({ checkpoint: null, beforeIsNew: false });
  else expect(result).toHaveProperty('code');
  expect(await lastOf(savepoint)).toBe(before);
  expect((await savepoint.status()).changed?.changes.map(({ path }) => path)).toEqual(['b.txt']);
  await savepoint.undo();
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['two\n', 'unrecorded\n']);
});

it('an undo with nothing to do is recorded, so that the next one finds an older operation', async () => {
  const { p, savepoint } = await prepared();
  p.write('a.txt', 'two\n');
  const { checkpoint } = await savepoint.undo();
  expect(checkpoint).not.toBeNull();
});

it('the advice about a partial checkpoint can be followed, and its root has not vanished', async () => {
  const p = new Place();
  for (const folder of ['objects', 'refs']) mkdirSync(p.at(`app/.git/${folder}`), { recursive: true });
  p.write('app/.git/HEAD', 'ref: refs/heads/main\n');
  p.write('a.txt', 'one\n');
  await p.open().checkpoint();
  const { fs } = realPorts();
  const unreadable = (path: string): void => {
    if (path.endsWith('/app')) throw new FsError('EACCES', 'list', path as DiskPath);
  };
  const locked = fsWith(fs, {
    list: (path) => {
      unreadable(path);
      return fs.list(path);
    },
    listWithStats: (path) => {
      unreadable(path);
      return fs.listWithStats(path);
    },
  });
  const savepoint = p.open({ ports: { ...realPorts(), fs: locked } });
  const { checkpoint } = await savepoint.checkpoint();
  expect(checkpoint.roots).toMatchObject([{ path: '' }, { path: 'app', failed: 'EACCES' }]);
  const shown = await VERBS.diff.handle(savepoint, { from: 'cp_1', to: checkpoint.id }, {});
  expect(shown.rootChanges).toEqual([]);
  p.write('a.txt', 'two\n');
  await failure(savepoint.restore('last', { mode: 'exact' }));
  await savepoint.restore('last', { mode: 'exact', allowPartial: true });
  expect(p.read('a.txt')).toBe('one\n');
});
