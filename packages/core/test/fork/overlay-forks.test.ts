/** Forks that only run a command are overlays, and become folders on request. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath, Savepoint } from '@savepoint/core';
import { realPorts, whyNoOverlays } from '@savepoint/testkit';
import { test as always, expect, onTestFinished } from 'vitest';
import { Place } from '../place.ts';

const test = always.skipIf(whyNoOverlays() !== null);
const PATH = process.env['PATH'] ?? '';

function shell(script: string) {
  return { command: ['sh', '-c', script], variables: { PATH } };
}

function opened(p: Place, options: Parameters<Place['open']>[0] = {}): Savepoint {
  const savepoint = p.open({ places: { ...p.world.places, searchPath: PATH }, ...options });
  onTestFinished(async () => {
    for (const { name } of (await savepoint.forks()).forks) await savepoint.dropFork(name, { force: true });
  });
  return savepoint;
}

async function ended(savepoint: Savepoint, name: string) {
  return expect
    .poll(async () => (await savepoint.fork(name)).runs.filter(({ state }) => state === 'running'), { timeout: 20_000 })
    .toEqual([]);
}

function copiesOf(p: Place): readonly string[] {
  return readdirSync(join(p.world.places.home, 'copies'))
    .filter((name) => name !== 'overlays-work')
    .sort();
}

test('forks with a command see the folder at its own path, share one copy of it, and are merged', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  p.write('b.txt', 'b\n');
  const savepoint = opened(p);
  const script = 'pwd; cat a.txt; echo "$SAVEPOINT_FORK" >new-$SAVEPOINT_FORK; rm b.txt';
  const created = await savepoint.createForks(['one', 'two'], { command: shell(script) });
  expect(created.map(({ fork, files, notes }) => [fork.copy.rung, files, notes])).toEqual([
    ['overlay', null, []],
    ['overlay', null, []],
  ]);
  expect(copiesOf(p).filter((name) => name.startsWith('below_'))).toHaveLength(1);
  for (const name of ['one', 'two']) await ended(savepoint, name);
  const { copies, sharedBytes } = await savepoint.copies();
  expect([sharedBytes, copies.map(({ size }) => size !== null && size > 4)]).toEqual([4, [true, true]]);
  const [run] = (await savepoint.fork('one')).runs;
  expect(run).toMatchObject({ state: 'exited', exit: 0 });
  expect(readFileSync(Buffer.from(run?.output ?? '', 'latin1'), 'utf8')).toBe(`${p.world.workspace}\na\n`);
  expect([existsSync(p.at('new-one')), p.read('b.txt')]).toEqual([false, 'b\n']);
  const printed = await savepoint.fork('one', { output: 1 });
  expect(printed.printed).toMatchObject({ number: 1, size: `${p.world.workspace}\na\n`.length });
  expect(String(printed.printed?.bytes)).toBe(`${p.world.workspace}\na\n`);
  await expect(savepoint.fork('one', { output: 2 })).rejects.toMatchObject({ code: 'USAGE' });
  await savepoint.mergeFork('one');
  expect([p.read('new-one'), existsSync(p.at('b.txt'))]).toEqual(['one\n', false]);
  const { difference, state, folder } = await savepoint.fork('two');
  expect([state, folder, difference.changes.map(({ path }) => path)]).toEqual(['changed', null, ['b.txt', 'new-two']]);
  expect((await savepoint.compareForks(['one', 'two'])).pairs[0]?.conflicts).toEqual([]);
  expect((await savepoint.cleanForks()).dropped).toEqual(['one']);
  await savepoint.dropFork('two', { force: true });
  expect(copiesOf(p)).toEqual([]);
});

test('what changes in the workspace, also by a merge, does not change a fork', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  const savepoint = opened(p);
  await savepoint.createForks(['f'], { command: shell('echo fork >f.txt') });
  await ended(savepoint, 'f');
  p.write('a.txt', 'changed\n');
  p.write('new.txt', 'new\n');
  await savepoint.runInFork('f', shell('cat a.txt; ls; echo more >>a.txt'));
  await ended(savepoint, 'f');
  const { runs, difference } = await savepoint.fork('f');
  expect(readFileSync(Buffer.from(runs[0]?.output ?? '', 'latin1'), 'utf8')).toBe('a\na.txt\nf.txt\n');
  expect(difference.changes.map(({ path }) => path)).toEqual(['a.txt', 'f.txt']);
});

test('a second command joins the mount of the first, and both survive those who look', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  const savepoint = opened(p);
  await savepoint.createForks(['f'], {
    command: shell('echo 1 >one; until [ -e two ]; do sleep 0.05; done; echo 3 >three'),
  });
  await expect.poll(async () => (await savepoint.fork('f')).difference.changes.length, { timeout: 20_000 }).toBe(1);
  await expect(savepoint.openFork('f')).rejects.toMatchObject({ code: 'USAGE' });
  const { copies } = await savepoint.copies();
  expect(copies[0]).toMatchObject({ rung: 'overlay', state: 'in-use' });
  await savepoint.runInFork('f', shell('cat one; echo 2 >two'));
  await ended(savepoint, 'f');
  const { runs, difference } = await savepoint.fork('f');
  expect(runs.map(({ exit }) => exit)).toEqual([0, 0]);
  expect(difference.changes.map(({ path }) => path)).toEqual(['one', 'three', 'two']);
  await expect.poll(async () => (await savepoint.copies()).copies[0]?.state, { timeout: 20_000 }).toBe('idle');
});

test('an overlay whose processes were killed, as after a restart, still has its work and becomes a folder', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  p.write('kept.txt', 'kept\n');
  const savepoint = opened(p);
  await savepoint.createForks(['f', 'g'], {
    command: shell('echo new >new.txt; rm a.txt; echo ready; exec sleep 600'),
  });
  const outputOf = async (name: string) => {
    const [run] = (await savepoint.fork(name)).runs;
    return readFileSync(Buffer.from(run?.output ?? '', 'latin1'), 'utf8');
  };
  for (const name of ['f', 'g']) await expect.poll(() => outputOf(name), { timeout: 20_000 }).toBe('ready\n');
  const { processes } = realPorts();
  const { id } = await savepoint.fork('f');
  for (const one of processes.seeingMount(`savepoint:${id}:`)) processes.signal(one, 'SIGKILL');
  await expect.poll(() => processes.seeingMount(`savepoint:${id}:`), { timeout: 20_000 }).toEqual([]);
  await ended(savepoint, 'f');
  const { difference } = await savepoint.fork('f', { patch: true });
  expect(difference.changes.map(({ path }) => path)).toEqual(['a.txt', 'new.txt']);
  // What a process that died in the middle of this has left.
  const half = join(p.world.places.home, 'copies', id, 'tree');
  mkdirSync(half);
  writeFileSync(join(half, 'half.txt'), 'half');
  const { folder } = await savepoint.openFork('f');
  const at = Buffer.from(folder, 'latin1').toString();
  expect(readdirSync(at).sort()).toEqual(['kept.txt', 'new.txt']);
  writeFileSync(join(at, 'more.txt'), 'more\n');
  const view = await savepoint.fork('f');
  expect([view.rung, view.folder, view.checkpoint]).toEqual(['copy', folder, 'cp_1']);
  expect(await p.open({ dir: folder as DiskPath }).currentFork()).toMatchObject({ name: 'f' });
  expect((await savepoint.openFork('f')).folder).toBe(folder);
  await savepoint.mergeFork('f');
  expect([p.read('new.txt'), p.read('more.txt'), existsSync(p.at('a.txt'))]).toEqual(['new\n', 'more\n', false]);
  // The other one still stands on the shared copy.
  expect((await savepoint.fork('g')).difference.changes.map(({ path }) => path)).toEqual(['a.txt', 'new.txt']);
});

test('a fork with a branch, or of a dropped one, is a folder, and says so once', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  const savepoint = opened(p);
  await savepoint.createForks(['f'], { command: shell('echo new >new.txt') });
  await ended(savepoint, 'f');
  await savepoint.dropFork('f', { force: true });
  const created = await savepoint.createForks(['g', 'h'], { from: 'dropped:f', command: shell('true') });
  expect(created.map(({ fork, notes }) => [fork.copy.rung === 'overlay', notes])).toEqual([
    [false, ['each fork is a folder: it continues a dropped fork']],
    [false, []],
  ]);
  expect((await savepoint.fork('g')).difference.changes.map(({ path }) => path)).toEqual(['new.txt']);
});

test('an overlay has the dependencies that were asked for, and links make it a folder', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  p.write('node_modules/dep/index.js', '1\n');
  p.write('node_modules/dep/package.json', '{"name":"dep"}\n');
  writeFileSync(
    join(p.world.places.home, 'config.json'),
    '{"copy_dependencies":"none","export":{"to":"/elsewhere"}}\n',
  );
  const savepoint = opened(p, { settings: { savepoint: null } });
  const look = shell('ls');
  const outputOf = async (name: string) => {
    await ended(savepoint, name);
    return readFileSync(Buffer.from((await savepoint.fork(name)).runs[0]?.output ?? '', 'latin1'), 'utf8');
  };
  const [none] = await savepoint.createForks(['none'], { command: look });
  expect([none?.fork.copy.rung, await outputOf('none')]).toEqual(['overlay', 'a.txt\n']);
  // What it lacks is no change of the fork.
  expect((await savepoint.fork('none')).state).toBe('unchanged');
  await savepoint.mergeFork('none');
  expect(existsSync(p.at('node_modules/dep/index.js'))).toBe(true);
  const [all] = await savepoint.createForks(['all'], { command: look, dependencies: 'auto' });
  expect([all?.fork.copy.rung, await outputOf('all')]).toEqual(['overlay', 'a.txt\nnode_modules\n']);
  const [linked] = await savepoint.createForks(['linked'], { command: look, dependencies: 'link' });
  expect([linked?.fork.copy.rung === 'overlay', linked?.notes[0]]).toEqual([
    false,
    'each fork is a folder: its packages are links to those of the workspace',
  ]);
  // The user's own settings hold inside, but a fork exports nothing.
  const own = join(p.world.places.home, 'copies', none?.fork.copy.id ?? '', 'home', 'config.json');
  expect(JSON.parse(readFileSync(own, 'utf8'))).toEqual({ copy_dependencies: 'none' });
});
