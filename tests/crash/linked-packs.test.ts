/**
 * A first checkpoint links a pack, which is then replaced. At any call of that, git repacks or the repository is removed,
 * and the process goes on, dies, or the power fails. Afterwards, each checkpoint that was reported can be restored.
 * Another seed: SAVEPOINT_SEED=… npx vitest run tests/crash/linked-packs.test.ts
 */
import type { DiskPath } from '@savepoint/core';
import type { Fs } from '@savepoint/core/ports';
import { ProcessDied, type SeededRandom, type SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { bytesOf, clear, codeOf, engine, put, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { LINKING, prepared, SCENES } from './scenes.ts';

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const GAMES = testEffort({ quick: 25, ci: 250, long: 20_000 });
const PACKS = `${ROOT}/.git/objects/pack` as DiskPath;

/** What happens to the repository. */
const DEEDS: Readonly<Record<string, (disk: SimDisk) => void>> = {
  'nothing happens': () => undefined,
  'rm -rf .git': (disk) => {
    if (disk.lstat(`${ROOT}/.git` as DiskPath) === null) return;
    clear(disk, `${ROOT}/.git` as DiskPath);
    disk.removeFolder(`${ROOT}/.git` as DiskPath);
  },
  // The names of packs say nothing about their content.
  'git repack -ad': (disk) => {
    for (const name of disk.lstat(PACKS) === null
      ? []
      : disk.list(PACKS).filter((one) => /^pack-\w+\.pack$/.test(one))) {
      const stem = name.slice(0, -'.pack'.length);
      for (const extension of ['pack', 'idx']) {
        const old = `${PACKS}/${stem}.${extension}` as DiskPath;
        put(disk, `${PACKS}/pack-${stem.length}.${extension}`, bytesOf(disk, old), 0o444);
        disk.unlink(old);
      }
    }
  },
  'git gc of an empty repository': (disk) => {
    if (disk.lstat(PACKS) !== null) clear(disk, PACKS);
  },
};

const ENDS = ['goes on', 'dies', 'loses power'] as const;

test('a repository that changes at any call costs no checkpoint', async () => {
  const scene = SCENES.find(({ name }) => name === LINKING)!;
  const start = await prepared(scene);
  const expected = tell(treeOf(start).tree, ['.git']);
  const counting = start.afterProcessDeath();
  const calls = await linkAndReplace(counting, () => undefined);
  expect(calls.length).toBeGreaterThan(200);
  const random = seededRandom(SEED);
  const found: string[] = [];
  const reported = new Set<string>();
  for (let game = 0; game < GAMES; game++) {
    const at = GAMES > calls.length * 12 ? game % calls.length : random.integer(calls.length);
    const deed = random.pick(Object.keys(DEEDS));
    const end = random.pick(ENDS);
    const where = `${deed} before call ${at} (${calls[at]}), and it ${end} (SAVEPOINT_SEED=${SEED})`;
    try {
      reported.add(`${end} ${await play(start, at, deed, end, expected, random)}`);
    } catch (error) {
      found.push(`${where}: ${String(error)}`);
    }
  }
  expect(found).toEqual([]);
  for (const end of ENDS) expect(reported).toContain(`${end} 1`);
}, 3_600_000);

/** @returns the number of checkpoints afterwards */
async function play(
  start: SimDisk,
  at: number,
  deed: string,
  end: (typeof ENDS)[number],
  expected: string,
  random: SeededRandom,
): Promise<number> {
  let disk = start.afterProcessDeath();
  let hasReported = false;
  let died = false;
  try {
    await linkAndReplace(
      disk,
      (call) => {
        if (call === at) DEEDS[deed]?.(disk);
        died ||= call >= at && end !== 'goes on';
        if (died) throw new ProcessDied();
      },
      () => {
        hasReported = true;
      },
    );
  } catch (error) {
    if (!died) throw error;
  }
  if (end === 'loses power') for (const state of disk.crashStates('any-subset', 1, random)) disk = state;
  disk = disk.afterProcessDeath();
  const checkpoints = await checkpointsOf(disk);
  if (hasReported) expect(checkpoints.map(({ id }) => id)).toContain('cp_1');
  // The next process does what is left.
  if (checkpoints.length > 0 && random.next() < 0.7) await engine(disk, 201).tidyUp();
  DEEDS['rm -rf .git']?.(disk);
  if (checkpoints.length > 0) await verifyDeep(engine(disk, 202));
  for (const { id } of checkpoints) {
    for (const path of ['a.txt', 'deep/y.txt', 'stays/same.txt']) disk.unlink(`${ROOT}/${path}` as DiskPath);
    await engine(disk, 203).restore(id);
    expect(tell(treeOf(disk).tree, ['.git'])).toBe(expected);
  }
  return checkpoints.length;
}

async function checkpointsOf(disk: SimDisk): Promise<readonly { readonly id: string }[]> {
  try {
    return (await engine(disk, 200).list()).checkpoints;
  } catch (error) {
    if (codeOf(error) === 'NO_WORKSPACE') return [];
    throw error;
  }
}

/** @returns all calls of the file system */
async function linkAndReplace(
  disk: SimDisk,
  before: (call: number) => void,
  onReported: () => void = () => undefined,
): Promise<readonly string[]> {
  const calls: string[] = [];
  const fs = new Proxy<Fs>(disk, {
    get: (_, name) => {
      const value: unknown = Reflect.get(disk, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        calls.push(`${String(name)} ${typeof args[0] === 'string' ? args[0] : ''}`);
        before(calls.length - 1);
        return value.apply(disk, args);
      };
    },
  });
  const savepoint = engine(fs, 100);
  await savepoint.checkpoint();
  onReported();
  await savepoint.tidyUp();
  await savepoint.idle();
  return calls;
}
