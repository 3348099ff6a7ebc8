import type { DiskPath } from '@savepoint/core';
import { dieByThrowing, FaultyFs, type SeededRandom, SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { codeOf, engine, put, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { dieAt } from './die-at.ts';

/**
 * A process dies, the power is cut, or a call fails, at any call while it creates, merges, drops or cleans forks. No half fork
 * counts as one, the workspace is all old or all new, no work is lost, and repeating the command completes it.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 6, ci: 20, long: Number.POSITIVE_INFINITY });
const FAILURES = ['ENOSPC', 'EIO', 'EACCES'].flatMap((fail) => [
  { fail, sticky: false },
  { fail, sticky: true },
]);
/** Of {@link FAILURES}, for each call. */
const WAYS = testEffort({ quick: 1, ci: 1, long: FAILURES.length });
const COPIES = '/home/copies' as DiskPath;

async function workedIn(): Promise<SimDisk> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  put(disk, `${ROOT}/a.txt`, 'a\n');
  put(disk, `${ROOT}/b.txt`, 'b\n');
  const savepoint = engine(disk, 90);
  const [made] = await savepoint.createForks(['f'], { rungs: ['copy'] });
  put(disk, `${made?.files}/a.txt`, 'fork\n');
  put(disk, `${made?.files}/new.txt`, 'new\n');
  return disk.afterProcessDeath();
}

interface Scene {
  readonly name: string;
  readonly prepare?: (disk: SimDisk) => Promise<unknown>;
  readonly action: (savepoint: ReturnType<typeof engine>) => Promise<unknown>;
  /** Whether the action has happened. */
  readonly judge: (savepoint: ReturnType<typeof engine>, where: string) => Promise<boolean>;
}

const SCENES: readonly Scene[] = [
  {
    name: 'create',
    action: (savepoint) => savepoint.createForks(['g'], { rungs: ['copy'] }),
    judge: async (savepoint, where) => {
      const { forks, problems } = await savepoint.forks();
      expect(problems, where).toEqual([]);
      const found = forks.find(({ name }) => name === 'g');
      // Also after a power cut: a fork with half of its files would look like one with changes.
      if (found !== undefined) expect([found.state, found.uncaptured], where).toEqual(['unchanged', []]);
      return found !== undefined;
    },
  },
  {
    name: 'merge',
    action: (savepoint) => savepoint.mergeFork('f'),
    judge: async (savepoint, where) => {
      await savepoint.recover();
      const changed = (await savepoint.diff({ from: 'cp_1' })).changes.map(({ path }) => path);
      const left = (await savepoint.fork('f')).difference.changes.map(({ path }) => path);
      expect(
        [changed, left].sort((a, b) => a.length - b.length),
        where,
      ).toEqual([[], ['a.txt', 'new.txt']]);
      return left.length === 0;
    },
  },
  {
    name: 'drop',
    action: (savepoint) => savepoint.dropFork('f', { force: true }),
    judge: async (savepoint, where) => {
      const { forks, dropped } = await savepoint.forks();
      if (forks.length > 0) expect(forks[0]?.difference.totals, where).toMatchObject({ files: 2 });
      else
        expect(
          dropped.map(({ name }) => name),
          where,
        ).toContain('f');
      return forks.length === 0;
    },
  },
  {
    name: 'clean',
    prepare: (disk) => engine(disk, 95).mergeFork('f'),
    action: (savepoint) => savepoint.cleanForks(),
    judge: async (savepoint, where) => {
      const { forks, dropped } = await savepoint.forks();
      if (forks.length === 0)
        expect(
          dropped.map(({ name }) => name),
          where,
        ).toContain('f');
      return forks.length === 0;
    },
  },
];

/** What every scene starts from: all of it is durable. */
async function prepared(scene: Scene): Promise<SimDisk> {
  const start = await workedIn();
  await scene.prepare?.(start);
  start.makeDurable();
  return start;
}

/** Judges what an interrupted action left, and completes it. @returns whether the action had happened */
async function judge(scene: Scene, start: SimDisk, disk: SimDisk, where: string): Promise<boolean> {
  const before = tell(treeOf(disk).tree);
  const done = await scene.judge(engine(disk, 200), where);
  if (scene.name !== 'merge') expect(before, where).toBe(tell(treeOf(start).tree));
  if (!done) {
    await scene.action(engine(disk, 201));
    expect(await scene.judge(engine(disk, 202), where), where).toBe(true);
  }
  await engine(disk, 203).cleanForks();
  if (scene.name === 'drop' || scene.name === 'clean') {
    expect(disk.list(COPIES), where).toEqual([]);
    await engine(disk, 204).createForks(['again'], { from: 'dropped:f', rungs: ['copy'] });
    const [again] = (await engine(disk, 205).forks()).forks;
    expect(tell(copied(disk, again?.folder ?? '')), where).toBe('a.txt: fork\nb.txt: b\nnew.txt: new\n'.trim());
  }
  await verifyDeep(engine(disk, 206));
  return done;
}

/** Numbers of the calls to try, from 1. */
function moments(calls: number, random: SeededRandom): readonly number[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  return all.length > MOMENTS ? random.sample(all, MOMENTS) : all;
}

for (const scene of SCENES) {
  test(`${scene.name}, interrupted at any call`, { timeout: 3_600_000 }, async () => {
    const random = seededRandom(SEED);
    const start = await prepared(scene);
    const whole = start.afterProcessDeath();
    const from = whole.calls;
    await scene.action(engine(new FaultyFs(whole), 100));
    const calls = whole.calls - from;
    expect(await scene.judge(engine(whole, 150), 'uninterrupted')).toBe(true);
    for (const at of moments(calls, random)) {
      const disk = start.afterProcessDeath();
      const hasDied = dieAt(disk, at);
      const result = await scene.action(engine(disk, 100)).then(
        () => null,
        (error: unknown) => error,
      );
      disk.onCall = null;
      if (hasDied() && result !== null) expect(result).not.toBeInstanceOf(TypeError);
      const where = `SAVEPOINT_SEED=${SEED}: ${scene.name} died before changing call ${at} of ${calls}`;
      const cuts = disk.crashStates('any-subset', 1, random);
      for (const state of cuts) await judge(scene, start, state, `${where}, power cut`);
      await judge(scene, start, disk.afterProcessDeath(), where);
    }
  });

  test(`${scene.name}, of which any call fails`, { timeout: 3_600_000 }, async () => {
    const random = seededRandom(SEED);
    const start = await prepared(scene);
    const counting = new FaultyFs(start.afterProcessDeath(), { at: 0, fault: { die: dieByThrowing } });
    await scene.action(engine(counting, 100));
    for (const at of moments(counting.counted, random)) {
      for (const fault of random.sample(FAILURES, WAYS)) {
        const disk = start.afterProcessDeath();
        const faulty = new FaultyFs(disk, { at, fault, counts: ({ changes }) => changes });
        const result = await scene.action(engine(faulty, 100)).then(() => null, codeOf);
        const how = `${fault.fail}${fault.sticky ? ' from then on' : ''}: ${result ?? 'done'}`;
        const call = faulty.log.filter(({ changes }) => changes)[at - 1];
        const where = `SAVEPOINT_SEED=${SEED}: ${scene.name}, changing call ${at} of ${counting.counted} (${call?.operation} ${call?.path}), ${how}`;
        const done = await judge(scene, start, disk.afterProcessDeath(), where);
        if (result === null) expect(done, where).toBe(true);
      }
    }
  });
}

function copied(disk: SimDisk, folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of disk.list(folder as DiskPath).sort()) {
    const path = `${folder}/${name}` as DiskPath;
    const file = disk.openRead(path);
    const bytes = Buffer.alloc(disk.lstat(path)?.size ?? 0);
    disk.read(file, bytes, 0, bytes.length, 0);
    disk.close(file);
    found.set(name, bytes.toString().trim());
  }
  return found;
}
