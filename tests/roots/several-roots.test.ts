import type { DiskPath, TreePath } from '@savepoint/core';
import { FaultyFs, SimDisk } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { failure } from '../../packages/core/test/failure.ts';
import { severalChanged, severalRoots } from '../crash/scenes.ts';
import { engine, ROOT, type Tree, tell, treeOf } from '../simulated.ts';

/** A workspace of three roots: its plain folder, the repository `app`, and `data`, a repository on its own disk. */

const DATA = `${ROOT}/data` as DiskPath;

function world(): SimDisk {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  return disk;
}

/** With cp_1, and later changes in every root. */
async function changed(): Promise<{ readonly disk: SimDisk; readonly first: Tree }> {
  const disk = world();
  await severalRoots(disk);
  const first = treeOf(disk).tree;
  severalChanged(disk);
  return { disk, first };
}

/** Wraps the disk so that the folder cannot be listed. */
function closed(disk: SimDisk, folder: string): FaultyFs {
  const counts = ({ operation, path }: { readonly operation: string; readonly path: string }): boolean =>
    operation === 'list' && path === `${ROOT}/${folder}`;
  return new FaultyFs(disk, { at: 1, fault: { fail: 'EACCES', sticky: true }, counts });
}

const only = (tree: Tree, root: string): string =>
  tell(new Map([...tree].filter(([path]) => path === root || path.startsWith(`${root}/`))));
const without = (tree: Tree, root: string): string =>
  tell(new Map([...tree].filter(([path]) => path !== root && !path.startsWith(`${root}/`))));

function put(disk: SimDisk, path: string, content: string): void {
  disk.now += 5_000;
  const file = disk.openNew(`${ROOT}/${path}` as DiskPath, 0o644);
  disk.write(file, Buffer.from(content), 0);
  disk.close(file);
}

describe('one checkpoint over all roots', () => {
  test('names each of them; a file system that is not a root is skipped and named', async () => {
    const disk = world();
    disk.makeFolder(`${ROOT}/scratch` as DiskPath, 0o755);
    disk.mountAt(`${ROOT}/scratch` as DiskPath);
    put(disk, 'scratch/x.txt', 'x\n');
    await severalRoots(disk);
    const [checkpoint] = (await engine(disk, 20).list()).checkpoints;
    expect(checkpoint?.roots.map(({ path, kind, branch, mount }) => [path, kind, branch, mount ?? false])).toEqual([
      ['', 'folder', null, false],
      ['app', 'repository', 'main', false],
      ['data', 'repository', 'main', true],
    ]);
    const { scan } = await engine(disk, 21).checkpoint();
    expect(scan.leftOut.map(({ path, skip }) => [path, skip.reason])).toEqual([['scratch', 'mount']]);
  });

  test('undo and redo cover all roots together', async () => {
    const { disk, first } = await changed();
    const second = treeOf(disk).tree;
    await engine(disk, 20).restore('cp_1');
    expect(tell(treeOf(disk).tree)).toBe(tell(first));
    await engine(disk, 21).undo();
    expect(tell(treeOf(disk).tree)).toBe(tell(second));
  });

  test('one root can be restored alone, without nested ones', async () => {
    for (const root of ['data', 'app']) {
      const { disk, first } = await changed();
      const before = treeOf(disk).tree;
      await engine(disk, 20).restore('cp_1', { root: root as TreePath });
      const { tree } = treeOf(disk);
      expect(only(tree, root)).toBe(only(first, root));
      expect(without(tree, root)).toBe(without(before, root));
    }
    const { disk, first } = await changed();
    const before = treeOf(disk).tree;
    await engine(disk, 20).restore('cp_1', { root: '' as TreePath });
    const { tree } = treeOf(disk);
    expect(tree.get('notes.txt')).toBe(first.get('notes.txt'));
    for (const root of ['app', 'data']) expect(only(tree, root)).toBe(only(before, root));
    const wrong = await failure(engine(disk, 21).restore('cp_1', { root: 'app/src' as TreePath }));
    expect([wrong.code, wrong.hint]).toEqual(['PATH_REFUSED', expect.stringContaining('. (the workspace), app, data')]);
  });
});

test('a rollback of one root leaves other and nested roots alone', async () => {
  const disk = world();
  await severalRoots(disk);
  const first = treeOf(disk).tree;
  const session = engine(disk, 20).session({ agent: 'mine', id: 's' });
  await session.call({ tool: 'sh', kind: 'shell' }, () => severalChanged(disk));
  const changed = treeOf(disk).tree;
  await engine(disk, 21).rollback({ session: 's', root: '' as TreePath }, { least: 'likely' });
  const { tree } = treeOf(disk);
  expect(tree.get('notes.txt')).toBe(first.get('notes.txt'));
  for (const root of ['app', 'data']) expect(only(tree, root)).toBe(only(changed, root));
  await engine(disk, 22).rollback({ root: 'data' as TreePath }, { least: 'likely' });
  const after = treeOf(disk).tree;
  expect([only(after, 'data'), only(after, 'app')]).toEqual([only(first, 'data'), only(changed, 'app')]);
  const unknown = await failure(engine(disk, 23).rollback({ root: 'app/src' as TreePath }, { least: 'likely' }));
  expect([unknown.code, unknown.message]).toEqual(['PATH_REFUSED', expect.stringContaining('is not a root')]);
});

test('contents in several roots are stored once', async () => {
  const disk = world();
  await severalRoots(disk);
  const before = (await engine(disk, 20).stats()).storage.packs;
  for (const root of ['', 'app/', 'data/']) put(disk, `${root}same.txt`, 'the same in all\n'.repeat(5_000));
  await engine(disk, 21).checkpoint();
  const { storage } = await engine(disk, 22).stats();
  // Stored three times, or uncompressed, it would be 80 kB or more.
  expect(storage.packs - before).toBeLessThan(10_000);
});

describe('a root that cannot be captured', () => {
  test('makes the checkpoint partial, with name and reason; the others are in it', async () => {
    const { disk } = await changed();
    const { checkpoint } = await engine(closed(disk, 'app'), 20).checkpoint();
    expect(checkpoint.partial).toEqual([{ path: 'app', skip: { reason: 'unreadable', code: 'EACCES' } }]);
    expect(checkpoint.roots.map(({ path, failed }) => [path, failed])).toEqual([
      ['', undefined],
      ['app', 'EACCES'],
      ['data', undefined],
    ]);
    expect(checkpoint.changes?.some(({ path }) => path.startsWith('app'))).toBe(false);
    expect(checkpoint.changes?.some(({ path }) => path.startsWith('data/'))).toBe(true);
  });

  test('a restore of it names what it would not touch, and requires --allow-partial', async () => {
    const { disk } = await changed();
    const partial = treeOf(disk).tree;
    await engine(closed(disk, 'app'), 20).checkpoint();
    await engine(disk, 21).restore('cp_1', { mode: 'exact' });
    const before = treeOf(disk).tree;
    const refused = await failure(engine(disk, 22).restore('cp_2'));
    expect([refused.code, refused.hint]).toEqual(['PATH_REFUSED', expect.stringContaining('--allow-partial')]);
    expect(refused.message).toContain('this root could not be captured in cp_2 (EACCES)');
    expect(tell(treeOf(disk).tree)).toBe(tell(before));

    const { plan } = await engine(disk, 23).restore('cp_2', { allowPartial: true });
    expect(plan.kept.map(({ path }) => path)).toContain('app');
    const { tree } = treeOf(disk);
    expect(without(tree, 'app')).toBe(without(partial, 'app'));
    expect(only(tree, 'app')).toBe(only(before, 'app'));
    // Another root needs no permission.
    await engine(disk, 24).restore('cp_2', { root: 'data' as TreePath });
  });

  test('a root that cannot be read now is left alone, with --allow-partial', async () => {
    const { disk, first } = await changed();
    const before = treeOf(disk).tree;
    expect((await failure(engine(closed(disk, 'app'), 20).restore('cp_1'))).code).toBe('PATH_REFUSED');
    expect(tell(treeOf(disk).tree)).toBe(tell(before));
    await engine(closed(disk, 'app'), 21).restore('cp_1', { allowPartial: true });
    const { tree } = treeOf(disk);
    expect(without(tree, 'app')).toBe(without(first, 'app'));
    expect(only(tree, 'app')).toBe(only(before, 'app'));
  });

  test('an unmounted disk is not treated as an empty folder', async () => {
    const { disk, first } = await changed();
    const mount = disk.unmount(DATA);
    for (const pid of [20, 21]) {
      const { checkpoint } = await engine(disk, pid).checkpoint();
      expect(checkpoint.roots).toContainEqual(expect.objectContaining({ path: 'data', mount: true, failed: 'ENODEV' }));
      expect(checkpoint.changes?.some(({ path }) => path.startsWith('data'))).toBe(false);
    }
    await engine(disk, 22).restore('cp_1', { allowPartial: true });
    expect(disk.list(DATA)).toEqual([]);
    mount();
    await engine(disk, 23).restore('cp_1');
    expect(tell(treeOf(disk).tree)).toBe(tell(first));
  });

  test('without any root that can be captured there is no checkpoint', async () => {
    const disk = world();
    await severalRoots(disk);
    disk.unlink(`${ROOT}/notes.txt` as DiskPath);
    await engine(disk, 20).checkpoint();
    const counts = ({ operation, path }: { readonly operation: string; readonly path: string }): boolean =>
      operation === 'list' && [`${ROOT}/app`, DATA].includes(path as DiskPath);
    const none = new FaultyFs(disk, { at: 1, fault: { fail: 'EIO', sticky: true }, counts });
    const error = await failure(engine(none, 21).checkpoint());
    expect([error.code, 'roots' in error.data && error.data.roots]).toEqual([
      'CAPTURE_FAILED',
      [
        { path: 'app', code: 'EIO' },
        { path: 'data', code: 'EIO' },
      ],
    ]);
    expect((await engine(disk, 22).list()).checkpoints.map(({ number }) => number)).toEqual([2, 1]);
  });
});
