import type { DiskPath, Savepoint } from '@savepoint/core';
import type { Fs, Ports } from '@savepoint/core/ports';
import { FaultyFs, SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { codeOf, engine, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { dieAt } from './die-at.ts';

/**
 * A process dies, the power is cut, or the system refuses a call, at any call while it checks, applies, validates or rolls back a plan with phases.
 * Each phase is applied or not, nothing is half recorded, and repeating the command completes it.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 6, ci: 10, long: Number.POSITIVE_INFINITY });
const COPIES = '/home/copies' as DiskPath;

function put(disk: SimDisk, path: string, text: string): void {
  const file = disk.openNew(path as DiskPath, 0o644);
  disk.write(file, Buffer.from(text), 0);
  disk.close(file);
}

/** The only program is the check, which finds a failure if `new.txt` exists. */
function programsOn(fs: Fs): Ports['programs'] {
  return {
    run: async ({ cwd }) => {
      const isBad = fs.lstat(`${cwd}/new.txt` as DiskPath) !== null;
      const stdout = Buffer.from(isBad ? 'new.txt:1: error: bad\n' : '');
      return { ended: 'exit', exit: isBad ? 1 : 0, signal: null, stdout, stderr: Buffer.alloc(0) };
    },
  } as Ports['programs'];
}

function at(fs: Fs, pid: number, disk: Fs = fs): Savepoint {
  return engine(fs, pid, { programs: programsOn(disk) });
}

const CHECKS = { checks: { own: { command: ['./check'], kind: 'lint' } } };
const [CHECKING, RUNNING] = [{ rungs: ['copy'] as const }, { rungs: ['copy'] as const, validate: [] }];

/** A workspace with an approved plan of two phases: the second one fails its checks. */
async function planned(): Promise<SimDisk> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  for (const name of ['a.txt', 'b.txt', 'check']) put(disk, `${ROOT}/${name}`, `${name}\n`);
  put(disk, `${ROOT}/.savepoint.json`, JSON.stringify(CHECKS));
  const savepoint = at(disk, 90);
  const { digest } = await savepoint.listChecks();
  await savepoint.trustChecks(digest);
  const edit = { expectedHash: null, force: false };
  const { plan, fingerprint } = await savepoint.proposeEdits(
    [
      { ...edit, given: 'a.txt', path: 'a.txt', edits: [{ op: 'delete' as const }] },
      { ...edit, given: 'new.txt', path: 'new.txt', edits: [{ op: 'create' as const, content: 'n\n', mode: null }] },
    ],
    { intent: 'x' },
  );
  await savepoint.setPlanPhases(plan.id, [
    { name: 'one', paths: ['a.txt'] },
    { name: 'two', paths: ['new.txt'] },
  ]);
  await savepoint.approvePlan(plan.id, fingerprint);
  return disk.afterProcessDeath();
}

const TREES = { none: ['a.txt', 'b.txt'], one: ['b.txt'], both: ['b.txt', 'new.txt'] } as const;

/** Which phases are applied, by the files. */
function appliedIn(disk: SimDisk): keyof typeof TREES {
  const names = disk
    .list(ROOT)
    .filter((name) => name.endsWith('.txt'))
    .sort();
  const found = Object.entries(TREES).find(([, files]) => files.join() === names.join());
  if (found === undefined) throw new Error(`half a phase: ${names.join()}`);
  return found[0] as keyof typeof TREES;
}

interface Scene {
  readonly name: string;
  readonly prepare?: (savepoint: Savepoint) => Promise<unknown>;
  readonly action: (savepoint: Savepoint) => Promise<unknown>;
  /** Which phases are applied at most, and at the end. */
  readonly most: readonly (keyof typeof TREES)[];
  readonly end: keyof typeof TREES;
  readonly isDone: (savepoint: Savepoint) => Promise<boolean>;
}

const SCENES: readonly Scene[] = [
  {
    name: 'decide in a review, and again later',
    action: async (savepoint) => {
      await savepoint.recordDecisions('last', 1, [{ path: 'new.txt', accepted: false }]);
      await savepoint.notePlan('last', 'words, with which the plan gets the decision');
      await savepoint.recordDecisions('last', 1, [{ path: 'new.txt', accepted: true }]);
    },
    most: ['none'],
    end: 'none',
    isDone: async (savepoint) => {
      const { changes, plan } = await savepoint.plan('last');
      return changes.at(-1)?.accepted === true && plan.words.length > 0;
    },
  },
  {
    name: 'check',
    action: (savepoint) => savepoint.checkPlan('last', CHECKING),
    most: ['none'],
    end: 'none',
    isDone: async (savepoint) => (await savepoint.plan('last')).checks?.isFailed === true,
  },
  {
    name: 'apply and validate',
    action: (savepoint) => savepoint.runPlan('last', RUNNING),
    most: ['none', 'one', 'both'],
    end: 'both',
    isDone: async (savepoint) => (await savepoint.plan('last')).validations.length === 2,
  },
  {
    name: 'apply, validate and roll back the phase',
    action: (savepoint) => savepoint.runPlan('last', { ...RUNNING, onFailure: 'rollback' }),
    most: ['none', 'one', 'both'],
    end: 'one',
    isDone: async (savepoint) => {
      const { phases, plan } = await savepoint.plan('last');
      return phases[0]?.applied !== null && phases[1]?.applied === null && plan.failedRuns > 0;
    },
  },
  {
    name: 'roll back all',
    prepare: (savepoint) => savepoint.runPlan('last', RUNNING),
    action: (savepoint) => savepoint.rollBackPlan('last'),
    most: ['none', 'both'],
    end: 'none',
    isDone: async (savepoint) => (await savepoint.plan('last')).status === 'rolled-back',
  },
];

for (const scene of SCENES) {
  test(`${scene.name}, interrupted at any call`, { timeout: 3_600_000 }, async () => {
    const random = seededRandom(SEED);
    const start = await planned();
    await scene.prepare?.(at(start, 95));
    start.makeDurable();
    const whole = start.afterProcessDeath();
    const counting = new FaultyFs(whole);
    const from = whole.calls;
    await scene.action(at(counting, 100));
    const calls = whole.calls - from;
    expect(await scene.isDone(at(whole, 150))).toBe(true);
    expect(appliedIn(whole)).toBe(scene.end);
    const judge = async (disk: SimDisk, where: string): Promise<void> => {
      if (scene.name === 'check') expect(tell(treeOf(disk).tree), where).toBe(tell(treeOf(start).tree));
      await at(disk, 200).recover();
      const files = appliedIn(disk);
      expect(scene.most, where).toContain(files);
      const { phases } = await at(disk, 201).plan('last');
      // What is recorded as applied is what the files show.
      const recorded = phases.map(({ applied }) => applied !== null);
      expect(recorded, where).toEqual({ none: [false, false], one: [true, false], both: [true, true] }[files]);
      if (!(await scene.isDone(at(disk, 202)))) {
        await scene.action(at(disk, 203));
        expect(await scene.isDone(at(disk, 204)), where).toBe(true);
      }
      expect(appliedIn(disk), where).toBe(scene.end);
      await at(disk, 205).cleanCopies();
      if (disk.lstat(COPIES) !== null) expect(disk.list(COPIES), where).toEqual([]);
      await verifyDeep(at(disk, 206));
    };
    const all = Array.from({ length: calls }, (_, index) => index + 1);
    for (const moment of all.length > MOMENTS ? random.sample(all, MOMENTS) : all) {
      const disk = start.afterProcessDeath();
      const hasDied = dieAt(disk, moment);
      const result = await scene.action(at(disk, 100)).then(
        () => null,
        (error: unknown) => error,
      );
      disk.onCall = null;
      if (hasDied() && result !== null) expect(result).not.toBeInstanceOf(TypeError);
      const where = `SAVEPOINT_SEED=${SEED}: ${scene.name} died before call ${moment} of ${calls}`;
      // The files of a copy are not synced.
      for (const state of disk.crashStates('any-subset', 1, random)) await judge(state, `${where}, power cut`);
      await judge(disk.afterProcessDeath(), where);
    }
    const failures = Array.from({ length: calls }, (_, index) => index + 1);
    for (const moment of failures.length > MOMENTS ? random.sample(failures, MOMENTS) : failures) {
      const disk = start.afterProcessDeath();
      const fault = { fail: random.pick(['ENOSPC', 'EIO', 'EACCES']), sticky: random.pick([true, false]) };
      const where = `SEED ${SEED}: ${scene.name}, call ${moment} of ${calls} fails: ${JSON.stringify(fault)}`;
      const savepoint = at(new FaultyFs(disk, { at: moment, fault }), 100, disk);
      await scene.action(savepoint).catch((error: unknown) => expect(codeOf(error), where).toMatch(/^[A-Z_]+$/));
      await judge(disk.afterProcessDeath(), where);
    }
  });
}
