import type { DiskPath, Edit, Savepoint, TreePath } from '@savepoint/core';
import { ProcessDied, type SimDisk, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { failure } from '../../packages/core/test/failure.ts';
import { engine, journals, ROOT, type Tree, tell, treeOf, verifyDeep } from '../simulated.ts';
import { prepared, SCENES, type Scene } from './scenes.ts';

/**
 * A process dies during a restore of three roots. At the next command, the file system of one root is not mounted.
 * Tests what is possible until then, and what happens when it is mounted again.
 */

const scene = SCENES.find(({ name }) => name.startsWith('restore of three roots')) as Scene;
/** Only every n-th call is tested. */
const EACH = testEffort({ quick: 9, ci: 1, long: 1 });
const DATA = `${ROOT}/data` as DiskPath;

interface Half {
  readonly disk: SimDisk;
  readonly old: Tree;
  readonly done: Tree;
  readonly mount: () => void;
}

/** Yields a disk for each call at which the process can die while its journal exists and its checkpoint does not. */
async function* halves(): AsyncGenerator<Half> {
  const start = await prepared(scene);
  const whole = start.afterProcessDeath();
  await scene.action(engine(whole, 100));
  for (let at = 1; ; at += EACH) {
    const disk = start.afterProcessDeath();
    let calls = 0;
    let died = false;
    disk.onCall = () => {
      calls += 1;
      if (calls < at) return;
      died = true;
      throw new ProcessDied();
    };
    await scene.action(engine(disk, 100)).catch((error: unknown) => {
      if (!died) throw error;
    });
    if (!died) return;
    disk.onCall = null;
    if (!journals(disk).some((name) => name.endsWith('.json'))) continue;
    if ((await numbersOf(disk)).length > 2) continue;
    const next = disk.afterProcessDeath();
    yield { disk: next, old: treeOf(start).tree, done: treeOf(whole).tree, mount: next.unmount(DATA) };
  }
}

async function numbersOf(disk: SimDisk): Promise<readonly number[]> {
  return (await engine(disk, 300).list()).checkpoints.map(({ number }) => number);
}

const make = (savepoint: Savepoint, path: string): Promise<unknown> =>
  write(savepoint, path, { op: 'write', content: 'later\n', exact: false });

function write(savepoint: Savepoint, path: string, edit: Edit): Promise<unknown> {
  const tree = path as TreePath;
  return savepoint.edit([{ given: path, path: tree, edits: [edit], expectedHash: null, force: false }]);
}

const below = (tree: Tree, root: string): string =>
  tell(new Map([...tree].filter(([path]) => path === root || path.startsWith(`${root}/`))));
const without = (tree: Tree, ...roots: readonly string[]): string =>
  tell(new Map([...tree].filter(([path]) => !roots.some((root) => path === root || path.startsWith(`${root}/`)))));

describe('a root that is missing during recovery', () => {
  test('keeps the operation pending, blocks only its paths and no captures; once it is back, all is old or all new', async () => {
    let seen = 0;
    for await (const { disk, old, done, mount } of halves()) {
      seen += 1;
      const { pending, checkpoint } = await engine(disk, 200).checkpoint();
      expect(pending?.data).toMatchObject({ why: 'root-missing', roots: ['data'] });
      expect(checkpoint.roots).toContainEqual(expect.objectContaining({ path: 'data', failed: 'ENODEV' }));
      expect((await engine(disk, 201).status()).pending).toHaveLength(1);

      await make(engine(disk, 202), 'elsewhere/made.txt');
      for (const path of ['notes.txt', 'data/made.txt', 'app/src/gone.txt']) {
        const before = tell(treeOf(disk).tree);
        const error = await failure(make(engine(disk, 203), path));
        expect(error, path).toMatchObject({ code: 'PENDING', data: { why: 'root-missing' } });
        expect(tell(treeOf(disk).tree)).toBe(before);
      }
      expect((await failure(engine(disk, 204).gc())).code).toBe('PENDING');

      mount();
      const { pending: left } = await engine(disk, 205).checkpoint();
      expect(left).toBeNull();
      const { tree, staging } = treeOf(disk);
      expect([without(old, 'elsewhere'), without(done, 'elsewhere')]).toContain(without(tree, 'elsewhere'));
      expect(tree.get('elsewhere/made.txt')).toMatch(/later/);
      expect([staging, journals(disk)]).toEqual([[], []]);
      await verifyDeep(engine(disk, 206));
    }
    expect(seen).toBeGreaterThan(20 / EACH);
  });

  test('after rolling back, only its own paths stay pending, and are recovered when it is back', async () => {
    let seen = 0;
    for await (const { disk, old, mount } of halves()) {
      seen += 1;
      const { recovered, waiting } = await engine(disk, 200).recover({ decision: 'back' });
      expect(recovered.map(({ direction }) => direction)).toEqual(['back']);
      expect(waiting.map(({ missing }) => missing.map(({ path }) => path))).toEqual([['data']]);
      expect(without(treeOf(disk).tree, 'data')).toBe(without(old, 'data'));

      await make(engine(disk, 201), 'notes.txt');
      expect((await failure(make(engine(disk, 202), 'data/b.txt'))).code).toBe('PENDING');

      mount();
      expect((await engine(disk, 203).checkpoint()).pending).toBeNull();
      const { tree, staging } = treeOf(disk);
      expect(below(tree, 'data')).toBe(below(old, 'data'));
      expect(without(tree, 'data', 'notes.txt')).toBe(without(old, 'data', 'notes.txt'));
      expect(tree.get('notes.txt')).toMatch(/later/);
      expect([staging, journals(disk)]).toEqual([[], []]);
    }
    expect(seen).toBeGreaterThan(20 / EACH);
  });

  test('can be abandoned by a second confirmation; its contents are in the checkpoints', async () => {
    for await (const { disk, old, mount } of halves()) {
      await engine(disk, 200).recover({ decision: 'back' });
      const { recovered, waiting } = await engine(disk, 201).recover({ decision: 'back' });
      expect([recovered.length, waiting.length]).toEqual([1, 0]);
      expect((await engine(disk, 202).status()).pending).toEqual([]);

      mount();
      await engine(disk, 203).restore('cp_2', { mode: 'exact' });
      const { tree, staging } = treeOf(disk);
      expect(tell(tree)).toBe(tell(old));
      expect([staging, journals(disk)]).toEqual([[], []]);
      return;
    }
    expect.fail('it never died half done');
  });
});
