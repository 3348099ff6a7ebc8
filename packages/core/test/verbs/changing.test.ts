import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { VERBS } from '@savepoint/core/frontend';
import { git, manifest } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { VerbsWorld } from './verbs-world.ts';

const { checkpoint, gc, linkWorkspace, recover, redo, restore, undo, verify, workspaces } = VERBS;

describe('restore', () => {
  it('a dry run shows what would happen and changes nothing; the same plan is then applied', async () => {
    const w = new VerbsWorld();
    w.write('changed.txt', '1\n');
    w.write('deleted.txt', 'd\n');
    await w.call(checkpoint, {});
    w.write('changed.txt', '2\n');
    w.delete('deleted.txt');
    w.write('new.txt', 'n\n');
    const before = manifest(w.dir);
    const preview = await w.call(restore, { checkpoint: 'last', dryRun: true });
    expect(preview).toMatchObject({ outcome: 'ready', dryRun: true, before: null, checkpoint: null });
    expect(preview.plan.paths.map(({ path, operation }) => `${operation} ${path}`)).toEqual([
      'write changed.txt',
      'create deleted.txt',
      'delete new.txt',
    ]);
    expect(manifest(w.dir)).toEqual(before);
    const done = await w.call(restore, { checkpoint: 'last', expected: preview.fingerprint });
    expect(done).toMatchObject({ outcome: 'done', dryRun: false, before: { id: 'cp_2' }, checkpoint: { id: 'cp_3' } });
    expect(done.plan).toEqual(preview.plan);
    expect(done.target.id).toBe('cp_1');
    const again = await w.call(restore, { checkpoint: 'cp_1' });
    expect(again).toMatchObject({ outcome: 'nothing', checkpoint: null });
  });

  it('applies only the confirmed plan', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', '1\n');
    await w.call(checkpoint, {});
    w.write('a.txt', '2\n');
    const { fingerprint } = await w.call(restore, { checkpoint: 'last', dryRun: true });
    w.write('a.txt', '3\n');
    const late = w.call(restore, { checkpoint: 'cp_1', expected: fingerprint });
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('3\n');
  });

  it('from a subfolder restores that folder, paths relative to it, or everything on request', async () => {
    const w = new VerbsWorld();
    for (const file of ['a.txt', 'sub/b.txt', 'sub/deep/c.txt']) w.write(file, '1\n');
    await w.call(checkpoint, {});
    for (const file of ['a.txt', 'sub/b.txt', 'sub/deep/c.txt']) w.write(file, '2\n');
    const sub = w.open('sub');
    const paths = async (input: object): Promise<unknown> => {
      const preview = await w.call(restore, { checkpoint: 'cp_1', dryRun: true, ...input }, sub);
      return preview.plan.paths.map(({ path }) => path);
    };
    expect(await paths({})).toEqual(['sub/b.txt', 'sub/deep/c.txt']);
    expect(await paths({ paths: ['deep'] })).toEqual(['sub/deep/c.txt']);
    expect(await paths({ paths: ['../a.txt'] })).toEqual(['a.txt']);
    expect(await paths({ all: true })).toEqual(['a.txt', 'sub/b.txt', 'sub/deep/c.txt']);
    await expect(paths({ all: true, paths: ['deep'] })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(paths({ paths: ['nowhere'] })).rejects.toMatchObject({
      code: 'PATH_REFUSED',
      data: { path: 'sub/nowhere' },
    });
  });

  it('says that HEAD stays if it moved since, and that a missing .git is not restored', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', '1\n');
    w.write('inner/b.txt', 'b\n');
    for (const [folder, file] of [
      [w.dir, 'a.txt'],
      [w.at('inner'), 'b.txt'],
    ] as const) {
      git(folder, 'init', '-q', '-b', 'main');
      git(folder, 'add', file);
      git(folder, 'commit', '-q', '-m', 'first');
    }
    await w.call(checkpoint, {});
    git(w.dir, 'checkout', '-q', '-b', 'feature');
    rmSync(w.at('inner/.git'), { recursive: true });
    w.write('a.txt', '2\n');
    const { headMoved, repositoriesGone } = await w.call(restore, { checkpoint: 'last', dryRun: true });
    expect(headMoved).toMatchObject([{ path: '', before: { branch: 'main' }, now: { branch: 'feature' } }]);
    expect(repositoriesGone).toEqual(['inner']);
    const scoped = await w.call(restore, { checkpoint: 'cp_1', dryRun: true, paths: ['a.txt'] });
    expect(scoped.repositoriesGone).toEqual([]);
  });
});

describe('undo and redo', () => {
  it('name the operation that they invert; a dry run changes nothing and predicts conflicts', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', '1\n');
    await w.call(checkpoint, {});
    w.write('a.txt', '2\n');
    await w.call(restore, { checkpoint: 'cp_1' });
    expect(await w.call(undo, { dryRun: true })).toMatchObject({ outcome: 'ready', undoes: 'cp_3', checkpoint: null });
    w.write('a.txt', '3\n');
    expect(await w.call(undo, { dryRun: true })).toMatchObject({
      outcome: 'conflict',
      plan: { conflicts: [{ path: 'a.txt' }] },
    });
    await expect(w.call(undo, {})).rejects.toMatchObject({ code: 'CONFLICT', data: { paths: [{ path: 'a.txt' }] } });
    w.write('a.txt', '1\n');
    expect(await w.call(undo, {})).toMatchObject({
      outcome: 'done',
      undoes: 'cp_3',
      description: 'Undid cp_3 (Restored cp_1)',
    });
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('2\n');
    expect(await w.call(redo, {})).toMatchObject({ outcome: 'done', description: 'Redid cp_3 (Restored cp_1)' });
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('1\n');
  });

  it('an undo with nothing to change is recorded, and the next one undoes the operation before', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', '1\n');
    await w.call(checkpoint, {});
    w.write('a.txt', '2\n');
    await w.call(checkpoint, {});
    await w.call(restore, { checkpoint: 'cp_1' });
    await w.call(restore, { checkpoint: 'cp_2' });
    w.write('a.txt', '1\n');
    const first = await w.call(undo, {});
    expect(first).toMatchObject({ outcome: 'done', undoes: 'cp_4', plan: { paths: [] } });
    const second = await w.call(undo, {});
    expect(second.undoes).toBe('cp_3');
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('2\n');
  });
});

describe('the store', () => {
  it('verify, recover, gc and workspaces return their documented shapes', async () => {
    const w = new VerbsWorld();
    for (let i = 0; i < 4; i++) {
      w.write('a.txt', `${i}\n`);
      await w.call(checkpoint, {});
    }
    expect(await w.call(verify, { deep: true })).toEqual({ deep: true, checkpoints: 4, sound: 4, damage: [] });
    expect(await w.call(recover, {})).toEqual({ settled: [], waiting: [] });
    const cleaned = await w.call(gc, { maxCheckpoints: 2, keepAtLeast: 1 });
    expect(cleaned.kept).toBeLessThan(4);
    expect([...cleaned.dropped, ...Array.from({ length: cleaned.kept })].length).toBe(4);
    const found = await w.call(workspaces, {});
    expect(found.workspaces).toMatchObject([{ path: w.dir, present: true }]);
  });

  it('workspace link gives a folder the checkpoints of a missing path', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', 'a\n');
    await w.call(checkpoint, {});
    const copy = `${w.dir}-copy`;
    mkdirSync(copy, { mode: 0o700 });
    renameSync(w.dir, `${w.dir}-lost`);
    rmSync(`${w.dir}-lost`, { recursive: true });
    const linked = await w.call(linkWorkspace, { from: `${w.dir}/` }, w.openAt(copy));
    expect(linked.path).toBe(copy);
    const done = await w.call(restore, { checkpoint: 'last' }, w.openAt(copy));
    expect(done.outcome).toBe('done');
    expect(readFileSync(`${copy}/a.txt`, 'utf8')).toBe('a\n');
  });
});
