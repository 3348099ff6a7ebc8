import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { VERBS } from '@savepoint/core/frontend';
import { git } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { VerbsWorld } from './verbs-world.ts';

const { checkpoint, diff, list, show, status, verify, workspaces } = VERBS;

describe('before the first checkpoint', () => {
  it('status, list and workspaces return results; other verbs report that there is no checkpoint', async () => {
    const w = new VerbsWorld();
    expect(await w.call(status, {})).toMatchObject({ workspace: null, last: null, checkpoints: 0 });
    expect(await w.call(list, {})).toEqual({
      checkpoints: [],
      turns: [],
      current: null,
      sameFiles: [],
      folded: [],
      hidden: 0,
      damaged: [],
      rootChanges: [],
      pinned: [],
      checks: [],
      notHappened: null,
      more: false,
      next: null,
    });
    expect(await w.call(workspaces, {})).toEqual({ workspaces: [], problems: [] });
    await expect(w.call(show, { checkpoint: 'last' })).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    await expect(w.call(diff, {})).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    await expect(w.call(verify, {})).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  });

  it('a missing folder is an error, not an empty result', async () => {
    const w = new VerbsWorld();
    for (const verb of [status, list]) {
      const failed = w.call(verb, {}, w.open('no-such-folder'));
      await expect(failed).rejects.toMatchObject({ code: 'NO_WORKSPACE', data: { exists: false } });
    }
  });
});

describe('checkpoint and show', () => {
  it('contain actor, time, description, roots and test result', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', 'one\n');
    w.write('b.txt', 'b\n', 0o600);
    git(w.dir, 'init', '-q', '-b', 'main');
    git(w.dir, 'add', '-A');
    git(w.dir, 'commit', '-q', '-m', 'first');
    const head = git(w.dir, 'rev-parse', 'HEAD').trim();
    await w.call(checkpoint, {});
    w.write('a.txt', 'two\nthree\n');
    w.delete('b.txt');
    const taken = await w.call(checkpoint, { message: 'mine', testResult: 'fail' });
    expect(taken.pending).toBeNull();
    const shown = await w.call(show, { checkpoint: 'last' });
    expect(shown).toMatchObject({
      id: 'cp_2',
      number: 2,
      previous: 'cp_1',
      description: 'mine',
      testResult: 'fail',
      trigger: 'manual',
      actor: { kind: 'user', name: 'user', version: null },
      roots: [{ path: '', kind: 'repository', branch: 'main', commit: head, operation: null }],
      totals: { files: 2, added: 2, removed: 2 },
      partial: [],
      unsettled: [],
    });
    expect(shown.changes?.map(({ path, operation }) => [path, operation])).toEqual([
      ['a.txt', 'write'],
      ['b.txt', 'delete'],
    ]);
    expect(shown.changes?.[1]?.before).toMatchObject({ kind: 'file', mode: '0600' });
    expect(Math.abs(Date.parse(shown.time) - Date.now())).toBeLessThan(60_000);
    expect(taken.checkpoint).toEqual({
      ...shown,
      changes: undefined,
      checks: undefined,
      rootChanges: undefined,
      patch: undefined,
    });
  });

  it('a blank message is ignored', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', 'a\n');
    expect((await w.call(checkpoint, { message: ' \n' })).checkpoint.description).toMatch(/^first checkpoint: 1 file/);
  });

  it('names files skipped for their size, kind or name, and not ignored ones', async () => {
    const w = new VerbsWorld();
    git(w.dir, 'init', '-q');
    w.write('.gitignore', '*.log\n');
    for (const name of ['large.bin', 'large.log']) {
      writeFileSync(w.at(name), '');
      rmSync(w.at(name));
      writeFileSync(w.at(name), Buffer.alloc(51 * 1024 * 1024));
    }
    mkdirSync(w.at('git~1'));
    const { capture } = await w.call(checkpoint, {});
    expect(capture.leftOut).toEqual([
      { path: 'git~1', reason: 'name', size: null, code: null },
      { path: 'large.bin', reason: 'too-large', size: 51 * 1024 * 1024, code: null },
    ]);
  });
});

describe('list', () => {
  it('returns the newest first, up to the requested number, and says whether there are older ones', async () => {
    const w = new VerbsWorld();
    for (let i = 1; i <= 5; i++) {
      w.write('a.txt', `${i}\n`);
      await w.call(checkpoint, { message: `number ${i}` });
    }
    const ids = async (input: { limit?: number; before?: string }): Promise<unknown> => {
      const { checkpoints, more } = await w.call(list, input);
      return [checkpoints.map(({ id }) => id), more];
    };
    expect(await ids({})).toEqual([['cp_5', 'cp_4', 'cp_3', 'cp_2', 'cp_1'], false]);
    expect(await ids({ limit: 5 })).toEqual([['cp_5', 'cp_4', 'cp_3', 'cp_2', 'cp_1'], false]);
    expect(await ids({ limit: 2 })).toEqual([['cp_5', 'cp_4'], true]);
    expect(await ids({ limit: 2, before: 'cp_3' })).toEqual([['cp_2', 'cp_1'], false]);
    expect(await ids({ before: 'cp_1' })).toEqual([[], false]);
  });
});

describe('status', () => {
  it('reports changes, what undo and redo would do, and a folder that moved or is missing', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', 'a\n');
    await w.call(checkpoint, {});
    expect(await w.call(status, {})).toMatchObject({
      changed: { changes: [] },
      undo: null,
      redo: null,
      recordsAgents: true,
      missing: false,
    });
    w.write('a.txt', 'b\n');
    await w.call(VERBS.restore, { checkpoint: 'cp_1' });
    expect(await w.call(status, {})).toMatchObject({ undo: { id: 'cp_3', description: 'Restored cp_1' }, redo: null });
    await w.call(VERBS.undo, {});
    w.write('c.txt', 'c\n');
    const seen = await w.call(status, {});
    expect(seen).toMatchObject({ undo: null, redo: { id: 'cp_4' }, checkpoints: 4 });
    expect(seen.changed?.changes).toMatchObject([{ path: 'c.txt', operation: 'create', added: 1, removed: 0 }]);
    renameSync(w.dir, `${w.dir}-away`);
    expect(await w.call(status, {})).toMatchObject({ missing: true, changed: null, last: { id: 'cp_4' } });
    mkdirSync(w.dir);
    expect(await w.call(status, {})).toMatchObject({ missing: false, moved: 'made-anew' });
  });
});

describe('diff', () => {
  it('compares the last checkpoint with the folder, one with the folder, and two with each other', async () => {
    const w = new VerbsWorld();
    w.write('a.txt', '1\n');
    await w.call(checkpoint, {});
    w.write('a.txt', '2\n');
    w.write('dir/b.txt', 'b\n');
    await w.call(checkpoint, {});
    chmodSync(w.at('a.txt'), 0o755);
    symlinkSync('a.txt', w.at('link'));
    const paths = async (input: Parameters<typeof diff.handle>[1]): Promise<unknown> =>
      (await w.call(diff, input)).changes.map(({ path, operation }) => `${operation} ${path}`);
    expect(await paths({})).toEqual(['mode a.txt', 'create link']);
    expect(await paths({ from: 'cp_1' })).toEqual(['write a.txt', 'create dir/b.txt', 'create link']);
    expect(await paths({ from: 'cp_1', to: 'cp_2' })).toEqual(['write a.txt', 'create dir/b.txt']);
    expect(await paths({ from: 'cp_2', to: 'cp_1' })).toEqual(['write a.txt', 'delete dir/b.txt']);
    expect(await paths({ from: 'cp_1', paths: ['dir'] })).toEqual(['create dir/b.txt']);
    const { patch } = await w.call(diff, { from: 'cp_1', to: 'cp_2', patch: true, paths: ['a.txt'] });
    expect(patch?.text).toContain('-1\n+2\n');
    expect(patch?.gaps).toEqual([]);
  });
});

describe('roots that are added, removed and moved', () => {
  it('are reported by show, list and diff, and a restore keeps a repository that the checkpoint does not have', async () => {
    const w = new VerbsWorld();
    const init = (folder: string): string => {
      w.write(`${folder}/f.txt`, `${folder}\n`);
      git(w.at(folder), 'init', '-q', '-b', 'main');
      git(w.at(folder), 'add', '-A');
      git(w.at(folder), 'commit', '-q', '-m', 'first');
      return git(w.at(folder), 'rev-parse', 'HEAD').trim();
    };
    init('stays');
    init('goes');
    await w.call(checkpoint, {});
    git(w.at('stays'), 'checkout', '-q', '-b', 'side');
    rmSync(w.at('goes'), { recursive: true });
    const commit = init('comes');
    const expected = [
      { path: 'comes', what: 'appeared', before: null, after: { branch: 'main', commit } },
      { path: 'goes', what: 'vanished', before: { branch: 'main' }, after: null },
      { path: 'stays', what: 'moved', before: { branch: 'main' }, after: { branch: 'side' } },
    ];
    expect((await w.call(diff, {})).rootChanges).toMatchObject(expected);
    await w.call(checkpoint, {});
    expect((await w.call(show, { checkpoint: 'cp_2' })).rootChanges).toMatchObject(expected);
    expect((await w.call(show, { checkpoint: 'cp_1' })).rootChanges).toEqual([]);
    expect((await w.call(list, {})).rootChanges).toMatchObject([{ id: 'cp_2', changes: expected }]);
    expect((await w.call(diff, { from: 'cp_2', to: 'cp_1' })).rootChanges.map(({ what }) => what)).toEqual([
      'vanished',
      'appeared',
      'moved',
    ]);
    const restored = await w.call(VERBS.restore, { checkpoint: 'cp_1' });
    expect(restored.plan.kept.map(({ path }) => path)).toContain('comes/f.txt');
    expect(git(w.at('comes'), 'status', '--porcelain')).toBe('');
    expect(restored.repositoriesGone).toEqual(['goes']);
  });
});
