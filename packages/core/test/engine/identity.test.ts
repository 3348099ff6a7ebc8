import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VerbsWorld } from '../verbs/verbs-world.ts';

/** Which timeline a folder has when it is moved, copied, removed or returns. */

function started(): { readonly w: VerbsWorld; readonly elsewhere: string } {
  const w = new VerbsWorld();
  w.write('a.txt', 'one\n');
  return { w, elsewhere: join(w.dir, '..', 'elsewhere') };
}

describe('a folder', () => {
  it('that was moved keeps its timeline, and can be undone', async () => {
    const { w, elsewhere } = started();
    await w.open().checkpoint();
    w.write('a.txt', 'two\n');
    await w.open().restore('cp_1');
    renameSync(w.dir, elsewhere);
    const moved = w.openAt(elsewhere);
    expect((await moved.status()).moved).toBe('moved');
    await moved.undo();
    expect((await moved.status()).moved).toBeNull();
    expect((await moved.list()).checkpoints.length).toBe(4);
  });

  it('that was swapped with another keeps its own timeline', async () => {
    const { w, elsewhere } = started();
    await w.open().checkpoint({ message: 'one' });
    mkdirSync(elsewhere);
    await w.openAt(elsewhere).checkpoint({ message: 'two' });
    const between = `${elsewhere}-between`;
    renameSync(w.dir, between);
    renameSync(elsewhere, w.dir);
    renameSync(between, elsewhere);
    const messages = async (savepoint: ReturnType<typeof w.open>): Promise<readonly string[]> =>
      (await savepoint.list()).checkpoints.map(({ description }) => description).reverse();
    expect([await messages(w.open()), await messages(w.openAt(elsewhere))]).toEqual([['two'], ['one']]);
    await w.open().checkpoint({ message: 'more' });
    expect([await messages(w.open()), await messages(w.openAt(elsewhere))]).toEqual([['two', 'more'], ['one']]);
    await w.openAt(elsewhere).checkpoint({ message: 'more' });
    expect([await messages(w.open()), await messages(w.openAt(elsewhere))]).toEqual([
      ['two', 'more'],
      ['one', 'more'],
    ]);
  });

  it('that was copied starts a new timeline, and the original keeps its own', async () => {
    const { w, elsewhere } = started();
    await w.open().checkpoint();
    cpSync(w.dir, elsewhere, { recursive: true });
    const copy = w.openAt(elsewhere);
    await expect(copy.list()).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    expect((await copy.checkpoint()).checkpoint.id).toBe('cp_1');
    expect((await w.open().checkpoint()).checkpoint.id).toBe('cp_2');
    const { records, problems } = await w.open().workspaces();
    expect(records.map(({ present }) => present)).toEqual([true, true]);
    expect(problems).toEqual([]);
  });

  it('that is missing, or was recreated, can be restored from its store', async () => {
    const { w } = started();
    w.write('deep/er/b.txt', 'b\n');
    await w.open().checkpoint();
    rmSync(w.dir, { recursive: true });
    const { plan } = await w.open().restore('last');
    expect(plan.paths.length).toBeGreaterThan(2);
    expect((await w.open().diff()).changes).toEqual([]);
    rmSync(w.dir, { recursive: true });
    mkdirSync(w.dir);
    expect((await w.open().status()).moved).toBe('made-anew');
    await w.open().restore('last~0');
    expect((await w.open().diff({ from: 'cp_1' })).changes).toEqual([]);
  });

  it('inside one with a timeline belongs to that timeline, unless it is named itself', async () => {
    const { w } = started();
    mkdirSync(w.at('inner'));
    await w.open().checkpoint();
    expect((await w.open('inner').place()).folder).toBe('inner');
    expect((await w.open('inner').checkpoint()).checkpoint.id).toBe('cp_2');
  });
});

describe('link', () => {
  it('accepts a path or an id, and refuses to give two folders one timeline', async () => {
    const { w, elsewhere } = started();
    await w.open().checkpoint();
    const { workspace } = await w.open().status();
    mkdirSync(elsewhere);
    await expect(w.openAt(elsewhere).link(w.dir)).rejects.toMatchObject({
      code: 'ROOT_REFUSED',
      data: { why: 'in-use' },
    });
    await expect(w.openAt(elsewhere).link('/no/such/folder')).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    rmSync(w.dir, { recursive: true });
    expect((await w.openAt(elsewhere).link(workspace.id)).id).toBe(workspace.id);
    await w.openAt(elsewhere).restore('cp_1');
    expect((await w.openAt(elsewhere).diff()).changes).toEqual([]);
  });
});
