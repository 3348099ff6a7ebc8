import { type DiskPath, SavepointError } from '@savepoint/core';
import { kindOf } from '@savepoint/core/ports';
import { FaultyFs, type SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { engine, tell, treeOf, verifyDeep } from '../simulated.ts';
import { dieAt } from './die-at.ts';
import { PURGED, prepared, SCENES, type Scene } from './scenes.ts';

/**
 * A purge that is interrupted at any call by a death, a power cut or a failing call. The timeline is entirely the old
 * or the new one. Repeating the purge finishes it, and then nothing of the content is left.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 10, ci: 24, long: Number.POSITIVE_INFINITY });
const PURGE = SCENES.find(({ name }) => name === 'purge') as Scene;

/** Everything that the timeline reports, except the ids of commits. */
async function timelineState(disk: SimDisk): Promise<string> {
  const savepoint = engine(disk, 300);
  const { checkpoints, damaged } = await savepoint.list();
  expect(damaged).toEqual([]);
  const records = checkpoints.map(({ commit, ...rest }) => rest);
  return JSON.stringify([records, [...(await savepoint.pinned())]]);
}

/** Paths of all files below a folder of the store. */
function backups(disk: SimDisk, folder: string): readonly string[] {
  return disk.list(folder as DiskPath).flatMap((name) => {
    const path = `${folder}/${name}` as DiskPath;
    const stat = disk.lstat(path);
    return stat !== null && kindOf(stat) === 'folder' ? backups(disk, path) : [path];
  });
}

test('after an interruption at any call, repeating the purge completes it', { timeout: 3_600_000 }, async () => {
  const random = seededRandom(SEED);
  const start = await prepared(PURGE);
  const old = await timelineState(start);
  const store = `${(await engine(start, 90).status()).workspace.store}/backups`;
  expect(backups(start, store)).toHaveLength(1);
  const whole = start.afterProcessDeath();
  const counting = new FaultyFs(whole);
  const from = whole.calls;
  await PURGE.action(engine(counting, 100));
  const calls = whole.calls - from;
  const done = await timelineState(whole);
  expect(done).not.toBe(old);
  const seen = { old: 0, done: 0 };

  const judge = async (disk: SimDisk, where: string): Promise<void> => {
    const state = await timelineState(disk);
    expect([old, done], where).toContain(state);
    seen[state === old ? 'old' : 'done'] += 1;
    await engine(disk, 201).purge(PURGED);
    expect(await timelineState(disk), where).toBe(done);
    expect(backups(disk, store), where).toEqual([]);
    await verifyDeep(engine(disk, 202)).catch((error: Error) => expect.fail(`${where}: ${error.message}`));
    expect(tell(treeOf(disk).tree), where).toBe(tell(treeOf(start).tree));
  };

  const all = Array.from({ length: calls }, (_, index) => index + 1);
  for (const at of all.length > MOMENTS ? random.sample(all, MOMENTS) : all) {
    const disk = start.afterProcessDeath();
    dieAt(disk, at);
    await expect(PURGE.action(engine(disk, 100))).rejects.toThrow();
    disk.onCall = null;
    const where = `SAVEPOINT_SEED=${SEED}: died before changing call ${at} of ${calls}`;
    for (const state of disk.crashStates('any-subset', 2, random)) await judge(state, `${where}, power cut`);
    await judge(disk.afterProcessDeath(), where);
  }
  expect(Math.min(seen.old, seen.done), JSON.stringify(seen)).toBeGreaterThan(2);

  const each = Array.from({ length: counting.counted }, (_, index) => index + 1);
  for (const at of each.length > MOMENTS ? random.sample(each, MOMENTS) : each) {
    const disk = start.afterProcessDeath();
    const fault = { fail: random.pick(['EIO', 'ENOSPC', 'EACCES']), sticky: random.next() < 0.5 };
    await PURGE.action(engine(new FaultyFs(disk, { at, fault }), 100)).catch((error: unknown) => {
      if (!(error instanceof SavepointError)) throw error;
    });
    const where = `SAVEPOINT_SEED=${SEED}: ${JSON.stringify(fault)} at call ${at} of ${counting.counted}`;
    await judge(disk.afterProcessDeath(), where);
  }
});

test('purged contents do not reappear after a power cut', async () => {
  const disk = await prepared(PURGE);
  await PURGE.action(engine(disk, 100));
  const done = await timelineState(disk);
  const { store } = (await engine(disk, 101).status()).workspace;
  // The lock is not content.
  const files = (of: SimDisk): readonly string[] => backups(of, store).filter((path) => !path.includes('/lock/'));
  const left = files(disk);
  for (const state of disk.crashStates('any-subset', 20, seededRandom(SEED))) {
    expect(await timelineState(state)).toBe(done);
    expect(files(state)).toEqual(left);
  }
});
