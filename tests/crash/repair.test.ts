import type { DiskPath, Savepoint } from '@savepoint/core';
import { FaultyFs, SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { bytesOf, codeOf, engine, journals, ROOT, sameTree, tell, treeOf } from '../simulated.ts';
import { dieAt } from './die-at.ts';
import { prepared, SCENES, type Scene } from './scenes.ts';

/**
 * A repair that is killed at any call, or interrupted by a power cut, leaves a store that is not worse, and a second
 * repair finishes it.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 12, ci: 24, long: Number.POSITIVE_INFINITY });

function put(disk: SimDisk, path: string, bytes: Uint8Array | string): void {
  if (disk.lstat(path as DiskPath) !== null) disk.unlink(path as DiskPath);
  const file = disk.openNew(path as DiskPath, 0o600);
  disk.write(file, Buffer.from(bytes), 0);
  disk.close(file);
}

/** Four checkpoints. The first object of three packs, the index of the fourth, the record, a ref and the frozen paths are damaged. */
async function damagedStore(): Promise<SimDisk> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  for (const number of [1, 2, 3, 4]) {
    put(disk, `${ROOT}/a.txt`, `${number}\n`.repeat(30));
    put(disk, `${ROOT}/kept-${number}.txt`, `kept ${number}\n`);
    await engine(disk, number).checkpoint();
  }
  const store = (await engine(disk, 10).status()).workspace.store;
  const packs = `${store}/objects.git/objects/pack` as DiskPath;
  const [unindexed, ...others] = disk.list(packs).filter((each) => each.endsWith('.pack'));
  disk.unlink(`${packs}/${unindexed?.replace(/pack$/, 'idx')}` as DiskPath);
  for (const name of others) {
    const bytes = bytesOf(disk, `${packs}/${name}` as DiskPath);
    bytes[20] = (bytes[20] as number) ^ 0x55;
    put(disk, `${packs}/${name}`, bytes);
  }
  put(disk, `${store}/objects.git/refs/savepoint/cp/2`, '');
  put(disk, `${store}/workspace.json`, 'null');
  put(disk, `${store}/frozen.json`, '{');
  disk.makeDurable();
  return disk;
}

const lostIn = ({ lost }: Awaited<ReturnType<Savepoint['repair']>>): string =>
  JSON.stringify(lost.map(({ checkpoint, paths }) => [checkpoint, paths]));

test('after an interruption or a failure at any call, repeating the repair completes it', {
  timeout: 3_600_000,
}, async () => {
  const random = seededRandom(SEED);
  const start = await damagedStore();
  const before = await engine(start.afterProcessDeath(), 50).verify({ deep: true });
  expect(before.damage.length).toBeGreaterThan(3);
  const whole = start.afterProcessDeath();
  const from = whole.calls;
  const lost = lostIn(await engine(whole, 100).repair());
  const calls = whole.calls - from;
  const repaired = await engine(whole, 101).verify({ deep: true });
  const files = tell(treeOf(start).tree);

  const judge = async (disk: SimDisk, where: string): Promise<void> => {
    const left = await engine(disk, 200).verify({ deep: true });
    expect(left.valid, where).toBeGreaterThanOrEqual(before.valid);
    expect(left.checkpoints, where).toBeGreaterThanOrEqual(2);
    expect(lostIn(await engine(disk, 201).repair()), where).toBe(lost);
    const { damage, valid } = await engine(disk, 202).verify({ deep: true });
    expect(damage, where).toEqual(repaired.damage);
    expect(valid, where).toBe(repaired.valid);
    expect(tell(treeOf(disk).tree), where).toBe(files);
  };

  const all = Array.from({ length: calls }, (_, index) => index + 1);
  for (const at of all.length > MOMENTS ? random.sample(all, MOMENTS) : all) {
    const disk = start.afterProcessDeath();
    dieAt(disk, at);
    await expect(engine(disk, 100).repair()).rejects.toThrow();
    disk.onCall = null;
    const where = `SAVEPOINT_SEED=${SEED}: died before changing call ${at} of ${calls}`;
    for (const state of disk.crashStates('any-subset', 1, random)) await judge(state, `${where}, power cut`);
    await judge(disk.afterProcessDeath(), where);
  }

  const counting = new FaultyFs(start.afterProcessDeath());
  await engine(counting, 100).repair();
  const failing = Array.from({ length: counting.counted }, (_, index) => index + 1);
  for (const at of failing.length > MOMENTS ? random.sample(failing, MOMENTS) : failing) {
    const disk = start.afterProcessDeath();
    const fault = { fail: random.pick(['EIO', 'ENOSPC', 'EACCES']), sticky: random.next() < 0.5 };
    const faulty = new FaultyFs(disk, { at, fault });
    const ended = await engine(faulty, 100)
      .repair()
      .then(() => 'done', codeOf);
    const how = `${fault.fail}${fault.sticky ? ' from then on' : ''}`;
    await judge(disk, `SAVEPOINT_SEED=${SEED}: call ${at} of ${failing.length} failed with ${how}: ${ended}`);
  }
});

test('a repair first recovers an operation that was killed, and loses nothing', { timeout: 600_000 }, async () => {
  const random = seededRandom(SEED);
  for (const name of ['restore', 'edit of 2 files', 'undo with a resolution']) {
    const scene = SCENES.find((one) => one.name === name) as Scene;
    const start = await prepared(scene);
    const whole = start.afterProcessDeath();
    const from = whole.calls;
    await scene.action(engine(whole, 100));
    const [old, done] = [treeOf(start).tree, treeOf(whole).tree];
    const all = Array.from({ length: whole.calls - from }, (_, index) => index + 1);
    for (const at of random.sample(all, Math.min(all.length, MOMENTS / 3))) {
      const disk = start.afterProcessDeath();
      dieAt(disk, at);
      await expect(scene.action(engine(disk, 100))).rejects.toThrow();
      disk.onCall = null;
      const next = disk.afterProcessDeath();
      const store = (await engine(next, 150).status()).workspace.store;
      const packs = `${store}/objects.git/objects/pack` as DiskPath;
      for (const index of next.list(packs).filter((each) => each.endsWith('.idx'))) put(next, `${packs}/${index}`, 'x');
      const where = `SAVEPOINT_SEED=${SEED}: ${name} died before changing call ${at} of ${all.length}`;
      expect((await engine(next, 200).repair()).lost, where).toEqual([]);
      const { tree, staging } = treeOf(next);
      expect(sameTree(tree, old) || sameTree(tree, done), `${where}\n${tell(tree)}`).toBe(true);
      expect([...staging, ...journals(next)], where).toEqual([]);
      expect((await engine(next, 201).verify({ deep: true })).damage, where).toEqual([]);
      await engine(next, 202).checkpoint();
    }
  }
});
