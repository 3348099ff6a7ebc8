/** The copies of a home folder: listed, limited, and cleaned. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultyFs, type FsCall, realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

test('copies are listed with their size, and those of dead processes are removed on request', async () => {
  const p = new Place();
  p.write('a', 'a'.repeat(5000));
  const savepoint = p.open();
  const [used, died, work, fork] = [
    await savepoint.openCopy({ purpose: 'check', rungs: ['copy'] }),
    await savepoint.openCopy({ purpose: 'check', rungs: ['copy'] }),
    await savepoint.openCopy({ purpose: 'isolated', rungs: ['copy'] }),
    await savepoint.openCopy({ purpose: 'fork', name: 'mine', rungs: ['copy'] }),
  ].map(({ copy }) => copy.record);
  for (const { place } of [died!, work!, fork!]) {
    const file = join(place, 'copy.json');
    const json = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...json, owner: { ...json.owner, startedAt: '1' } }));
  }
  mkdirSync(join(p.world.places.home, 'copies/copy_00000000'));
  const found = await savepoint.copies();
  const states = new Map(found.copies.map(({ id, state }) => [id, state]));
  expect([used, died, work, fork].map((record) => states.get(record!.id))).toEqual([
    'in-use',
    'stale',
    'stale',
    'idle',
  ]);
  expect(found.copies.every(({ size }) => size !== null && size >= 5000)).toBe(true);
  expect(found.leftovers.length).toBe(1);
  // Another copy removes what holds no work, and nothing else.
  const next = await savepoint.openCopy({ purpose: 'check', rungs: ['copy'] });
  await next.copy.drop();
  expect([died, work].map((record) => existsSync(record!.place))).toEqual([false, true]);
  expect(await savepoint.cleanCopies()).toEqual({ removed: [], spared: [work!.id], kept: [] });
  expect(existsSync(work!.place)).toBe(true);
  expect(await savepoint.cleanCopies({ all: true })).toEqual({ removed: [work!.id], spared: [], kept: [] });
  expect(readdirSync(join(p.world.places.home, 'copies')).sort()).toEqual([used!.id, fork!.id].sort());
});

test('copies count towards the limit of the store, and no checkpoint is dropped for them', async () => {
  const p = new Place();
  p.write('a', 'a'.repeat(2_000_000));
  const savepoint = p.open({ retention: { maxStoreBytes: 3_000_000 } });
  await savepoint.checkpoint();
  const { copy } = await savepoint.openCopy({ purpose: 'fork', rungs: ['copy'] });
  await expect(savepoint.openCopy({ purpose: 'check', rungs: ['copy'] })).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect((await savepoint.copies()).copies.map(({ id }) => id)).toEqual([copy.record.id]);
  expect((await savepoint.list()).checkpoints.length).toBe(1);
});

test('what is written in forks later counts towards the limit, and status says what copies take', async () => {
  const p = new Place();
  p.write('a', 'a'.repeat(1_000));
  const savepoint = p.open({ retention: { maxStoreBytes: 3_000_000 } });
  await savepoint.createForks(['f'], { rungs: ['copy'] });
  expect((await savepoint.status()).copies).toMatchObject({ stale: 0, limit: 3_000_000 });
  const before = (await savepoint.status()).copies.bytes;
  const [{ place = '' } = {}] = (await savepoint.copies()).copies;
  mkdirSync(join(place, 'output', '1'), { recursive: true });
  writeFileSync(join(place, 'output', '1', 'output'), 'o'.repeat(500_000));
  expect((await savepoint.status()).copies.bytes).toBe(before + 500_000);
  writeFileSync(join(place, 'tree', 'later'), 'x'.repeat(2_500_000));
  expect((await savepoint.copies()).copies[0]?.size).toBeGreaterThan(3_000_000);
  expect((await savepoint.fork('f')).bytes).toBeGreaterThan(3_000_000);
  await expect(savepoint.createForks(['g', 'h'], { rungs: ['copy'] })).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect((await savepoint.forks()).forks.map(({ name }) => name)).toEqual(['f']);
  expect((await savepoint.copies()).leftovers).toEqual([]);
});

test('the checkpoint that a copy started from stays until the copy is removed', async () => {
  const p = new Place();
  p.write('a', 'one\n');
  const savepoint = p.open({ actor: { kind: 'agent', name: 'a' } });
  const { copy, base } = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'], proposal: { description: 'it' } });
  writeFileSync(join(copy.files, 'b'), 'work\n');
  for (const text of ['two\n', 'three\n']) {
    p.write('a', text);
    await savepoint.checkpoint();
  }
  const person = p.open();
  const policy = { retention: { maxCheckpoints: 1, keepAtLeast: 1 } };
  expect((await person.previewGc(policy)).dropped).not.toContain(base.id);
  await person.gc(policy);
  await person.gc({ retention: { maxStoreBytes: 1 } });
  expect((await person.previewDrop([base.id], { pinned: true })).refused).toEqual([{ id: base.id, why: 'copy' }]);
  await expect(person.drop([base.id], { pinned: true })).rejects.toMatchObject({ code: 'CHECKPOINT_NEEDED' });
  const again = await person.reopenCopy(copy.record.id);
  await person.applyCopy(again, { description: 'applied' });
  expect([p.read('a'), p.read('b')]).toEqual(['three\n', 'work\n']);
  await again.copy.drop();
  expect((await person.drop([base.id])).dropped).toEqual([base.id]);
});

test('a fork is not opened as a copy, whose user would drop it', async () => {
  const p = new Place();
  p.write('a', 'a');
  const savepoint = p.open();
  const [made] = await savepoint.createForks(['mine']);
  const { id } = made!.fork.copy;
  await expect(savepoint.reopenCopy(id)).rejects.toMatchObject({ code: 'USAGE' });
  expect((await savepoint.forks()).forks.map(({ name }) => name)).toEqual(['mine']);
});

test('what the user changes while the folder is copied is not a change of the copy', async () => {
  const p = new Place();
  for (const name of ['a', 'b', 'dir/c']) p.write(name, 'old\n');
  const ports = realPorts();
  let isCopying = false;
  const counts = ({ operation, path: at }: FsCall): boolean => {
    if (operation === 'makeFolder' && at.endsWith('/tree')) {
      isCopying = true;
      p.write('a', 'saved meanwhile\n');
      p.write('new', 'new\n');
      rmSync(p.at('b'));
    }
    return isCopying && operation === 'openRead' && at === p.at('dir/c');
  };
  // The file cannot be read just when it is copied.
  const fs = new FaultyFs(ports.fs, { at: 1, fault: { fail: 'EACCES' }, counts });
  const savepoint = p.open({ ports: { ...ports, fs } });
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  expect([isCopying, fs.hit]).toEqual([true, true]);
  expect((await savepoint.diffCopy(made)).changes).toEqual([]);
  p.write('a', 'old\n');
  await savepoint.applyCopy(made, { description: 'nothing' });
  expect([p.read('a'), p.read('new'), p.read('dir/c'), existsSync(p.at('b'))]).toEqual([
    'old\n',
    'new\n',
    'old\n',
    false,
  ]);
});
