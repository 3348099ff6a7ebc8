import { existsSync, readdirSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../../../src/model/ids.ts';
import { hashObject } from '../../../src/store/objects/object-hash.ts';
import type { ObjectReader, ObjectType, StoredObject } from '../../../src/store/objects/object-reader.ts';
import { BaseCache } from '../../../src/store/objects/packs/base-cache.ts';
import { addCommit, noise, prose, type StoreFixture, storeFixture } from '../store-fixture.ts';

const VERSIONS = 60;
const MIB = 1024 * 1024;

/** Commits of texts that change a little each time. Returns all their objects according to git. */
async function history(
  fixture: StoreFixture,
): Promise<Map<ObjectId, { type: ObjectType; size: number; data: Buffer }>> {
  const { store, gitBytes } = fixture;
  const refs: string[] = [];
  for (let version = 0; version < VERSIONS; version++) {
    const batch = store.batch();
    const files = {
      'a.txt': prose(400, version),
      'b.txt': prose(30, version),
      'c.bin': noise(300),
      empty: Buffer.alloc(0),
    };
    const commit = addCommit(batch, files);
    await batch.finish();
    refs.push(`create refs/savepoint/cp/${version + 1} ${commit}\n`);
  }
  gitBytes(['update-ref', '--stdin'], Buffer.from(refs.join('')));
  return objectsOf(fixture);
}

function objectsOf({ gitBytes }: StoreFixture): Map<ObjectId, { type: ObjectType; size: number; data: Buffer }> {
  const objects = new Map<ObjectId, { type: ObjectType; size: number; data: Buffer }>();
  const bytes = gitBytes(['cat-file', '--batch', '--batch-all-objects', '--unordered']);
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    const [id, type, size] = bytes.toString('latin1', at, end).split(' ') as [ObjectId, ObjectType, string];
    objects.set(id, { type, size: Number(size), data: bytes.subarray(end + 1, end + 1 + Number(size)) });
    at = end + 1 + Number(size) + 1;
  }
  return objects;
}

async function expectAll(reader: ObjectReader, objects: ReturnType<typeof objectsOf>): Promise<void> {
  for (const [id, { type, size, data }] of objects) {
    expect(reader.has(id)).toBe(true);
    expect(reader.info(id), id).toEqual({ type, size });
    const object = reader.read(id);
    expect(object.type).toBe(type);
    expect(object.data.equals(data), id).toBe(true);
    if (type !== 'blob') continue;
    const chunks: Buffer[] = [];
    await reader.copyBlob(id, (chunk) => chunks.push(chunk));
    expect(Buffer.concat(chunks).equals(data)).toBe(true);
  }
}

describe('objects written by git', () => {
  test('loose objects', async () => {
    const fixture = storeFixture();
    const { gitBytes, store } = fixture;
    const large = prose(300_000, 1);
    for (const data of [Buffer.alloc(0), Buffer.from('x'), noise(100_000), large]) {
      gitBytes(['hash-object', '-w', '--stdin'], data);
    }
    const objects = objectsOf(fixture);
    expect(objects.size).toBe(4);
    expect(store.has(hashObject('blob', large))).toBe(false); // nothing reports the new folder
    store.refresh();
    await expectAll(store, objects);
    await expectAll(fixture.again(), objects);
    expect([...store.ids()].sort()).toEqual([...objects.keys()].sort());
  });

  test('packs of offset deltas, as created by gc --aggressive, with and without a refreshed store', async () => {
    const fixture = storeFixture();
    const objects = await history(fixture);
    const before = fixture.again();
    fixture.git('gc', '--aggressive', '--quiet');
    const chains = fixture.git('verify-pack', '-v', ...packIndexes(fixture));
    expect(chains).toMatch(/chain length = [5-9]|chain length = \d\d/);
    await expectAll(before, objects);
    await expectAll(fixture.again(), objects);
    expect([...fixture.again().ids()].sort()).toEqual([...objects.keys()].sort());
  });

  test('packs of reference deltas', async () => {
    const fixture = storeFixture();
    const objects = await history(fixture);
    fixture.git('-c', 'repack.useDeltaBaseOffset=false', 'repack', '-adf', '--depth=20', '--quiet');
    await expectAll(fixture.again(), objects);
  });

  test('packs, side files and a multi-pack index, as created by git maintenance', async () => {
    const fixture = storeFixture();
    const objects = await history(fixture);
    fixture.git('repack', '-d', '--quiet', '--geometric=2', '--write-midx');
    fixture.git('commit-graph', 'write', '--reachable');
    expect(existsSync(fixture.path('objects/pack/multi-pack-index'))).toBe(true);
    await expectAll(fixture.store, objects);
    await expectAll(fixture.again(), objects);
  });

  test('a fetch into the store', async () => {
    const source = storeFixture();
    const objects = await history(source);
    const target = storeFixture();
    target.git('fetch', '--quiet', source.folder, 'refs/savepoint/*:refs/savepoint/*');
    expect(objectsOf(target).size).toBe(objects.size);
    await expectAll(target.store, objects);
  });

  test('stays private', async () => {
    const fixture = storeFixture();
    await history(fixture);
    fixture.git('gc', '--quiet');
    const open: string[] = [];
    const walk = (path: string): void => {
      if ((statSync(path).mode & 0o077) !== 0) open.push(path);
      if (statSync(path).isDirectory()) for (const name of readdirSync(path)) walk(`${path}/${name}`);
    };
    walk(fixture.folder);
    expect(open).toEqual([]);
  });
});

test('git keeps unreachable objects, and its maintenance does not start', async () => {
  const fixture = storeFixture();
  const batch = fixture.store.batch();
  const id = batch.add('blob', Buffer.from('a backup that a journal knows'));
  await batch.finish();
  await history(fixture);
  fixture.git('gc', '--quiet');
  expect(fixture.again().read(id).data.toString()).toBe('a backup that a journal knows');
  expect(fixture.git('config', 'gc.auto').trim()).toBe('0');
});

test('more packs than the limit of open ones are read in any order', async () => {
  const { store, again } = storeFixture();
  const ids: ObjectId[] = [];
  for (let at = 0; at < 60; at++) {
    const batch = store.batch();
    ids.push(batch.add('blob', Buffer.from(`pack ${at}`)));
    await batch.finish();
  }
  const other = again();
  for (let step = 1; step < 60; step += 17) {
    for (let turn = 0; turn < 60; turn++) {
      const at = (turn * step) % 60;
      expect(other.read(ids[at] as ObjectId).data.toString()).toBe(`pack ${at}`);
      expect(other.has(`${'0'.repeat(38)}${at + 10}` as ObjectId)).toBe(false);
    }
  }
});

test('the cache of delta bases is bounded and evicts the least recently used', () => {
  const cache = new BaseCache();
  const object = (size: number): StoredObject => ({ type: 'blob', data: Buffer.alloc(size) });
  for (let at = 0; at < 4; at++) cache.put(1, at, object(MIB));
  cache.put(1, 99, object(3 * MIB)); // too large to be cached
  expect(cache.get(1, 99)).toBeUndefined();
  expect(cache.get(1, 0)?.data.length).toBe(MIB);
  cache.put(1, 4, object(MIB));
  expect(cache.get(1, 0)).toBeDefined();
  expect(cache.get(1, 1)).toBeUndefined();
  expect(cache.get(2, 0)).toBeUndefined();
});

function packIndexes({ path }: StoreFixture): string[] {
  return readdirSync(path('objects/pack'))
    .filter((name) => name.endsWith('.idx'))
    .map((name) => path('objects/pack', name));
}
