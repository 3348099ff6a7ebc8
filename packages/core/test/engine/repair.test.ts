import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { bytesFromText, type DiskPath, type TreePath } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { describe, expect, it } from 'vitest';
import { DamagedWorld, type PlaceInPack, replaceFile } from '../damaged-store.ts';

async function checkpoints(): Promise<DamagedWorld> {
  const w = new DamagedWorld();
  for (const text of ['one\n', 'two\n', 'three\n']) {
    w.write('a.md', text.repeat(20));
    w.write('still.md', 'still\n');
    w.write('deep/b.md', `b ${text}`, 0o600);
    await w.open().checkpoint();
  }
  return w;
}

const ref = (w: DamagedWorld, number: number): string =>
  w.inStore('objects.git', 'refs', 'savepoint', 'cp', String(number));

async function expectClean(w: DamagedWorld): Promise<void> {
  expect((await w.open().verify({ deep: true })).damage).toEqual([]);
  w.git('fsck', '--strict', '--no-dangling');
  expect((await w.call(VERBS.repair, {})).movedAside).toEqual([]);
}

/** Damage of which nothing is lost. */
const REPAIRABLE: Readonly<Record<string, (w: DamagedWorld) => void>> = {
  'a blob that the workspace has': (w) => w.damageObject(w.idOf('refs/savepoint/cp/3:files/a.md')),
  'a tree that the workspace has': (w) => w.damageObject(w.idOf('refs/savepoint/cp/3:files/deep')),
  'a side blob that the workspace has': (w) => w.damageObject(w.idOf('refs/savepoint/cp/3:side/deep/%')),
  'an empty ref': (w) => writeFileSync(ref(w, 2), ''),
  'a ref that is a pipe': (w) => {
    rmSync(ref(w, 2));
    execFileSync('mkfifo', [ref(w, 2)]);
  },
  'a ref that is a folder': (w) => {
    rmSync(ref(w, 2));
    mkdirSync(ref(w, 2));
  },
  'packed refs that are cut off': (w) => {
    w.git('pack-refs', '--all');
    truncateSync(w.inStore('objects.git', 'packed-refs'), 60);
  },
  'a damaged record': (w) => writeFileSync(w.inStore('workspace.json'), 'null'),
};

describe.each(Object.entries(REPAIRABLE))('with %s', (_, damage) => {
  it('everything is repaired, and the damaged part is kept', async () => {
    const w = await checkpoints();
    damage(w);
    const before = await w.open().verify({ deep: true });
    expect(before.damage).not.toEqual([]);
    const look = await w.call(VERBS.repair, { dryRun: true });
    expect((await w.open().verify({ deep: true })).damage).toEqual(before.damage);
    const done = await w.call(VERBS.repair, {});
    expect(done).toMatchObject({ lost: [], checkpoints: 3, sound: 3 });
    expect({ ...done, dryRun: true, movedAside: [], sound: 0, checkpoints: 0 }).toEqual({
      ...look,
      sound: 0,
      checkpoints: 0,
    });
    expect(done.movedAside.length).toBeGreaterThan(0);
    for (const { to } of done.movedAside) expect(existsSync(to as string)).toBe(true);
    await expectClean(w);
    for (const [number, text] of ['one\n', 'two\n', 'three\n'].entries()) {
      await w.open().restore(`cp_${number + 1}`);
      expect(readFileSync(w.at('a.md'), 'utf8')).toBe(text.repeat(20));
      expect(readFileSync(w.at('deep/b.md'), 'utf8')).toBe(`b ${text}`);
    }
  });
});

/** Damage of the indexes of all packs. The packs themselves are sound. */
const INDEXES: Readonly<Record<string, (index: string, w: DamagedWorld) => void>> = {
  missing: (index) => rmSync(index),
  garbage: (index) => replaceFile(index, 'garbage'),
  'cut off': (index) => truncateSync(index, 100),
  'a folder': (index) => {
    rmSync(index);
    mkdirSync(index);
  },
  'on a bad sector': (index, w) => w.makeUnreadable(index),
};

const indexOf = (pack: string): string => pack.replace(/\.pack$/, '.idx');

describe.each(Object.entries(INDEXES))('with indexes that are %s', (_, damage) => {
  it('the packs are checked, and get their indexes again', async () => {
    const w = await checkpoints();
    const packs = w.packs().map((pack) => readFileSync(pack));
    for (const pack of w.packs()) damage(indexOf(pack), w);
    writeFileSync(ref(w, 2), '');
    expect(await w.call(VERBS.verify, { deep: true })).toMatchObject({ sound: 0, checkpoints: 3 });
    const look = await w.call(VERBS.repair, { dryRun: true });
    const done = await w.call(VERBS.repair, {});
    expect(done).toMatchObject({ lost: [], objects: [], checkpoints: 3, sound: 3 });
    expect(look.rewritten).toEqual(done.rewritten);
    expect(look.lost).toEqual([]);
    expect(w.packs().map((pack) => readFileSync(pack))).toEqual(packs);
    await expectClean(w);
    await w.open().restore('cp_1');
    expect(readFileSync(w.at('a.md'), 'utf8')).toBe('one\n'.repeat(20));
  });
});

describe('a pack without an index that is itself damaged', () => {
  /** Of `cp_2`, at an offset that its index tells. */
  async function damagedPack(damage: (bytes: Buffer, place: PlaceInPack) => Buffer): Promise<DamagedWorld> {
    const w = await checkpoints();
    const blob = w.idOf('refs/savepoint/cp/2:files/a.md');
    const pack = w.packOf(blob);
    replaceFile(pack, damage(readFileSync(pack), w.placeOf(pack, blob)));
    rmSync(indexOf(pack));
    return w;
  }

  it('is named by verify, and gives everything but the damaged object', async () => {
    const w = await damagedPack((bytes, { end }) => {
      bytes.fill(0x55, end - 4, end);
      return bytes;
    });
    const { damage } = await w.call(VERBS.verify, { deep: true });
    expect(damage.map(({ problem }) => problem).join()).toContain('does not match its checksum');
    const done = await w.call(VERBS.repair, {});
    expect(done.lost).toMatchObject([{ checkpoint: 'cp_2', paths: ['a.md'] }]);
    expect(done.movedAside.map(({ file }) => String(file).slice(-5))).toEqual(['.pack']);
    expect(done.sound).toBe(2);
    await w.open().restore('cp_2', { paths: ['deep' as TreePath] });
    expect(readFileSync(w.at('deep/b.md'), 'utf8')).toBe('b two\n');
  });

  it('that lost its beginning gives all objects after it', async () => {
    const w = await damagedPack((bytes, { offset, end }) => {
      bytes.fill(0, 0, offset === 12 ? end : offset);
      return bytes;
    });
    const { lost } = await w.call(VERBS.repair, {});
    expect(lost).toMatchObject([{ checkpoint: 'cp_2' }]);
    expect((await w.open().verify({ deep: true })).valid).toBe(2);
    expect((await w.open().show('cp_2')).id).toBe('cp_2');
  });

  it('with a wrong checksum or header loses nothing', async () => {
    for (const at of [-1, 11]) {
      const w = await damagedPack((bytes) => {
        const byte = at < 0 ? bytes.length + at : at;
        bytes[byte] = (bytes[byte] as number) ^ 1;
        return bytes;
      });
      expect(await w.call(VERBS.repair, {})).toMatchObject({ lost: [], sound: 3 });
      await expectClean(w);
    }
  });

  it('that cannot be read at all is moved aside, and the other packs are used', async () => {
    const w = await checkpoints();
    const pack = w.packOf(w.idOf('refs/savepoint/cp/2'));
    for (const each of w.packs()) rmSync(indexOf(each));
    w.makeUnreadable(pack);
    const { lost, movedAside, sound } = await w.call(VERBS.repair, {});
    expect(movedAside).toMatchObject([{ file: pack }]);
    expect(lost).toMatchObject([{ checkpoint: 'cp_2' }]);
    expect(sound).toBe(2);
  });
});

describe('a repair', () => {
  it('names what is lost, by checkpoint and path, and keeps the rest of a damaged pack', async () => {
    const w = await checkpoints();
    w.damageObject(w.idOf('refs/savepoint/cp/2:files/a.md'));
    const done = await w.call(VERBS.repair, {});
    expect(done.lost).toMatchObject([{ checkpoint: 'cp_2', paths: ['a.md'] }]);
    expect(done.sound).toBe(2);
    await w.open().restore('cp_2', { paths: ['deep' as TreePath] });
    expect(readFileSync(w.at('deep/b.md'), 'utf8')).toBe('b two\n');
  });

  it('takes lost objects from a bundle, a repository and a backup', async () => {
    const w = await checkpoints();
    const bundle = w.at('../all.bundle');
    await w.open().createBundle(bytesFromText(bundle) as DiskPath);
    const id = w.idOf('refs/savepoint/cp/2:files/a.md');
    w.damageObject(id);
    const done = await w.call(VERBS.repair, { from: [bundle] });
    expect(done).toMatchObject({ objects: [{ object: id, from: 'bundle' }], lost: [] });
    await expectClean(w);

    w.damageObject(id);
    mkdirSync(w.inStore('backups', 'cp_2-00'));
    writeFileSync(w.inStore('backups', 'cp_2-00', 'a.md'), 'two\n'.repeat(20));
    expect(await w.call(VERBS.repair, {})).toMatchObject({ objects: [{ object: id, from: 'backups' }], lost: [] });
    rmSync(w.inStore('backups', 'cp_2-00'), { recursive: true });

    execFileSync('git', ['init', '-q'], { cwd: w.dir });
    await w.open().checkpoint();
    execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: w.dir, input: 'two\n'.repeat(20) });
    w.damageObject(id);
    expect(await w.call(VERBS.repair, {})).toMatchObject({ objects: [{ object: id, from: 'repository' }], lost: [] });
    await expectClean(w);
  });

  it('goes on without a bundle that cannot be read, and says so', async () => {
    const w = await checkpoints();
    w.damageObject(w.idOf('refs/savepoint/cp/2:files/a.md'));
    writeFileSync(w.at('../no.bundle'), 'no bundle');
    const done = await w.call(VERBS.repair, { from: [w.at('../no.bundle')] });
    expect(done.problems).toHaveLength(1);
    expect(done.lost).toHaveLength(1);
  });

  it('moves a damaged file of frozen paths aside and says that nothing is frozen', async () => {
    const w = await checkpoints();
    await w.open().freeze(['a.md' as TreePath]);
    replaceFile(w.inStore('frozen.json'), '{');
    expect((await w.call(VERBS.repair, {})).rewritten.join()).toContain('nothing is frozen');
    expect(await w.open().frozen()).toEqual([]);
    await expectClean(w);
  });

  it('names what is lost by its bytes, and reads bundles and backups with such names', async () => {
    if (process.platform !== 'linux') return;
    const w = await checkpoints();
    const name = Buffer.concat([Buffer.from(w.at('f')), Buffer.from([0xff, 0xe9])]);
    writeFileSync(name, 'bytes one\n'.repeat(20));
    await w.open().checkpoint();
    const bundle = { b64: Buffer.concat([Buffer.from(w.at('../b')), Buffer.from([0xff])]).toString('base64') };
    await w.open().createBundle(bundle);
    const id = execFileSync('git', ['hash-object', '--stdin'], { input: 'bytes one\n'.repeat(20) })
      .toString()
      .trim();
    writeFileSync(name, 'bytes two\n'.repeat(20));
    w.damageObject(id);
    const lost = (await w.call(VERBS.repair, {})).lost;
    expect(lost).toMatchObject([
      { checkpoint: 'cp_4', paths: [{ b64: Buffer.from([0x66, 0xff, 0xe9]).toString('base64') }] },
    ]);
    expect(await w.call(VERBS.repair, { from: [bundle] })).toMatchObject({
      objects: [{ object: id, from: 'bundle' }],
      lost: [],
    });
    await w.open().restore('cp_4');
    expect(readFileSync(name, 'utf8')).toBe('bytes one\n'.repeat(20));
    await expectClean(w);
  });

  it('does nothing to a store without damage', async () => {
    const w = await checkpoints();
    expect(await w.call(VERBS.repair, {})).toMatchObject({ objects: [], rewritten: [], movedAside: [], lost: [] });
    expect(readdirSync(w.store)).not.toContain('damaged');
  });
});
