import { readFileSync, truncateSync } from 'node:fs';
import type { TreePath } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { describe, expect, it } from 'vitest';
import { DamagedWorld, replaceFile } from '../damaged-store.ts';

/** Damage in the newest checkpoint: captures and restores of something else go on, and intact files are stored again. */

async function twoCheckpoints(): Promise<DamagedWorld> {
  const w = new DamagedWorld();
  w.write('a.md', 'one\n'.repeat(20));
  w.write('b.md', 'b one\n');
  w.write('deep/c.md', 'c one\n', 0o600);
  w.write('deep/still.md', 'still\n');
  await w.open().checkpoint();
  w.write('a.md', 'two\n'.repeat(20));
  w.write('deep/c.md', 'c two\n', 0o600);
  await w.open().checkpoint();
  return w;
}

/** What to damage of `cp_2`. */
const DAMAGES: Readonly<Record<string, (w: DamagedWorld) => void>> = {
  'a blob': (w) => w.damageObject(w.idOf('refs/savepoint/cp/2:files/a.md')),
  'the top tree': (w) => w.damageObject(w.idOf('refs/savepoint/cp/2:files')),
  'a tree': (w) => w.damageObject(w.idOf('refs/savepoint/cp/2:files/deep')),
  'a side tree': (w) => w.damageObject(w.idOf('refs/savepoint/cp/2:side/deep')),
  'a side blob': (w) => w.damageObject(w.idOf('refs/savepoint/cp/2:side/deep/%')),
  'the record': (w) => w.damageObject(w.idOf('refs/savepoint/cp/2:checkpoint.json')),
  'the commit': (w) => w.damageObject(w.idOf('refs/savepoint/cp/2')),
  'the index of the pack': (w) =>
    replaceFile(w.packOf(w.idOf('refs/savepoint/cp/2')).replace(/\.pack$/, '.idx'), 'nothing'),
  'the pack, cut off in its first object': (w) => truncateSync(w.packOf(w.idOf('refs/savepoint/cp/2')), 20),
  'the pack, empty': (w) => truncateSync(w.packOf(w.idOf('refs/savepoint/cp/2')), 0),
};

describe.each(Object.entries(DAMAGES))('with %s of the newest checkpoint damaged', (_, damage) => {
  it('a checkpoint after changes is taken, and what the folder still has is stored again', async () => {
    const w = await twoCheckpoints();
    damage(w);
    w.write('a.md', 'three\n'.repeat(20));
    w.write('deep/c.md', 'c three\n', 0o600);
    const { checkpoint } = await w.open().checkpoint();
    expect(checkpoint.id).toBe('cp_3');
    const { damage: found } = await w.open().verify({ deep: true });
    expect(found.flatMap(({ checkpoints }) => checkpoints)).not.toContain('cp_3');
    w.write('a.md', 'four\n');
    w.delete('deep');
    await w.open().restore('cp_3');
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe('three\n'.repeat(20));
    expect(readFileSync(w.at('deep/c.md'), 'utf8')).toBe('c three\n');
    expect(readFileSync(w.at('deep/still.md'), 'utf8')).toBe('still\n');
  });

  it('an older checkpoint is restored, and the restore can be undone', async () => {
    const w = await twoCheckpoints();
    damage(w);
    await w.open().previewRestore('cp_1');
    await w.open().restore('cp_1');
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe('one\n'.repeat(20));
    expect(readFileSync(w.at('deep/c.md'), 'utf8')).toBe('c one\n');
    await w.open().undo();
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe('two\n'.repeat(20));
    expect(readFileSync(w.at('deep/c.md'), 'utf8')).toBe('c two\n');
  });

  it('status and the comparison with the files do not fail', async () => {
    const w = await twoCheckpoints();
    damage(w);
    w.write('a.md', 'three\n'.repeat(20));
    expect((await w.open().status()).changed).not.toBeNull();
  });
});

/** Damage of which its checkpoint's own record says nothing: `last` can still be read. */
const OF_CONTENTS = Object.entries(DAMAGES).filter(([name]) => /tree|blob/.test(name));

describe.each(OF_CONTENTS)('with %s of the newest checkpoint damaged, and uncaptured work', (name, damage) => {
  async function working(): Promise<DamagedWorld> {
    const w = await twoCheckpoints();
    damage(w);
    w.write('a.md', 'three\n'.repeat(20));
    w.write('b.md', 'b three\n');
    w.write('deep/c.md', 'c three\n', 0o600);
    return w;
  }

  it('status and diff name the damage once, and show the rest', async () => {
    const w = await working();
    const { changed, capture } = await w.call(VERBS.status, {});
    const told = new Set<string>();
    const savepoint = w.open();
    savepoint.on('warning', ({ message }) => told.add(message));
    const seen = await w.call(VERBS.diff, { patch: true }, savepoint);
    expect(seen.warnings).toHaveLength(1);
    expect(seen.warnings).toEqual(capture?.warnings);
    expect([...told]).toEqual(seen.warnings);
    expect(seen.changes).toEqual(changed?.changes);
    if (!name.includes('top')) expect(seen.changes.map(({ path }) => path)).toContain('b.md');
    if (name === 'a blob') expect(seen.patch?.gaps).toEqual([{ path: 'a.md', why: 'damaged' }]);
  });

  it('a diff of two checkpoints does so, too', async () => {
    const w = await working();
    const seen = await w.call(VERBS.diff, { from: 'cp_1', to: 'cp_2', patch: true });
    expect(seen.warnings).toHaveLength(1);
  });

  it('a preview of a restore names it once, and the restore happens', async () => {
    const w = await working();
    const preview = await w.call(VERBS.restore, { checkpoint: 'cp_1', dryRun: true });
    expect(preview.plan.paths.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.md', 'deep/c.md']));
    const done = await w.call(VERBS.restore, { checkpoint: 'cp_1', expected: preview.fingerprint });
    // The folder still has what is stored beside the files.
    const isGone = name === 'a tree' || name === 'the top tree';
    for (const { capture } of [preview, done]) {
      if (isGone) expect(capture.warnings).toHaveLength(1);
      expect(capture.warnings.length).toBeLessThanOrEqual(1);
    }
    expect(readFileSync(w.at('deep/c.md'), 'utf8')).toBe('c one\n');
    await w.open().undo();
    expect(readFileSync(w.at('deep/c.md'), 'utf8')).toBe('c three\n');
    expect(readFileSync(w.at('b.md'), 'utf8')).toBe('b three\n');
  });

  it('blame does not fail', async () => {
    const w = await working();
    expect((await w.call(VERBS.blame, { file: 'b.md' })).ranges).toHaveLength(1);
  });
});

describe('a damaged blob of the newest checkpoint', () => {
  it('is named once, with an unknown line count, and is stored again if its file is unchanged', async () => {
    const w = await twoCheckpoints();
    const id = w.idOf('refs/savepoint/cp/2:files/a.md');
    w.damageObject(id);
    w.write('a.md', 'three\n'.repeat(20));
    const taken = await w.call(VERBS.checkpoint, {});
    expect(taken.capture.warnings.filter((warning) => warning.includes(id))).toHaveLength(1);
    expect((await w.open().show('cp_3')).changes).toMatchObject([{ path: 'a.md', added: null, removed: null }]);
    w.write('b.md', 'b two\n');
    expect((await w.call(VERBS.checkpoint, {})).capture.warnings).toEqual([]);
  });

  it('does not hide a rename of another file, and stays unknown for its own', async () => {
    const w = await twoCheckpoints();
    w.damageObject(w.idOf('refs/savepoint/cp/2:files/a.md'));
    w.write('moved.md', 'b one\n');
    w.delete('b.md');
    w.write('a-moved.md', `${'two\n'.repeat(20)}more\n`);
    w.delete('a.md');
    const { checkpoint } = await w.open().checkpoint();
    expect(checkpoint.changes?.find(({ path }) => path === 'moved.md')).toMatchObject({ from: 'b.md' });
  });

  it('that the folder still has is written again before a restore replaces it', async () => {
    const w = await twoCheckpoints();
    w.damageObject(w.idOf('refs/savepoint/cp/2:files/a.md'));
    await w.call(VERBS.restore, { checkpoint: 'cp_1' });
    expect((await w.open().verify({ deep: true })).damage.flatMap(({ object }) => object ?? [])).not.toEqual([]);
    await w.open().undo();
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe('two\n'.repeat(20));
  });

  it('cannot be compared with what a file tool reports, and the call is recorded', async () => {
    const w = await twoCheckpoints();
    const session = w.open().session({ agent: 'one' });
    w.damageObject(w.idOf('refs/savepoint/cp/2:files/a.md'));
    const path = 'a.md' as TreePath;
    const writes = [{ path, result: [{ old: 'two\n', new: 'three\n', all: false }] }];
    const { id } = await session.begin({ tool: 'Edit', kind: 'edit', paths: [path], writes });
    w.write('a.md', `three\n${'two\n'.repeat(19)}`);
    const { checkpoint } = await session.end(id);
    expect(checkpoint?.changes).toMatchObject([{ path: 'a.md', by: { grade: 'likely' } }]);
  });
});

describe('undo and redo', () => {
  async function restored(): Promise<DamagedWorld> {
    const w = await twoCheckpoints();
    await w.open().restore('cp_1');
    w.write('a.md', 'three\n');
    await w.open().restore('cp_2');
    return w;
  }

  it('refuse while the newest operation cannot be read, and name it', async () => {
    const w = await restored();
    w.damageObject(w.idOf('refs/savepoint/cp/5'));
    const before = readFileSync(w.at('a.md'), 'utf8');
    for (const call of ['undo', 'redo', 'previewUndo'] as const) {
      await expect(w.open()[call]()).rejects.toMatchObject({
        code: 'STORE_DAMAGED',
        message: expect.stringContaining('cp_5'),
        data: { checkpoints: ['cp_5'] },
      });
    }
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe(before);
    expect((await w.call(VERBS.status, {})).undo).toBeNull();
  });

  it('go on if the unreadable checkpoint is older than what they revert', async () => {
    const w = await restored();
    w.damageObject(w.idOf('refs/savepoint/cp/3'));
    await w.open().undo();
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe('three\n');
    await w.open().redo();
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe('two\n'.repeat(20));
  });
});

describe('a list of changes that lacks those of a damaged folder', () => {
  async function incomplete(): Promise<DamagedWorld> {
    const w = await twoCheckpoints();
    w.damageObject(w.idOf('refs/savepoint/cp/2:files/deep'));
    w.write('b.md', 'b two\n');
    w.write('deep/c.md', 'c three\n', 0o600);
    await w.open().checkpoint();
    w.write('b.md', 'b three\n');
    await w.open().checkpoint();
    return w;
  }

  it('is marked as incomplete by show, list and history', async () => {
    const w = await incomplete();
    expect(await w.call(VERBS.show, { checkpoint: 'cp_3' })).toMatchObject({
      incomplete: true,
      changes: [{ path: 'b.md' }],
    });
    const { checkpoints } = await w.call(VERBS.list, {});
    expect(checkpoints.filter((one) => one.incomplete).map(({ id }) => id)).toEqual(['cp_3']);
    expect((await w.call(VERBS.history, {})).unlisted).toMatchObject([
      { id: 'cp_3', why: 'damaged' },
      { id: 'cp_1', why: 'first' },
    ]);
  });

  it('is no evidence for blame that a line is older', async () => {
    const w = await incomplete();
    const { ranges } = await w.call(VERBS.blame, { file: 'deep/c.md' });
    expect(ranges).toMatchObject([{ origin: 'unknown', why: 'unlisted' }]);
    expect((await w.call(VERBS.blame, { file: 'b.md' })).ranges).toMatchObject([{ origin: 'change' }]);
  });
});
