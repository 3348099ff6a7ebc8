import type { DiskPath } from '@savepoint/core';
import { FaultyFs, SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { engine, put, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { dieAt } from './die-at.ts';

/**
 * A process dies, or the power is cut, at any call of `try`, and of a turn of an isolated run: while the copy is made, its
 * changes are applied, it goes on from the folder, or it is dropped. The folder is all old or all new, and until the
 * changes are applied, the copy that has them can be opened again.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 8, ci: 30, long: Number.POSITIVE_INFINITY });
const OPTIONS = { description: 'Tried: x' };
const COPIES = '/home/copies' as DiskPath;
const WORK = ['a.txt', 'b.txt', 'new.txt'];
type Calls = ReturnType<typeof engine>;

async function project(): Promise<SimDisk> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  for (const name of ['a', 'b', 'c']) put(disk, `${ROOT}/${name}.txt`, `${name}\n`);
  await engine(disk, 90).checkpoint();
  return disk.afterProcessDeath();
}

/** Whether the command of the last action has done all of its work. */
let isWorkDone = false;
/** Whether a person has changed c.txt in the folder. */
let isPersonDone = false;

function work(disk: FaultyFs | SimDisk, files: string): void {
  put(disk, `${files}/a.txt`, 'copy\n');
  put(disk, `${files}/new.txt`, 'new\n');
  disk.unlink(`${files}/b.txt` as DiskPath);
  isWorkDone = true;
}

/** Makes a copy, changes files in it as a command would, and applies that. */
async function tryAndApply(savepoint: Calls, disk: FaultyFs | SimDisk): Promise<void> {
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'], proposal: OPTIONS });
  const { files } = made.copy;
  work(disk, files);
  await savepoint.applyCopy(made, OPTIONS);
  await made.copy.drop();
}

async function turn(savepoint: Calls, disk: FaultyFs | SimDisk): Promise<void> {
  const made = await savepoint.openCopy({ purpose: 'isolated', isLong: true, rungs: ['copy'], proposal: OPTIONS });
  const { files } = made.copy;
  work(disk, files);
  put(disk, `${ROOT}/c.txt`, 'person\n');
  isPersonDone = true;
  await savepoint.applyTurn(made, OPTIONS);
}

/** The folder without the file of the person. */
function told(disk: SimDisk): string {
  return tell(treeOf(disk).tree, ['c.txt']);
}

function hasPersonsWork(disk: SimDisk): boolean {
  return !isPersonDone || treeOf(disk).tree.get('c.txt') === 'file 644 person\n';
}

const SCENES = [
  { name: 'try', action: tryAndApply },
  { name: 'a turn', action: turn },
] as const;

test.each(SCENES)('$name, interrupted at any call', { timeout: 3_600_000 }, async ({ name, action }) => {
  const random = seededRandom(SEED);
  const start = await project();
  start.makeDurable();
  const old = told(start);
  const whole = start.afterProcessDeath();
  const from = whole.calls;
  await action(engine(new FaultyFs(whole), 100), whole);
  const calls = whole.calls - from;
  const applied = told(whole);
  expect(applied).not.toBe(old);
  const seen = { old: 0, new: 0 };

  const judge = async (disk: SimDisk, where: string): Promise<void> => {
    await engine(disk, 200).recover();
    const isNew = told(disk) === applied;
    if (!isNew) expect(told(disk), where).toBe(old);
    expect(hasPersonsWork(disk), where).toBe(true);
    seen[isNew ? 'new' : 'old']++;
    const savepoint = engine(disk, 201);
    const { copies } = await savepoint.copies();
    expect(copies.length, where).toBeLessThanOrEqual(1);
    if (isWorkDone && !isNew) expect(copies.length, where).toBe(1);
    for (const { id } of copies) {
      const again = await savepoint.reopenCopy(id);
      const changed = (await savepoint.diffCopy(again)).changes.map(({ path }) => String(path)).sort();
      if (isWorkDone && !isNew) expect(changed, where).toEqual(WORK);
      expect(['a.txt', 'b.txt', 'c.txt', 'new.txt'], where).toEqual(expect.arrayContaining(changed));
      // A copy that is half brought up to the folder does not merge there, so the person is asked.
      const isHalfRebased = isPersonDone && changed.includes('c.txt');
      await savepoint.applyCopy(again, { ...OPTIONS, skipConflicts: isHalfRebased });
      if (isWorkDone) {
        expect(told(disk), where).toBe(applied);
        expect(hasPersonsWork(disk), where).toBe(true);
      }
      await again.copy.drop();
    }
    await savepoint.cleanCopies({ all: true });
    expect((await savepoint.copies()).leftovers, where).toEqual([]);
    if (disk.lstat(COPIES) !== null) expect(disk.list(COPIES), where).toEqual([]);
    await verifyDeep(engine(disk, 206));
  };

  const all = Array.from({ length: calls }, (_, index) => index + 1);
  for (const at of all.length > MOMENTS ? random.sample(all, MOMENTS) : all) {
    const disk = start.afterProcessDeath();
    isWorkDone = false;
    isPersonDone = false;
    const hasDied = dieAt(disk, at);
    const result = await action(engine(disk, 100), disk).then(
      () => null,
      (error: unknown) => error,
    );
    disk.onCall = null;
    if (hasDied() && result !== null) expect(result).not.toBeInstanceOf(TypeError);
    await judge(
      disk.afterProcessDeath(),
      `SAVEPOINT_SEED=${SEED}: ${name} died before changing call ${at} of ${calls}`,
    );
  }
  expect(seen.old + seen.new).toBeGreaterThan(0);
});
