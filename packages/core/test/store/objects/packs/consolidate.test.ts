import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Pace } from '../../../../src/io/pace.ts';
import type { ObjectId } from '../../../../src/model/ids.ts';
import { STREAM_BYTES } from '../../../../src/store/objects/limits.ts';
import { hashObject } from '../../../../src/store/objects/object-hash.ts';
import type { ConsolidateOptions } from '../../../../src/store/objects/packs/consolidate.ts';
import {
  addCommit,
  blobEntry,
  looseFile,
  noise,
  prose,
  putPack,
  type StoreFixture,
  storeFixture,
} from '../../store-fixture.ts';

const MIB = 1024 * 1024;

function packs({ path }: StoreFixture): string[] {
  return readdirSync(path('objects/pack'))
    .filter((name) => name.endsWith('.pack'))
    .sort();
}

/** Writes one pack with these contents. */
async function pack({ store }: StoreFixture, ...contents: readonly (string | Buffer)[]): Promise<ObjectId[]> {
  const batch = store.batch();
  const ids = contents.map((content) => batch.add('blob', Buffer.from(content)));
  await batch.finish();
  return ids;
}

function damagePack({ path }: StoreFixture, name: string, from: number, length = 1): void {
  const file = path('objects/pack', name);
  chmodSync(file, 0o600);
  const bytes = readFileSync(file);
  for (let at = from; at < from + length; at++) bytes[at] = (bytes[at] as number) ^ 0xff;
  writeFileSync(file, bytes);
}

async function run(fixture: StoreFixture, options: Partial<ConsolidateOptions> = {}) {
  const result = await fixture.store.consolidate({ pace: fixture.pace, ...options });
  expect(fixture.git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
  return result;
}

describe('consolidate', () => {
  test('merges small packs and loose objects into one, keeping every object', async () => {
    const fixture = storeFixture();
    const ids = [
      ...(await pack(fixture, 'one', 'two')),
      ...(await pack(fixture, 'three')),
      ...(await pack(fixture, prose(100, 1))),
    ];
    fixture.gitBytes(['hash-object', '-w', '--stdin'], Buffer.from('loose'));
    const loose = hashObject('blob', Buffer.from('loose'));
    const result = await run(fixture);
    expect(result).toMatchObject({
      packsBefore: 3,
      packsAfter: 1,
      looseFolded: 1,
      objectsDropped: 0,
      damaged: [],
      tooLarge: [],
    });
    expect(result.bytesAfter).toBeLessThan(result.bytesBefore);
    expect(packs(fixture)).toHaveLength(1);
    expect(existsSync(looseFile(fixture, loose))).toBe(false);
    for (const id of [...ids, loose]) expect(hashObject('blob', fixture.store.read(id).data)).toBe(id);
    expect([...fixture.store.ids()].sort()).toEqual([...ids, loose].sort());
  });

  test('packs many loose objects into one pack', async () => {
    const fixture = storeFixture();
    const texts = Array.from({ length: 30 }, (_, at) => `loose ${at}\n`);
    for (const [at, text] of texts.entries()) writeFileSync(fixture.path(`${at}.txt`), text);
    fixture.git('hash-object', '-w', '--no-filters', '--', ...texts.map((_, at) => `${at}.txt`));
    let packed = 0;
    const assertHeld = (): void => {
      packed = Math.max(packed, packs(fixture).length);
    };
    expect(await run(fixture, { assertHeld })).toMatchObject({ looseFolded: 30, packsAfter: 1 });
    expect(packed).toBe(1);
    for (const text of texts)
      expect(fixture.store.read(hashObject('blob', Buffer.from(text))).data.toString()).toBe(text);
    expect(readdirSync(fixture.path('objects')).sort()).toEqual(['info', 'pack']);
  });

  test('changes nothing if there is nothing to do, and nothing the second time', async () => {
    const fixture = storeFixture();
    expect(await run(fixture)).toMatchObject({ bytesBefore: 0, bytesAfter: 0, packsAfter: 0 });
    await pack(fixture, 'one');
    const before = readdirSync(fixture.path('objects/pack'));
    expect(await run(fixture)).toMatchObject({ packsBefore: 1, packsAfter: 1 });
    expect(readdirSync(fixture.path('objects/pack'))).toEqual(before);
    await pack(fixture, 'two');
    await run(fixture);
    const merged = packs(fixture);
    const inode = statSync(fixture.path('objects/pack', merged[0] as string)).ino;
    await run(fixture);
    expect(packs(fixture)).toEqual(merged);
    expect(statSync(fixture.path('objects/pack', merged[0] as string)).ino).toBe(inode);
  });

  test('drops dead objects, keeps live and unknown ones, packed or loose', async () => {
    const fixture = storeFixture();
    const [live, dead, unknown] = (await pack(fixture, 'live', 'dead', 'unknown')) as [ObjectId, ObjectId, ObjectId];
    const [deadAlone] = (await pack(fixture, 'dead alone')) as [ObjectId];
    for (const text of ['dead loose', 'live loose'])
      fixture.gitBytes(['hash-object', '-w', '--stdin'], Buffer.from(text));
    const verdicts = new Map<ObjectId, boolean | null>([
      [live, true],
      [dead, false],
      [unknown, null],
      [deadAlone, false],
      [hashObject('blob', Buffer.from('dead loose')), false],
    ]);
    const result = await run(fixture, { live: (id) => verdicts.get(id) ?? null });
    expect(result).toMatchObject({ objectsDropped: 3, looseFolded: 1, packsAfter: 1 });
    const kept = [live, unknown, hashObject('blob', Buffer.from('live loose'))];
    expect([...fixture.again().ids()].sort()).toEqual(kept.sort());
    expect(await run(fixture, { live: () => false })).toMatchObject({
      objectsDropped: 3,
      packsAfter: 0,
      bytesAfter: 0,
    });
    expect([...fixture.again().ids()]).toEqual([]);
  });

  test('rewrites a pack only if its waste exceeds the tolerance', async () => {
    const fixture = storeFixture();
    const [dead] = (await pack(fixture, noise(3000), noise(30_000), noise(30_000))) as [ObjectId];
    const live = (id: ObjectId): boolean => id !== dead;
    expect(await run(fixture, { live, toleratedWaste: 0.1 })).toMatchObject({ objectsDropped: 0 });
    expect(fixture.store.has(dead)).toBe(true);
    expect(await run(fixture, { live, toleratedWaste: 0.01 })).toMatchObject({ objectsDropped: 1 });
    expect(fixture.store.has(dead)).toBe(false);
  });

  test('copies compressed entries byte for byte, and undeltifies deltas', async () => {
    const fixture = storeFixture();
    const batch = fixture.store.batch();
    const commits = Array.from({ length: 12 }, (_, version) =>
      addCommit(batch, { a: prose(200, version), b: prose(20, version) }),
    );
    await batch.finish();
    for (const [at, id] of commits.entries()) fixture.git('update-ref', `refs/savepoint/cp/${at}`, id);
    const before = fixture.git('cat-file', '--batch', '--batch-all-objects');
    fixture.git('repack', '-adf', '--quiet');
    expect(fixture.git('verify-pack', '-v', fixture.path('objects/pack', packs(fixture)[0] as string))).toContain(
      'chain length',
    );
    const [own] = (await pack(fixture, prose(300, 99))) as [ObjectId];
    const original = readFileSync(fixture.path('objects/pack', packOf(fixture, own))).subarray(12, -20);
    const result = await run(fixture);
    expect(result.packsAfter).toBe(1);
    const merged = readFileSync(fixture.path('objects/pack', packs(fixture)[0] as string));
    expect(merged.includes(original)).toBe(true);
    expect(fixture.git('verify-pack', '-v', fixture.path('objects/pack', packs(fixture)[0] as string))).not.toContain(
      'chain length',
    );
    const after = fixture.git('cat-file', '--batch', '--batch-all-objects');
    expect(after.includes(prose(300, 99).toString())).toBe(true);
    expect(after.length - before.length).toBeLessThan(prose(300, 99).length + 100);
  });

  test('makes packs of the requested size, group by group, and leaves full ones alone', async () => {
    const fixture = storeFixture();
    const ids: ObjectId[] = [];
    for (let nth = 0; nth < 10; nth++) ids.push(...(await pack(fixture, noise(30_000))));
    let most = 0;
    const total = ids.length * 30_000;
    const used = (): number =>
      readdirSync(fixture.path('objects/pack')).reduce(
        (sum, name) => sum + statSync(fixture.path('objects/pack', name)).size,
        0,
      );
    const turn = async (): Promise<void> => {
      most = Math.max(most, used());
    };
    let time = 0;
    const pace = new Pace({ ...fixture.ports.clock, turn, monotonic: () => (time += 100) });
    const result = await run(fixture, { packBytes: 100_000, pace });
    expect(result).toMatchObject({ packsBefore: 10, packsAfter: 4 });
    expect(most).toBeGreaterThan(total);
    expect(most).toBeLessThan(total + 2 * 100_000 + 20_000);
    for (const id of ids) expect(fixture.store.read(id).data.length).toBe(30_000);
    const full = packs(fixture);
    expect(await run(fixture, { packBytes: 100_000 })).toMatchObject({ packsBefore: 4, packsAfter: 4 });
    expect(packs(fixture)).toEqual(full);
  });

  test('a pack that is too large to be rewritten stays, is named, and is removed if required', async () => {
    const fixture = storeFixture();
    const ids = await pack(fixture, noise(30_000), noise(30_000), noise(30_000));
    const [file] = packs(fixture) as [string];
    const result = await run(fixture, { packBytes: 25_000, live: (id) => id !== ids[0] });
    expect(result).toMatchObject({ objectsDropped: 0, tooLarge: [{ file: fixture.path('objects/pack', file) }] });
    expect(result.tooLarge[0]?.waste).toBeGreaterThan(29_000);
    expect(packs(fixture)).toEqual([file]);
    // Purged objects must be removed, whatever temporary space that needs.
    const live = (id: string): boolean => id !== ids[0];
    expect(await run(fixture, { packBytes: 25_000, live, anySize: true })).toMatchObject({
      objectsDropped: 1,
      tooLarge: [],
    });
    expect(fixture.store.has(ids[0] as ObjectId)).toBe(false);
    for (const id of ids.slice(1)) expect(fixture.store.read(id).data.length).toBe(30_000);
  });

  test('a pack that is too large to be rewritten is removed when all its objects are dead', async () => {
    const fixture = storeFixture();
    await pack(fixture, noise(30_000), noise(30_000), noise(30_000));
    expect(await run(fixture, { packBytes: 25_000, live: () => false })).toMatchObject({
      objectsDropped: 3,
      packsAfter: 0,
    });
  });

  test('an object that is also in a larger pack is waste', async () => {
    const fixture = storeFixture();
    const shared = noise(5000);
    const [id] = (await pack(fixture, shared, noise(90_000))) as [ObjectId];
    const [large] = packs(fixture) as [string];
    damagePack(fixture, large, 20);
    await pack(fixture, shared); // written again, because the existing copy is damaged
    damagePack(fixture, large, 20);
    expect(packs(fixture)).toHaveLength(2);
    expect(await run(fixture, { packBytes: 100_000 })).toMatchObject({ packsAfter: 1, objectsDropped: 0 });
    expect(packs(fixture)).toEqual([large]);
    expect(fixture.store.read(id).data.equals(shared)).toBe(true);
  });

  test('a good copy is kept if the copy in a larger pack is damaged', async () => {
    const fixture = storeFixture();
    const shared = noise(5000);
    const [id] = (await pack(fixture, shared, noise(90_000))) as [ObjectId];
    const [large] = packs(fixture) as [string];
    damagePack(fixture, large, 20);
    await pack(fixture, shared);
    await fixture.store.consolidate({ pace: fixture.pace, packBytes: 100_000 });
    expect(fixture.store.read(id).data.equals(shared)).toBe(true);
    // Nor if both are rewritten together: the good copy is kept, the damaged one is dropped.
    const result = await fixture.store.consolidate({ pace: fixture.pace });
    expect(result).toMatchObject({ packsAfter: 1, damaged: [] });
    expect(fixture.again().read(id).data.equals(shared)).toBe(true);
    expect(await fixture.store.verifyObjects({ deep: true, pace: fixture.pace })).toEqual([]);
  });

  test('a damaged object without another copy keeps its file, and is named; intact objects are merged', async () => {
    const fixture = storeFixture();
    const [broken, sound] = (await pack(fixture, noise(1000), noise(1000))) as [ObjectId, ObjectId];
    const file = packs(fixture)[0] as string;
    damagePack(fixture, file, 100);
    const [other] = (await pack(fixture, 'other')) as [ObjectId];
    fixture.gitBytes(['hash-object', '-w', '--stdin'], Buffer.from('loose'));
    const loose = looseFile(fixture, hashObject('blob', Buffer.from('loose')));
    chmodSync(loose, 0o600);
    writeFileSync(loose, readFileSync(loose).fill(0, 5));
    for (let round = 0; round < 3; round++) {
      const result = await fixture.store.consolidate({ pace: fixture.pace });
      expect(result.damaged.map(({ object }) => object).sort()).toEqual(
        [broken, hashObject('blob', Buffer.from('loose'))].sort(),
      );
      expect(packs(fixture)).toContain(file);
      expect(packs(fixture)).toHaveLength(2);
      expect(existsSync(loose)).toBe(true);
      for (const id of [sound, other]) expect(hashObject('blob', fixture.store.read(id).data)).toBe(id);
    }
    const dropping = await fixture.store.consolidate({
      pace: fixture.pace,
      live: (id) => id === sound || id === other,
    });
    expect(dropping).toMatchObject({ damaged: [], packsAfter: 1 });
    expect(existsSync(loose)).toBe(false);
  });

  test('an intact object with another id is damage, and is not copied', async () => {
    const fixture = storeFixture();
    const wrong = 'a'.repeat(40) as ObjectId;
    const { pack: file } = putPack(fixture, [
      { id: hashObject('blob', Buffer.from('one')), bytes: blobEntry(Buffer.from('one')) },
      { id: wrong, bytes: blobEntry(Buffer.from('two')) },
    ]);
    await pack(fixture, 'three');
    const result = await fixture.store.consolidate({ pace: fixture.pace });
    expect(result.damaged).toEqual([{ file, object: wrong }]);
    expect(existsSync(file)).toBe(true);
  });

  test.each([
    ['small', 3],
    ['large', STREAM_BYTES + 1],
  ])('a %s intact loose object with another id stays and is named', async (_, size) => {
    const fixture = storeFixture();
    const wrong = 'a'.repeat(40) as ObjectId;
    const file = looseFile(fixture, wrong);
    writeFileSync(file, deflateSync(Buffer.concat([Buffer.from(`blob ${size}\0`), Buffer.alloc(size)])));
    const result = await fixture.store.consolidate({ pace: fixture.pace });
    expect(result).toMatchObject({ looseFolded: 0, packsAfter: 0, damaged: [{ file, object: wrong }] });
    expect(existsSync(file)).toBe(true);
  });

  test('large objects are moved piece by piece, packed or loose', async () => {
    const fixture = storeFixture();
    const incompressible = noise(33 * MIB);
    const flat = Buffer.alloc(20 * MIB, 'abc');
    const ids = [hashObject('blob', incompressible), hashObject('blob', flat)];
    fixture.gitBytes(['hash-object', '-w', '--stdin'], flat);
    for (const id of ids) if (fixture.store.info(id) === null) await pack(fixture, incompressible);
    const tree = fixture.gitBytes(
      ['mktree', '-z'],
      Buffer.from(ids.map((id, at) => `100644 blob ${id}\t${at}\0`).join('')),
    );
    fixture.git('update-ref', 'refs/keep', fixture.git('commit-tree', '-m', 'x', tree.toString().trim()).trim());
    fixture.git('-c', 'core.compression=1', 'repack', '-adfF', '--quiet');
    expect(packs(fixture)).toHaveLength(1);
    const [dead] = [...fixture.again().ids()].filter((id) => fixture.store.info(id)?.type === 'commit') as [ObjectId];
    fixture.git('update-ref', '-d', 'refs/keep');
    expect(await run(fixture, { live: (id) => id !== dead })).toMatchObject({ objectsDropped: 1 });
    expect(packs(fixture)).toHaveLength(2);
    for (const [at, id] of ids.entries())
      expect(fixture.store.read(id).data.equals([incompressible, flat][at] as Buffer)).toBe(true);
  });

  test('a large loose object is packed piece by piece, and stays if it is damaged', async () => {
    const fixture = storeFixture();
    const data = noise(17 * MIB);
    const id = hashObject('blob', data);
    fixture.gitBytes(['-c', 'core.bigFileThreshold=1g', 'hash-object', '-w', '--stdin'], data);
    const file = looseFile(fixture, id);
    const bytes = readFileSync(file);
    const changed = Buffer.from(bytes);
    changed[bytes.length - 1000] = (changed[bytes.length - 1000] as number) ^ 1;
    chmodSync(file, 0o600);
    writeFileSync(file, changed);
    const damaged = await fixture.store.consolidate({ pace: fixture.pace });
    expect(damaged).toMatchObject({ looseFolded: 0, packsAfter: 0, damaged: [{ file, object: id }] });
    expect(readdirSync(fixture.path('objects/pack'))).toEqual([]);
    writeFileSync(file, bytes);
    expect(await run(fixture)).toMatchObject({ looseFolded: 1, packsAfter: 1, damaged: [] });
    expect(fixture.store.read(id).data.equals(data)).toBe(true);
  });

  test('honours .keep, and removes side files of removed packs', async () => {
    const fixture = storeFixture();
    const batch = fixture.store.batch();
    const commit = addCommit(batch, { a: prose(50, 1) });
    await batch.finish();
    fixture.git('update-ref', 'refs/savepoint/cp/1', commit);
    const [kept] = packs(fixture) as [string];
    writeFileSync(fixture.path('objects/pack', kept.replace(/pack$/, 'keep')), '');
    await pack(fixture, 'one');
    await pack(fixture, 'two');
    fixture.git('multi-pack-index', 'write', '--bitmap');
    fixture.git('commit-graph', 'write', '--reachable', '--split');
    await run(fixture);
    expect(packs(fixture)).toHaveLength(2);
    expect(packs(fixture)).toContain(kept);
    expect(readdirSync(fixture.path('objects/pack')).filter((name) => !/\.(?:pack|idx|keep)$/.test(name))).toEqual([]);
    expect(fixture.git('log', '--format=%s', 'refs/savepoint/cp/1').trim()).toBe('subject');
  });

  test('a process that has the old packs open can still read them', async () => {
    const fixture = storeFixture();
    const [one, two] = [...(await pack(fixture, 'one')), ...(await pack(fixture, 'two'))] as [ObjectId, ObjectId];
    const idle = fixture.again();
    const reading = fixture.again();
    expect(reading.read(one).data.toString()).toBe('one');
    await run(fixture);
    for (const other of [idle, reading]) {
      expect(other.read(one).data.toString()).toBe('one');
      expect(other.read(two).data.toString()).toBe('two');
      expect(other.has(two)).toBe(true);
    }
  });

  test('removes nothing if the lock was lost or the work is cancelled', async () => {
    const fixture = storeFixture();
    await pack(fixture, 'one');
    await pack(fixture, 'two');
    fixture.gitBytes(['hash-object', '-w', '--stdin'], Buffer.from('loose'));
    const before = packs(fixture);
    const loose = looseFile(fixture, hashObject('blob', Buffer.from('loose')));
    const lost = (): void => {
      throw new Error('lock lost');
    };
    await expect(fixture.store.consolidate({ pace: fixture.pace, assertHeld: lost })).rejects.toThrow('lock lost');
    for (const name of before) expect(packs(fixture)).toContain(name);
    expect(existsSync(loose)).toBe(true);
    rmSync(loose);
    await expect(fixture.store.consolidate({ pace: fixture.pace, assertHeld: lost })).rejects.toThrow('lock lost');
    for (const name of before) expect(packs(fixture)).toContain(name);
    const abort = new AbortController();
    let time = 0;
    const pace = new Pace({ ...fixture.ports.clock, monotonic: () => (time += 100) }, abort.signal);
    abort.abort();
    await expect(fixture.store.consolidate({ pace })).rejects.toMatchObject({ code: 'CANCELLED' });
    for (const name of before) expect(packs(fixture)).toContain(name);
    expect(readdirSync(fixture.path('objects/pack')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
  });
});

function packOf(fixture: StoreFixture, id: ObjectId): string {
  const key = Buffer.from(id, 'hex');
  const found = packs(fixture).find((name) =>
    readFileSync(fixture.path('objects/pack', name.replace(/pack$/, 'idx'))).includes(key),
  );
  if (found === undefined) throw new Error(`${id} is in no pack`);
  return found;
}

describe('a lost lock', () => {
  const DEAD = hashObject('blob', Buffer.from('dead'));

  test.each<[string, (fixture: StoreFixture) => unknown]>([
    [
      'packs are merged',
      async (fixture) => {
        await pack(fixture, 'one', 'dead');
        await pack(fixture, 'two');
      },
    ],
    ['a loose object is folded', ({ gitBytes }) => gitBytes(['hash-object', '-w', '--stdin'], Buffer.from('loose'))],
    ['a loose object is dead', ({ gitBytes }) => gitBytes(['hash-object', '-w', '--stdin'], Buffer.from('dead'))],
  ])('removes nothing if %s', async (_, prepare) => {
    const fixture = storeFixture();
    await prepare(fixture);
    const files = (): string[] =>
      readdirSync(fixture.path('objects'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name}`);
    const before = files();
    const assertHeld = (): void => {
      throw new Error('lost');
    };
    await expect(
      fixture.store.consolidate({ pace: fixture.pace, live: (id) => id !== DEAD, assertHeld }),
    ).rejects.toThrow('lost');
    expect(files()).toEqual(expect.arrayContaining(before));
    expect(fixture.git('fsck', '--full', '--no-dangling')).toBe('');
    await fixture.store.consolidate({ pace: fixture.pace, live: (id) => id !== DEAD });
    expect(files()).not.toEqual(expect.arrayContaining(before));
  });
});
