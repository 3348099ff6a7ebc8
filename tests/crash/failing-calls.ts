import type { DiskPath, SavepointError } from '@savepoint/core';
import { dieByThrowing, FaultyFs, type FsCall, type SeededRandom, type SimDisk } from '@savepoint/testkit';
import { expect } from 'vitest';
import {
  bytesOf,
  codeOf,
  engine,
  journals,
  ROOT,
  sameTree,
  type Tree,
  tell,
  treeOf,
  verifyDeep,
} from '../simulated.ts';
import { prepared, type Scene } from './scenes.ts';

/** Makes the n-th file system call of an operation fail, n = 1, 2, … up to its last call; once, or from then on. */

const FAILURES = ['ENOSPC', 'EIO', 'EACCES', 'EROFS'].flatMap((fail) => [
  { fail, sticky: false },
  { fail, sticky: true },
]);

/** Error codes that a caller may get if the system refuses a call. */
const CODES: ReadonlySet<string> = new Set([
  'IO',
  'NO_SPACE',
  'CAPTURE_FAILED',
  'PENDING',
  'PATH_REFUSED',
  'EDITS_REFUSED',
  'PURGE_INCOMPLETE',
  // A workspace record or a ref that cannot be read is named as damaged, so that others can be used.
  'STORE_DAMAGED',
  // A call that takes the lock several times cannot remove its own file.
  'LOCKED',
]);

interface Ends {
  readonly old: Tree;
  readonly done: Tree;
}

interface Whole extends Ends {
  readonly calls: number;
  /** Numbers of the calls that change the user's files. */
  readonly ofFiles: readonly number[];
}

async function endsOf(scene: Scene, start: SimDisk): Promise<Whole> {
  const disk = start.afterProcessDeath();
  const counting = new FaultyFs(disk);
  await scene.action(engine(counting, 100));
  const ofFiles = counting.log
    .filter(({ operation }) => operation !== 'close')
    .flatMap(({ path, changes }, index) =>
      changes && path.startsWith(`${ROOT}/`) && !path.includes('/.savepoint-') ? [index + 1] : [],
    );
  return { old: treeOf(start).tree, done: treeOf(disk).tree, calls: counting.counted, ofFiles };
}

async function failAt(
  scene: Scene,
  start: SimDisk,
  ends: Ends,
  at: number,
  how: (typeof FAILURES)[number],
): Promise<void> {
  const disk = start.afterProcessDeath();
  const faulty = new FaultyFs(disk, { at, fault: how });
  let code: string | null = null;
  let failure: unknown = null;
  let left: readonly string[] = [];
  try {
    ({ left } = await scene.action(engine(faulty, 100)));
  } catch (error) {
    failure = error;
    code = codeOf(error);
  }
  const call = faulty.log.filter(({ operation }) => operation !== 'close')[at - 1];
  const where = `${scene.name}, call ${at} (${call?.operation} ${call?.path}), ${how.fail}${how.sticky ? ' from then on' : ''}: ${code ?? 'done'}`;
  const { tree } = treeOf(disk);
  if (code === null) expect(tell(tree, left), where).toBe(tell(ends.done, left));
  else {
    if (!couldNotBeRead(failure)) expect([...CODES], where).toContain(code);
    if (code !== 'PENDING') expect(tell(tree), where).toBe(tell(ends.old));
    else if (scene.name.startsWith('edit')) expectReport(failure as SavepointError, disk, tree, ends.old, where);
  }

  // The fault is gone: the next command needs no manual step, and cleans up.
  const next = engine(disk, 200);
  const isThere = start.lstat(ROOT) !== null;
  await (isThere ? next.checkpoint() : next.recover()).catch((error: unknown) => {
    throw new Error(`${where}; the next command: ${String(error)}`, { cause: error });
  });
  const after = treeOf(disk);
  expect(after.staging, where).toEqual([]);
  expect(journals(disk), where).toEqual([]);
  if (code === 'PENDING') {
    expect(sameTree(after.tree, ends.old) || sameTree(after.tree, ends.done), `${where}\n${tell(after.tree)}`).toBe(
      true,
    );
  } else expect(tell(after.tree), where).toBe(tell(tree));
  await verifyDeep(next);
}

/** If the capture before an operation cannot read something, its folder is kept, so nothing can replace the folder. */
function couldNotBeRead(failure: unknown): boolean {
  const error = failure as SavepointError;
  const paths = error.code === 'CONFLICT' ? error.data.paths : [];
  return paths.some(({ why }) => why.includes('it contains paths that were not captured (unreadable)'));
}

/** An edit that could not be rolled back is reported file by file, with what a person needs to repair it by hand. */
function expectReport(failure: SavepointError, disk: SimDisk, tree: Tree, old: Tree, where: string): void {
  // Before the commit point no file has changed.
  const { cause, paths = [] } = (failure as SavepointError<'PENDING'>).data;
  if (cause === undefined && tell(tree) === tell(old)) return;
  expect(paths.length, where).toBeGreaterThan(0);
  for (const { path: json, state, backup } of paths) {
    const path = String(json);
    const before = old.get(path);
    if (state === 'restored') expect(tree.get(path), `${where}: ${path}`).toBe(before);
    else if (state === 'not restored') expect(tree.get(path), `${where}: ${path}`).not.toBe(before);
    if (before === undefined || !before.startsWith('file')) continue;
    expect(backup, `${where}: ${path}`).toBeDefined();
    expect(before.endsWith(bytesOf(disk, backup as DiskPath).toString('latin1')), `${where}: ${path}`).toBe(true);
    seen.backups += 1;
  }
}

/** What has been checked so far. A sweep that never reaches it proves nothing. */
export const seen = { backups: 0 };

/** An operation died midway, and its recovery fails in turn. */
async function failRecovery(half: SimDisk, ends: Ends, at: number, how: (typeof FAILURES)[number], moment: number) {
  const disk = half.afterProcessDeath();
  const faulty = new FaultyFs(disk, { at, fault: how });
  let code: string | null = null;
  try {
    await engine(faulty, 200).recover();
  } catch (error) {
    code = codeOf(error);
  }
  const where = `died before call ${moment}; recovery, call ${at}, ${how.fail}${how.sticky ? ' from then on' : ''}: ${code ?? 'done'}`;
  const isEnd = (tree: Tree): boolean => sameTree(tree, ends.old) || sameTree(tree, ends.done);
  const reached = treeOf(disk).tree;
  // If a disk refuses everything from now on, the empty folder created for the workspace remains.
  const isLeftover = how.sticky && ends.old.size === 0 && reached.size === 1;
  if (code === null) expect(isEnd(reached) || isLeftover, `${where}\n${tell(reached)}`).toBe(true);
  else expect([...CODES], where).toContain(code);
  await engine(disk, 300)
    .recover()
    .catch((error: unknown) => {
      throw new Error(`${where}; the next recovery: ${String(error)}`, { cause: error });
    });
  const { tree, staging } = treeOf(disk);
  expect(isEnd(tree), `${where}\n${tell(tree)}`).toBe(true);
  expect(staging, where).toEqual([]);
  expect(journals(disk), where).toEqual([]);
  await verifyDeep(engine(disk, 400));
}

/** How many calls of an operation fail, and how many deaths are recovered from. */
export interface Thoroughness {
  readonly calls: number;
  /** Additional failures among the calls that change the user's files. */
  readonly ofFiles: number;
  readonly ways: 'one' | 'all';
  readonly deaths: number;
  /** One in this number of syncs fails. */
  readonly eachSync: number;
}

/** @returns the violations */
export async function failCalls(scene: Scene, random: SeededRandom, much: Thoroughness): Promise<readonly string[]> {
  const start = await prepared(scene);
  const { calls, ofFiles, ...ends } = await endsOf(scene, start);
  expect(calls).toBeGreaterThan(50);
  const found: string[] = [];
  for (const at of new Set([...random.sample(ofFiles, much.ofFiles), ...spread(calls, much.calls, random)])) {
    for (const how of much.ways === 'all' ? FAILURES : [random.pick(FAILURES)]) {
      await failAt(scene, start, ends, at, how).catch((error: Error) => found.push(error.message));
    }
  }
  return found;
}

/**
 * Makes each sync of an operation fail once in turn, and the last one of the workspace's folder repeatedly. Then the
 * power fails: the reported result must still be true. @returns the violations
 */
export async function failSyncs(
  scene: Scene,
  random: SeededRandom,
  { eachSync }: Thoroughness,
): Promise<readonly string[]> {
  const start = await prepared(scene);
  const ends = await endsOf(scene, start);
  const found: string[] = [];
  const isSync = ({ operation }: FsCall): boolean => operation === 'sync';
  const isOfRoot = (call: FsCall): boolean => isSync(call) && call.path === ROOT;
  let ofRoot = 0;
  const judge = async (at: number, counts: (call: FsCall) => boolean, sticky: boolean): Promise<boolean> => {
    const disk = start.afterProcessDeath();
    const faulty = new FaultyFs(disk, { at, fault: { fail: 'EIO', sticky }, counts });
    const code = await scene.action(engine(faulty, 100)).then(() => null, codeOf);
    const call = faulty.log.filter(counts)[at - 1];
    if (!faulty.hit) ofRoot = faulty.log.filter(isOfRoot).length;
    const how = `sync ${at}${sticky ? ' and those after it' : ''}`;
    const where = `${scene.name}, ${how} (${call?.path}): ${code ?? 'done'}, power cut`;
    const reported = code === null ? ends.done : treeOf(disk).tree;
    for (const state of disk.crashStates('any-subset', sticky ? 40 : 1, random)) {
      await (start.lstat(ROOT) === null ? engine(state, 200).recover() : engine(state, 200).checkpoint());
      const { tree, staging } = treeOf(state);
      const isReported = sameTree(tree, reported) || (code === 'PENDING' && sameTree(tree, ends.done));
      if (!isReported) found.push(`${where}\n${tell(tree)}`);
      if (staging.length + journals(state).length > 0) found.push(`${where}: something is left`);
      await verifyDeep(engine(state, 300));
    }
    return faulty.hit;
  };
  for (let at = 1; await judge(at, isSync, false); at += eachSync);
  if (ofRoot > 0) await judge(ofRoot, isOfRoot, true);
  return found;
}

/** @returns the violations */
export async function failRecoveries(
  scene: Scene,
  random: SeededRandom,
  much: Thoroughness,
): Promise<readonly string[]> {
  const start = await prepared(scene);
  const ends = await endsOf(scene, start);
  const found: string[] = [];
  const all = Array.from({ length: ends.calls }, (_, index) => index + 1);
  for (const moment of random.sample(all, much.deaths)) {
    const half = start.afterProcessDeath();
    const dying = new FaultyFs(half, { at: moment, fault: { die: dieByThrowing } });
    await scene.action(engine(dying, 100)).catch(() => undefined);
    const counting = new FaultyFs(half.afterProcessDeath());
    await engine(counting, 200).recover();
    for (const at of spread(counting.counted, much.calls / 4, random)) {
      const how = random.pick(FAILURES);
      await failRecovery(half, ends, at, how, moment).catch((error: Error) => found.push(error.message));
    }
  }
  return found;
}

/** About `most` numbers from 1 to `last`, evenly spread. */
function spread(last: number, most: number, random: SeededRandom): readonly number[] {
  const step = Math.max(1, Math.ceil(last / most));
  const numbers: number[] = [];
  for (let at = 1 + random.integer(step); at <= last; at += step) numbers.push(at);
  return numbers;
}
