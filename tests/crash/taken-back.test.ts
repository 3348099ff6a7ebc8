import type { DiskPath, SavepointError } from '@savepoint/core';
import { FaultyFs, type SimCall, type SimDisk, testEffort } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, engine, journals, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { prepared, SCENES, type Scene } from './scenes.ts';

/** An operation conflicts with another program's save and is rolled back, and meanwhile more goes wrong. */

interface Meeting {
  readonly scene: Scene;
  readonly paths: readonly [string, string];
}

const ACTIONS: readonly Meeting[] = [
  { scene: sceneOf('restore'), paths: ['a.txt', 'stays/in/changed.txt'] },
  { scene: sceneOf('edit of 20 files'), paths: ['src/d0/f0.txt', 'src/d1/f4.txt'] },
];

/** One path that the operation creates, and one that it removes. */
const COME_AND_GO: Meeting = { scene: sceneOf('restore'), paths: ['gone.txt', 'stays/new.txt'] };

function sceneOf(wanted: string): Scene {
  return SCENES.find(({ name }) => name === wanted) as Scene;
}

const EACH = testEffort({ quick: 30, ci: 3, long: 1 });

/** The result for a moved folder varies more from call to call than the other results. */
const EACH_MOVE = testEffort({ quick: 8, ci: 1, long: 1 });

const isOfFiles = ({ path }: SimCall): boolean => path.startsWith(`${ROOT}/`) && !path.includes('/.savepoint-');

/** Saves as editors do. */
function save(disk: SimDisk, path: string): void {
  const { onCall } = disk;
  disk.onCall = null;
  const file = disk.openNew('/theirs' as DiskPath, 0o644);
  disk.write(file, Buffer.from('theirs\n'), 0);
  disk.close(file);
  disk.rename('/theirs' as DiskPath, `${ROOT}/${path}` as DiskPath);
  disk.onCall = onCall;
}

async function callsOf(scene: Scene, start: SimDisk): Promise<readonly SimCall[]> {
  const disk = start.afterProcessDeath();
  const calls: SimCall[] = [];
  disk.onCall = (call) => calls.push(call);
  await scene.action(engine(disk, 100));
  return calls;
}

function named(failure: SavepointError | null): readonly string[] {
  const { paths = [] } = (failure as SavepointError<'PENDING'>).data;
  return paths.map(({ path }) => String(path));
}

/** Runs the scene's operation; `meddle` is called before each of its changing calls, with the call's number. */
async function during(
  scene: Scene,
  start: SimDisk,
  meddle: (disk: SimDisk, count: number, call: SimCall) => void,
): Promise<{ readonly disk: SimDisk; readonly failure: SavepointError | null }> {
  const disk = start.afterProcessDeath();
  let count = 0;
  disk.onCall = (call) => meddle(disk, ++count, call);
  const failure: SavepointError | null = await scene.action(engine(disk, 100)).then(
    () => null,
    (error) => error,
  );
  disk.onCall = null;
  return { disk, failure };
}

describe.each([...ACTIONS, COME_AND_GO])('$scene.name, $paths', ({ scene, paths }) => {
  it('files that two programs save at once stay, and each is named once', async () => {
    const start = await prepared(scene);
    const old = tell(treeOf(start).tree, paths);
    const calls = await callsOf(scene, start);
    const committed = calls.findIndex(({ operation, path }) => operation === 'rename' && path.endsWith('.json'));
    // A save after the last check, just before the operation is reported as done, is a change like any other.
    const looked = calls.findLastIndex((call) => isOfFiles(call) && call.operation !== 'sync');
    expect(looked).toBeGreaterThan(committed);
    for (let at = committed + 2; at <= looked; at += EACH) {
      const { disk, failure } = await during(scene, start, (of, count) => {
        if (count === at) for (const path of paths) save(of, path);
      });
      const where = `saved before call ${at}: ${calls[at - 1]?.operation} ${calls[at - 1]?.path}`;
      expect(failure?.code, where).toBe('CONFLICT');
      expect(
        named(failure)
          .filter((path) => paths.includes(path))
          .sort(),
        where,
      ).toEqual([...paths].sort());
      const { tree } = treeOf(disk);
      for (const path of paths) expect(tree.get(path), where).toBe('file 644 theirs\n');
      expect(tell(tree, paths), where).toBe(old);
    }
  }, 600_000);

  it('a file that is saved during the rollback keeps its name', async () => {
    const start = await prepared(scene);
    const [first, second] = paths;
    const calls = await callsOf(scene, start);
    const looked = calls.findLastIndex((call) => isOfFiles(call) && call.operation !== 'sync');
    const meanwhile: number[] = [];
    await during(scene, start, (disk, count, { path, operation }) => {
      if (count === looked) save(disk, first);
      if (count > looked && operation === 'rename' && path.includes('/new/')) meanwhile.push(count);
    });
    for (const at of meanwhile) {
      const { disk, failure } = await during(scene, start, (of, count) => {
        if (count === looked) save(of, first);
        if (count === at) save(of, second);
      });
      expect(failure?.code).toBe('CONFLICT');
      for (const path of paths)
        expect(treeOf(disk).tree.get(path), `saved before call ${at}`).toBe('file 644 theirs\n');
    }
    expect(meanwhile.length).toBeGreaterThan(0);
  }, 600_000);
});

it('if a folder is moved away meanwhile, its changed files are named', async () => {
  const scene = sceneOf('restore');
  const start = await prepared(scene);
  const old = treeOf(start).tree;
  const calls = await callsOf(scene, start);
  const looked = calls.findLastIndex((call) => isOfFiles(call) && call.operation !== 'sync');
  let others = 0;
  for (let at = looked + 1, isOver = false; !isOver; at += EACH_MOVE) {
    isOver = true;
    const { disk, failure } = await during(scene, start, (of, count) => {
      if (count === looked) save(of, 'a.txt');
      if (count !== at) return;
      isOver = false;
      const { onCall } = of;
      of.onCall = null;
      of.rename(`${ROOT}/stays` as DiskPath, `${ROOT}/elsewhere` as DiskPath);
      of.onCall = onCall;
    });
    if (isOver) break;
    expect(['CONFLICT', 'PENDING']).toContain(failure?.code);
    const { tree } = treeOf(disk);
    const left = [...old.keys()].filter((path) => {
      const now = tree.get(path.replace(/^stays(?=$|\/)/, 'elsewhere'));
      return path.startsWith('stays/') && now !== old.get(path) && tree.get(path) !== old.get(path);
    });
    others += left.length;
    for (const path of left) expect(named(failure), `moved before call ${at}`).toContain(path);
  }
  expect(others).toBeGreaterThan(0);
}, 600_000);

describe.each(ACTIONS)('$scene.name', ({ scene, paths }) => {
  it('a failing call is retried; nothing is left, and nothing reappears', async () => {
    const start = await prepared(scene);
    const [path] = paths;
    const old = tell(treeOf(start).tree, [path]);
    const calls = await callsOf(scene, start);
    const placed = calls.findLastIndex((call) => isOfFiles(call) && call.operation === 'hardLink');
    for (let at = 1, isOver = false; !isOver; at += EACH) {
      const disk = start.afterProcessDeath();
      let count = 0;
      disk.onCall = () => {
        if (++count === placed + 2) save(disk, path);
      };
      const counts = ({ changes }: { readonly changes: boolean }): boolean => changes && count > placed + 2;
      const faulty = new FaultyFs(disk, { at, fault: { fail: 'EIO' }, counts });
      const code = await scene.action(engine(faulty, 100)).then(() => null, codeOf);
      disk.onCall = null;
      isOver = !faulty.hit;
      const where = `failed: ${faulty.log.at(-1)?.operation}, the ${at}th call after the save`;
      // If a call fails before the save is noticed, that failure is the reason for the rollback.
      expect(['CONFLICT', 'IO'], where).toContain(code);
      expect(tell(treeOf(disk).tree, [path]), where).toBe(old);
      expect(treeOf(disk).tree.get(path), where).toBe('file 644 theirs\n');
      await engine(disk, 200).checkpoint();
      expect(tell(treeOf(disk).tree, [path]), where).toBe(old);
      expect([...treeOf(disk).staging, ...journals(disk)], where).toEqual([]);
      await verifyDeep(engine(disk, 300));
    }
  }, 600_000);
});
