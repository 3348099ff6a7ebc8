import {
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { VERBS } from '@savepoint/core/frontend';
import { describe, expect, it } from 'vitest';
import { DamagedWorld } from '../damaged-store.ts';

/** A store whose record and its copy are damaged: a repair adopts it for the folder that proves itself, or that a person names. */

async function withoutRecord(record: string | null = 'null'): Promise<DamagedWorld> {
  const w = new DamagedWorld();
  for (const text of ['one\n', 'two\n']) {
    w.write('a.md', text);
    w.write('deep/b.md', 'b\n');
    await w.open().checkpoint();
  }
  for (const name of ['workspace.json', 'workspace.copy.json']) {
    rmSync(w.inStore(name));
    if (record === null) mkdirSync(w.inStore(name));
    else writeFileSync(w.inStore(name), record);
  }
  return w;
}

const idOf = (w: DamagedWorld): string => w.store.slice(w.store.lastIndexOf('/') + 1);
const homeOf = (w: DamagedWorld): string => dirname(dirname(w.store));

/** Takes away what else knows the folder. */
function forget(w: DamagedWorld, what: 'index' | 'cache' | 'both'): void {
  if (what !== 'cache') rmSync(join(homeOf(w), 'workspaces.json'), { force: true });
  if (what !== 'index') rmSync(w.inStore('cache'), { recursive: true });
}

async function expectAdopted(w: DamagedWorld, savepoint = w.open()): Promise<void> {
  expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  await savepoint.restore('cp_1');
  expect(readFileSync(w.at('a.md'), 'utf8')).toBe('one\n');
  expect((await savepoint.checkpoint()).checkpoint.number).toBeGreaterThan(2);
}

describe.each([
  ['the list of all stores', 'cache', /list of all stores/],
  ['the cache of the store', 'index', /cache knows the files/],
] as const)('a folder that %s proves', (_, lost, why) => {
  it.each(['null', '', null])('adopts the store with the record %j, and says what is lost', async (record) => {
    const w = await withoutRecord(record);
    forget(w, lost);
    const look = await w.call(VERBS.repair, { dryRun: true });
    expect(look.adopted).toEqual({ id: idOf(w), folder: w.dir, why: expect.stringMatching(why) });
    await expect(w.open().list()).rejects.toThrow();
    const done = await w.call(VERBS.repair, {}, w.open('deep'));
    expect(done).toMatchObject({ adopted: look.adopted, checkpoints: 2, sound: 2 });
    expect(done.lost).toMatchObject([{ checkpoint: null, why: expect.stringContaining('the workspace record') }]);
    expect(done.movedAside).toHaveLength(2);
    for (const { to } of done.movedAside) expect(existsSync(to as string)).toBe(true);
    await expectAdopted(w);
  });
});

it('a folder that the list of all stores proves still does after other records changed', async () => {
  const w = await withoutRecord();
  forget(w, 'cache');
  const id = idOf(w);
  const other = `${w.dir}-other`;
  mkdirSync(other);
  const moved = `${other}-moved`;
  await w.openAt(other).checkpoint();
  renameSync(other, moved);
  await w.openAt(moved).checkpoint();
  const proof = { id, folder: w.dir, why: expect.stringMatching(/list of all stores/) };
  expect((await w.call(VERBS.repair, { dryRun: true })).adopted).toEqual(proof);
  await w.openAt(moved).deleteWorkspace(moved);
  expect((await w.call(VERBS.repair, {})).adopted).toEqual(proof);
});

describe('a folder that nothing proves', () => {
  it('adopts no store, until a person names it', async () => {
    const w = await withoutRecord();
    forget(w, 'both');
    const refused = { code: 'NO_WORKSPACE', hint: expect.stringContaining(`--adopt ID`) };
    await expect(w.call(VERBS.repair, {})).rejects.toMatchObject(refused);
    await expect(w.call(VERBS.repair, {})).rejects.toMatchObject({ hint: expect.stringContaining(idOf(w)) });
    await expect(w.call(VERBS.repair, { adopt: 'f'.repeat(33) })).rejects.toMatchObject(refused);
    expect(readFileSync(w.inStore('workspace.json'), 'utf8')).toBe('null');
    const done = await w.call(VERBS.repair, { adopt: idOf(w).slice(0, 8) });
    expect(done.adopted).toMatchObject({ folder: w.dir, why: 'you chose it' });
    await expectAdopted(w);
  });

  it('is a copy with the same contents', async () => {
    const w = await withoutRecord();
    forget(w, 'index');
    const copy = `${w.dir}-copy`;
    cpSync(w.dir, copy, { recursive: true, preserveTimestamps: true });
    await expect(w.call(VERBS.repair, {}, w.openAt(copy))).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    // A folder that was moved is still the same folder.
    renameSync(w.dir, `${w.dir}-moved`);
    const { adopted } = await w.call(VERBS.repair, {}, w.openAt(`${w.dir}-moved`));
    expect(adopted?.folder).toBe(`${w.dir}-moved`);
  });

  /** @returns a copy that shares the file a.md, and has the file's times that the store knows */
  async function withLinkedCopy(): Promise<readonly [DamagedWorld, string]> {
    const w = new DamagedWorld();
    const copy = `${w.dir}-copy`;
    w.write('a.md', 'one\n');
    mkdirSync(copy);
    linkSync(w.at('a.md'), join(copy, 'a.md'));
    w.write('own.md', 'own\n');
    await w.open().checkpoint();
    for (const name of ['workspace.json', 'workspace.copy.json']) writeFileSync(w.inStore(name), 'null');
    return [w, copy];
  }

  it('is one that shares a file with the real one by a hard link', async () => {
    const [w, copy] = await withLinkedCopy();
    forget(w, 'index');
    await expect(w.call(VERBS.repair, {}, w.openAt(copy))).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    // The real folder also has a file with one name.
    expect((await w.call(VERBS.repair, {})).adopted).toMatchObject({ folder: w.dir });
  });

  it('is one with a known file, while the list of all stores has the store with a folder that is still there', async () => {
    const w = await withoutRecord();
    const other = `${w.dir}-other`;
    // The folder moves, and the list has the store with another one.
    renameSync(w.dir, `${w.dir}-moved`);
    mkdirSync(other);
    const index = join(homeOf(w), 'workspaces.json');
    const { ino, dev, birthtimeMs } = lstatSync(other);
    const list = JSON.parse(readFileSync(index, 'utf8')) as { workspaces: unknown[] };
    list.workspaces = [[idOf(w), other, dev, ino, Math.round(birthtimeMs)]];
    writeFileSync(index, JSON.stringify(list));
    const repair = () => w.call(VERBS.repair, { dryRun: true }, w.openAt(`${w.dir}-moved`));
    await expect(repair()).rejects.toMatchObject({ code: 'NO_WORKSPACE', hint: expect.stringContaining('--adopt ID') });
    rmSync(other, { recursive: true });
    expect((await repair()).adopted).toMatchObject({ folder: `${w.dir}-moved` });
  });

  it('never adopts one of a newer version, or one with a record', async () => {
    const w = await withoutRecord('{"format":99}');
    forget(w, 'both');
    await expect(w.call(VERBS.repair, { adopt: idOf(w) })).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    expect(readdirSync(w.store)).not.toContain('damaged');
  });

  it('that has a new store keeps it', async () => {
    const w = await withoutRecord();
    forget(w, 'both');
    const old = idOf(w);
    await w.open().checkpoint();
    await expect(w.call(VERBS.repair, { adopt: old })).rejects.toMatchObject({
      code: 'ROOT_REFUSED',
      data: { why: 'has-store' },
    });
    expect((await w.open().list()).checkpoints).toHaveLength(1);
  });

  it('that has a new store is shown the old one that is proven to be its own', async () => {
    const w = await withoutRecord();
    forget(w, 'index');
    const old = idOf(w);
    await w.open().checkpoint();
    const { otherStores, rewritten, adopted } = await w.call(VERBS.repair, {});
    expect(otherStores).toMatchObject([{ id: old, proof: expect.stringContaining('cache') }]);
    expect([rewritten, adopted]).toEqual([[], null]);
    expect(VERBS.repair.status?.(await w.call(VERBS.repair, { dryRun: true }))).toBe(1);
  });

  it('is not shown a store that the list assigns to another folder', async () => {
    const w = await withoutRecord();
    const other = w.openAt(mkdtempSync(`${w.dir}-other-`));
    const warnings: string[] = [];
    other.on('warning', ({ message }) => void warnings.push(message));
    await expect(other.status()).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
    await other.checkpoint();
    expect([(await other.repair()).otherStores, warnings]).toEqual([[], []]);
  });
});
