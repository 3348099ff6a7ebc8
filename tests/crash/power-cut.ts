import type { Savepoint } from '@savepoint/core';
import { ProcessDied, type SeededRandom, type SimCall, type SimDisk, seededRandom } from '@savepoint/testkit';
import { expect } from 'vitest';
import { engine, journals, ROOT, sameTree, type Tree, tell, treeOf, verifyDeep } from '../simulated.ts';
import { prepared, type Scene } from './scenes.ts';

/**
 * A process dies before its n-th changing call, for every n. Then either the power fails and any part of the unsynced
 * data is lost, or it does not and the next process finds everything. Recovery may die in turn.
 */
export interface Thoroughness {
  /** Number of moments of death per scene. */
  readonly moments: number;
  /** Number of disks per moment and model. */
  readonly disks: number;
}

interface Ends {
  readonly old: Tree;
  readonly done: Tree;
  /** Numbers of the checkpoints that a caller has seen. */
  readonly numbers: readonly number[];
}

/** Returns the disk after `act` died before its `at`-th changing call; `died` is false if it finished first. */
async function dieAt(
  start: SimDisk,
  at: number,
  action: (disk: SimDisk) => Promise<unknown>,
): Promise<{ disk: SimDisk; died: boolean }> {
  const disk = start.afterProcessDeath();
  let calls = 0;
  let died = false;
  disk.onCall = () => {
    calls += 1;
    if (calls < at) return;
    died = true;
    throw new ProcessDied();
  };
  try {
    await action(disk);
  } catch (error) {
    if (!died) throw error;
  }
  disk.onCall = null;
  return { disk, died };
}

async function callsOf(
  start: SimDisk,
  action: (disk: SimDisk) => Promise<unknown>,
): Promise<{ disk: SimDisk; calls: number }> {
  const disk = start.afterProcessDeath();
  const before = disk.calls;
  await action(disk);
  return { disk, calls: disk.calls - before };
}

const perform =
  (scene: Scene) =>
  (disk: SimDisk): Promise<unknown> =>
    scene.action(engine(disk, 100));

/** The next command, of any kind. */
const proceed =
  (isThere: boolean, pid = 200) =>
  async (disk: SimDisk): Promise<void> => {
    const next = engine(disk, pid);
    if (isThere) expect((await next.checkpoint()).pending).toBeNull();
    else await next.recover();
  };

async function judge(disk: SimDisk, ends: Ends, isThere: boolean, returned: boolean, where: string): Promise<void> {
  await proceed(isThere)(disk).catch((error: unknown) => {
    throw new Error(`${where}: the next command failed: ${String(error)}`, { cause: error });
  });
  await expectRecovered(disk, ends, returned, where);
}

/** Checks what must be true after any command has ended. */
async function expectRecovered(
  disk: SimDisk,
  ends: Ends,
  returned: boolean,
  where: string,
): Promise<{ readonly tree: Tree; readonly numbers: readonly number[] }> {
  const { tree, staging } = treeOf(disk);
  if (returned) expect(tell(tree), where).toBe(tell(ends.done));
  else expect(sameTree(tree, ends.old) || sameTree(tree, ends.done), `${where}\n${tell(tree)}`).toBe(true);
  expect(staging, where).toEqual([]);
  expect(journals(disk), where).toEqual([]);
  const reader = engine(disk, 300);
  await verifyDeep(reader).catch((error: Error) => expect.fail(`${where}: ${error.message}`));
  const numbers = await numbersOf(reader);
  for (const number of ends.numbers) expect(numbers, where).toContain(number);
  return { tree, numbers };
}

async function numbersOf(savepoint: Savepoint): Promise<readonly number[]> {
  const { checkpoints } = await savepoint.list();
  return checkpoints.map(({ number }) => number);
}

/** Throws at the first violation. */
export async function cutPower(scene: Scene, random: SeededRandom, much: Thoroughness): Promise<void> {
  const start = await prepared(scene);
  const isThere = start.lstat(ROOT) !== null;
  const { disk: after, calls } = await callsOf(start, perform(scene));
  const ends = await endsOf(start, after);
  expect(calls).toBeGreaterThan(10);
  for (const at of moments(calls + 1, random, much.moments)) {
    const { disk, died } = await dieAt(start, at, perform(scene));
    expect(died).toBe(at <= calls);
    const where = `died before changing call ${at} of ${calls}`;
    const reported = died ? { ...ends, numbers: [] } : ends;
    await judgeAll(disk, reported, isThere, !died, where, random, much.disks);
  }
}

async function endsOf(start: SimDisk, after: SimDisk): Promise<Ends> {
  return { old: treeOf(start).tree, done: treeOf(after).tree, numbers: await numbersOf(engine(after, 300)) };
}

async function judgeAll(
  disk: SimDisk,
  ends: Ends,
  isThere: boolean,
  returned: boolean,
  where: string,
  random: SeededRandom,
  disks: number,
): Promise<void> {
  for (const model of ['any-subset', 'prefix'] as const) {
    for (const state of disk.crashStates(model, disks, random)) {
      await judge(state.afterProcessDeath(), ends, isThere, returned, `${where}, power cut (${model})`);
      if (random.next() < 0.3) await nested(state, ends, isThere, returned, `${where}, power cut (${model})`, random);
    }
  }
  // Without a power cut: everything is visible, but nothing more is durable than before.
  await judge(disk.afterProcessDeath(), ends, isThere, returned, `${where}, killed`);
  await nested(disk, ends, isThere, returned, `${where}, killed`, random);
}

/** The next command dies as well, or the power fails right after it: its reported result must still be true. */
async function nested(
  disk: SimDisk,
  ends: Ends,
  isThere: boolean,
  returned: boolean,
  where: string,
  random: SeededRandom,
): Promise<void> {
  const { disk: recovered, calls } = await callsOf(disk, proceed(isThere, 250));
  const { tree, numbers } = await expectRecovered(recovered.afterProcessDeath(), ends, returned, where);
  for (const state of recovered.crashStates('any-subset', 1, random)) {
    await judge(state, { old: tree, done: tree, numbers }, isThere, returned, `${where}, recovered, power cut`);
  }
  const at = 1 + random.integer(Math.max(1, calls));
  const again = await dieAt(disk, at, proceed(isThere, 250));
  for (const state of again.disk.crashStates('any-subset', 1, random)) {
    await judge(state, ends, isThere, returned, `${where}, recovery died before call ${at} of ${calls}, power cut`);
  }
  await judge(again.disk, ends, isThere, returned, `${where}, recovery killed before call ${at} of ${calls}`);
}

/**
 * Dies at every call in turn. What the next process reports must survive a power cut, although it builds on what the
 * dead process left.
 */
export async function standOnTheDead(scene: Scene, each: number): Promise<void> {
  const start = await prepared(scene);
  for (let at = 1, died = true; died; at += each) {
    const { disk, died: hasDied } = await dieAt(start, at, perform(scene));
    const next = disk.afterProcessDeath();
    const { checkpoint } = await engine(next, 200).checkpoint();
    for (const state of next.crashStates('any-subset', 1, seededRandom(at))) {
      const where = `the first died before call ${at}, a second one made ${checkpoint.number}`;
      expect(await numbersOf(engine(state, 300)), where).toContain(checkpoint.number);
    }
    died = hasDied;
  }
}

/**
 * Dies when its journal has its name, but the name is not durable yet. Recovery dies at one call after the other, and
 * then the power fails. The journal that recovery acted on must not be lost.
 */
export async function recoverOnTheDead(scene: Scene, each: number): Promise<void> {
  const start = await prepared(scene);
  const calls: SimCall[] = [];
  const { disk: after } = await callsOf(start, (disk) => {
    disk.onCall = (call) => calls.push(call);
    return perform(scene)(disk);
  });
  const ends = { ...(await endsOf(start, after)), numbers: [] };
  const named = calls.findIndex(({ operation, path }) => operation === 'rename' && /\/journal\/.*\.json$/.test(path));
  expect(named).toBeGreaterThan(0);
  const { disk: dead } = await dieAt(start, named + 2, perform(scene));
  for (let at = 1, died = true; died; at += each) {
    const { disk, died: hasDied } = await dieAt(dead, at, proceed(true, 250));
    for (const state of disk.crashStates('any-subset', 2, seededRandom(at))) {
      await judge(state, ends, true, false, `its journal was just named, and who recovered died before call ${at}`);
    }
    died = hasDied;
  }
}

/** Numbers from 1 to `last`, including the last. */
function moments(last: number, random: SeededRandom, most: number): readonly number[] {
  const all = Array.from({ length: last }, (_, index) => index + 1);
  if (all.length <= most) return all;
  return [...new Set([...random.sample(all, most), last])].sort((a, b) => a - b);
}
