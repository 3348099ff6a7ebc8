/** A change of permissions must not reach the other names of a file, which may be outside the workspace. */
import { chmodSync, linkSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import type { TreePath } from '@savepoint/core';
import { fsWith, realPorts } from '@savepoint/testkit';
import { expect, it } from 'vitest';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';

const A = 'a' as TreePath;
const modeAt = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8);

function place(): { readonly p: Place; readonly outside: string; readonly modes: () => readonly string[] } {
  const p = new Place();
  const outside = `${p.world.folder}/outside`;
  mkdirSync(outside);
  p.write('a', 'content\n');
  return { p, outside, modes: () => [p.at('a'), p.at('b'), `${outside}/secret`].map(modeAt) };
}

function share(p: Place, outside: string, mode: number): void {
  chmodSync(p.at('a'), mode);
  linkSync(p.at('a'), `${outside}/secret`);
  linkSync(p.at('a'), p.at('b'));
}

it('restore, undo and redo change the permissions of the chosen name alone', async () => {
  const { p, outside, modes } = place();
  await p.open().checkpoint();
  share(p, outside, 0o600);
  await p.open().restore('cp_1', { mode: 'exact', paths: [A] });
  expect(modes()).toEqual(['644', '600', '600']);
  expect((await p.open().previewRestore('cp_1', { mode: 'exact', paths: [A] })).plan.paths).toEqual([]);
  await p.open().undo();
  expect(modes()).toEqual(['600', '600', '600']);
  await p.open().redo();
  expect(modes()).toEqual(['644', '600', '600']);
});

it('a restore of all names converges', async () => {
  const { p, outside, modes } = place();
  p.write('b', 'content\n');
  await p.open().checkpoint();
  rmSync(p.at('b'));
  share(p, outside, 0o600);
  await p.open().restore('cp_1', { mode: 'exact' });
  expect(modes()).toEqual(['644', '644', '600']);
  expect((await p.open().previewRestore('cp_1', { mode: 'exact' })).plan.paths).toEqual([]);
});

it('an edit with a mode changes the permissions of the named path alone', async () => {
  const { p, outside, modes } = place();
  share(p, outside, 0o600);
  await p
    .open()
    .edit([{ given: 'a', path: A, edits: [{ op: 'mode', mode: 0o755 }], expectedHash: null, force: false }]);
  expect(modes()).toEqual(['755', '600', '600']);
});

it('a file with one name keeps its inode', async () => {
  const { p } = place();
  await p.open().checkpoint();
  chmodSync(p.at('a'), 0o600);
  const { ino } = lstatSync(p.at('a'));
  await p.open().restore('cp_1', { mode: 'exact' });
  expect([lstatSync(p.at('a')).ino, modeAt(p.at('a'))]).toEqual([ino, '644']);
});

it('stops if the file gets another name while it runs', async () => {
  const { p, outside } = place();
  await p.open().checkpoint();
  chmodSync(p.at('a'), 0o600);
  const ports = realPorts();
  const { fs } = ports;
  let isLinked = false;
  const racing = fsWith(fs, {
    rename: (from, to) => {
      fs.rename(from, to);
      // The journal gets its name: the transaction is committed.
      if (isLinked || !/journal.*\.json$/.test(to)) return;
      isLinked = true;
      linkSync(p.at('a'), `${outside}/secret`);
    },
  });
  const error = await failure(p.open({ ports: { ...ports, fs: racing } }).restore('cp_1', { mode: 'exact' }));
  expect(isLinked).toBe(true);
  expect(error).toMatchObject({ code: 'CONFLICT', data: { paths: [{ path: 'a' }] } });
  expect([p.at('a'), `${outside}/secret`].map(modeAt)).toEqual(['600', '600']);
});
