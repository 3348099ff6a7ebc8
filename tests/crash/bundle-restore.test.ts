import { type DiskPath, SavepointError } from '@savepoint/core';
import { kindOf } from '@savepoint/core/ports';
import { FaultyFs, SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { bytesOf, engine, journals, put, ROOT, sameTree, type Tree, tell, treeOf, verifyDeep } from '../simulated.ts';
import { dieAt } from './die-at.ts';
import { putPackedRepository } from './packed-repository.ts';

/**
 * Restores a bundle. At the n-th call the system refuses, or the process dies and the power fails. The folder contains
 * everything or nothing, and repeating the command ends as if nothing had happened.
 * Another seed: SAVEPOINT_SEED=… npx vitest run tests/crash/bundle-restore.test.ts
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const REPLAY = `SAVEPOINT_SEED=${SEED}`;
const MOMENTS = testEffort({ quick: 8, ci: 80, long: 10_000 });
const DISKS = testEffort({ quick: 2, ci: 4, long: 40 });
const FIRST = '/bundles/first' as DiskPath;
const SECOND = '/bundles/second' as DiskPath;
/** Of a timeline with a repository. */
const CLONED = '/bundles/cloned' as DiskPath;

interface Scene {
  readonly name: string;
  readonly file: DiskPath;
  readonly ids: readonly string[];
  readonly overwrite?: true;
  readonly prepare: (disk: SimDisk) => Promise<void>;
}

const SCENES: readonly Scene[] = [
  { name: 'to a folder that is not there', file: FIRST, ids: ['cp_3', 'cp_2', 'cp_1'], prepare: async () => undefined },
  {
    name: 'to an empty folder',
    file: FIRST,
    ids: ['cp_3', 'cp_2', 'cp_1'],
    prepare: async (disk) => disk.makeFolder(ROOT, 0o755),
  },
  {
    name: 'to a folder that goes on',
    file: SECOND,
    ids: ['cp_5', 'cp_4', 'cp_3', 'cp_2', 'cp_1'],
    prepare: async (disk) => void (await engine(disk, 10).restoreBundle(FIRST, ROOT)),
  },
  {
    name: 'over a clone',
    file: CLONED,
    // Two of the bundle, those before and after the restore.
    ids: ['cp_4', 'cp_3', 'cp_2', 'cp_1'],
    overwrite: true,
    prepare: async (disk) => {
      putRepository(disk);
      put(disk, `${ROOT}/a.txt`, Buffer.from('changed in the clone\n'));
    },
  },
];

function putRepository(disk: SimDisk): void {
  const putIn = (path: string, content: Buffer): void => {
    const parents = path.split('/').slice(0, -1);
    for (const [at] of parents.entries()) {
      const folder = [ROOT, ...parents.slice(0, at + 1)].join('/') as DiskPath;
      if (disk.lstat(folder) === null) disk.makeFolder(folder, 0o755);
    }
    put(disk, `${ROOT}/${path}`, content);
  };
  disk.makeFolder(ROOT, 0o755);
  const commit = putPackedRepository(disk, ROOT, putIn);
  putIn('.git/refs/heads/main', Buffer.from(`${commit}\n`));
}

let cloned: Buffer | null = null;

/** A bundle of a timeline with a repository, created on another machine. */
async function bundleOfClone(): Promise<Buffer> {
  if (cloned !== null) return cloned;
  const disk = new SimDisk();
  disk.makeFolder('/bundles' as DiskPath, 0o755);
  putRepository(disk);
  const savepoint = engine(disk, 1);
  for (const n of [1, 2]) {
    put(disk, `${ROOT}/a.txt`, Buffer.from(`a ${n}\n`));
    put(disk, `${ROOT}/new-${n}`, Buffer.from(`new ${n}\n`));
    await savepoint.checkpoint();
  }
  await savepoint.createBundle(CLONED);
  cloned = bytesOf(disk, CLONED);
  return cloned;
}

/** Two bundles of a timeline, created on another machine. */
async function bundles(): Promise<readonly [Buffer, Buffer]> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  disk.makeFolder('/bundles' as DiskPath, 0o755);
  disk.makeFolder(`${ROOT}/src` as DiskPath, 0o750);
  disk.makeLink('src/a', `${ROOT}/link` as DiskPath);
  const savepoint = engine(disk, 1);
  for (let n = 1; n <= 5; n++) {
    put(disk, `${ROOT}/src/a`, Buffer.from(`a ${n}\n`));
    put(disk, `${ROOT}/new-${n}`, Buffer.from(`new ${n}\n`));
    if (n > 2) disk.unlink(`${ROOT}/new-${n - 2}` as DiskPath);
    await savepoint.checkpoint();
    if (n === 3) await savepoint.createBundle(FIRST);
  }
  await savepoint.createBundle(SECOND, { since: 'cp_3' });
  return [bytesOf(disk, FIRST), bytesOf(disk, SECOND)];
}

async function prepared(scene: Scene): Promise<SimDisk> {
  const [first, second] = await bundles();
  const disk = new SimDisk();
  disk.makeFolder('/bundles' as DiskPath, 0o755);
  put(disk, FIRST, first);
  put(disk, SECOND, second);
  put(disk, CLONED, await bundleOfClone());
  await scene.prepare(disk);
  disk.makeDurable();
  return disk;
}

const perform = (scene: Scene, pid: number) => (fs: ConstructorParameters<typeof FaultyFs>[0]) =>
  engine(fs, pid).restoreBundle(scene.file, ROOT, scene.overwrite === true ? { overwrite: true } : {});

/**
 * The folder is in its old or its new state, and repeating the command brings it to the new one, with all its
 * checkpoints.
 */
async function judge(scene: Scene, disk: SimDisk, old: Tree, done: Tree, where: string): Promise<void> {
  await perform(
    scene,
    200,
  )(disk).catch((error: unknown) => {
    throw new Error(`${where}; once more: ${String(error)}`, { cause: error });
  });
  const { tree, staging } = treeOf(disk);
  expect(tell(tree), where).toBe(tell(done));
  expect(staging, where).toEqual([]);
  expect(journals(disk), where).toEqual([]);
  const reader = engine(disk, 300);
  expect(
    (await reader.list()).checkpoints.map(({ id }) => id),
    where,
  ).toEqual(scene.ids);
  await verifyDeep(reader);
  const { moved, changed } = await reader.status();
  expect([moved, changed?.changes], where).toEqual([null, []]);
  expect(sameTree(old, done), where).toBe(false);
}

function moments(calls: number): readonly number[] {
  const random = seededRandom(SEED);
  return random.sample(
    Array.from({ length: calls }, (_, n) => n + 1),
    Math.min(MOMENTS, calls),
  );
}

describe.each(SCENES)('$name', (scene) => {
  it('a death or a power cut at any moment leaves all or nothing, and repeating the command completes it', async () => {
    const start = await prepared(scene);
    const old = treeOf(start).tree;
    const whole = start.afterProcessDeath();
    const before = whole.calls;
    await perform(scene, 100)(whole);
    const done = treeOf(whole).tree;
    const calls = whole.calls - before;
    const random = seededRandom(SEED);
    for (const at of moments(calls)) {
      const disk = start.afterProcessDeath();
      const hasDied = dieAt(disk, at);
      await perform(
        scene,
        100,
      )(disk).catch((error: unknown) => {
        if (!hasDied()) throw error;
      });
      disk.onCall = null;
      const where = `died before changing call ${at} of ${calls}; ${REPLAY}`;
      for (const state of disk.crashStates('any-subset', DISKS, random)) await judge(scene, state, old, done, where);
      await judge(scene, disk.afterProcessDeath(), old, done, where);
    }
  }, 3_600_000);

  it('a failing call leaves everything unchanged, or reports that it is pending', async () => {
    const start = await prepared(scene);
    const old = treeOf(start).tree;
    const counting = new FaultyFs(start.afterProcessDeath());
    await perform(scene, 100)(counting);
    const whole = start.afterProcessDeath();
    await perform(scene, 100)(whole);
    const done = treeOf(whole).tree;
    const random = seededRandom(SEED);
    for (const at of moments(counting.counted)) {
      const disk = start.afterProcessDeath();
      const sticky = random.integer(2) === 1;
      const fail = random.pick(['ENOSPC', 'EIO', 'EACCES']);
      const faulty = new FaultyFs(disk, { at, fault: { fail, sticky } });
      const error = await perform(
        scene,
        100,
      )(faulty).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      const call = faulty.log.filter(({ operation }) => operation !== 'close')[at - 1];
      const where = `call ${at} (${call?.operation} ${call?.path}), ${fail}${sticky ? ' from then on' : ''}; ${REPLAY}`;
      const { tree } = treeOf(disk);
      if (error === null) expect(tell(tree), where).toBe(tell(done));
      else {
        expect(error, where).toBeInstanceOf(SavepointError);
        const { code } = error as SavepointError;
        expect(code, `${where}: ${String(error)}`).toMatch(
          /^(IO|NO_SPACE|PENDING|PATH_REFUSED|CAPTURE_FAILED|STORE_DAMAGED|GIT_REFUSED)$/,
        );
        if (code !== 'PENDING' && !isMadeFolder(disk, old)) expect(tell(tree), `${where}: ${code}`).toBe(tell(old));
      }
      await judge(scene, disk, old, done, where);
    }
  }, 3_600_000);
});

/** If a disk refuses everything from now on, the empty folder created for the workspace remains. */
function isMadeFolder(disk: SimDisk, old: Tree): boolean {
  const stat = disk.lstat(ROOT);
  return old.size === 0 && stat !== null && kindOf(stat) === 'folder' && treeOf(disk).tree.size === 1;
}
