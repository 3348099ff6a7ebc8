import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import { deflateSync } from 'node:zlib';
import { SimDisk, seededRandom, simPorts, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import type { Fs } from '../../../src/io/fs.ts';
import { SavepointError } from '../../../src/model/errors.ts';
import type { ObjectId } from '../../../src/model/ids.ts';
import type { DiskPath } from '../../../src/model/names.ts';
import { hashObject } from '../../../src/store/objects/object-hash.ts';
import type { StoredObject } from '../../../src/store/objects/object-reader.ts';
import { ObjectStore } from '../../../src/store/objects/object-store.ts';
import { encodeEntryHeader } from '../../../src/store/objects/packs/pack-format.ts';
import {
  addCommit,
  blobEntry,
  keyDelta,
  looseFile,
  type MadeEntry,
  noise,
  prose,
  putPack,
  type StoreFixture,
  storeFixture,
} from '../store-fixture.ts';

/** The store's files in memory, so that thousands of damaged versions can be tried. */
function inMemory({ folder }: StoreFixture): { disk: SimDisk; files: Map<DiskPath, Buffer> } {
  const disk = new SimDisk();
  const files = new Map<DiskPath, Buffer>();
  disk.makeFolder('/store' as DiskPath, 0o700);
  const copy = (from: string, to: string): void => {
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const target = `${to}/${entry.name}` as DiskPath;
      if (entry.isDirectory()) {
        disk.makeFolder(target, 0o700);
        copy(`${from}/${entry.name}`, target);
      } else {
        const bytes = readFileSync(`${from}/${entry.name}`);
        put(disk, target, bytes);
        files.set(target, bytes);
      }
    }
  };
  copy(folder, '/store');
  return { disk, files };
}

function put(fs: Fs, path: DiskPath, bytes: Uint8Array): void {
  if (fs.lstat(path) !== null) fs.unlink(path);
  const fd = fs.openNew(path, 0o600);
  fs.write(fd, bytes, 0);
  fs.close(fd);
}

/** Checks that every object is unchanged, or that the error reports the damage and the damaged file. */
async function expectNoWrongData(
  store: ObjectStore,
  objects: ReadonlyMap<ObjectId, StoredObject>,
): Promise<Set<ObjectId>> {
  const damaged = new Set<ObjectId>();
  for (const [id, { type, data }] of objects) {
    try {
      const read = store.read(id);
      expect(read.type).toBe(type);
      expect(read.data.equals(data)).toBe(true);
      store.info(id);
      if (type === 'blob') {
        const chunks: Buffer[] = [];
        await store.copyBlob(id, (chunk) => chunks.push(chunk));
        expect(Buffer.concat(chunks).equals(data)).toBe(true);
      }
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
      expect(error.code).toBe('STORE_DAMAGED');
      expect(error.data, String(error)).toMatchObject({ object: id, file: expect.any(String) });
      damaged.add(id);
    }
  }
  return damaged;
}

function contents(store: ObjectStore): Map<ObjectId, StoredObject> {
  return new Map([...store.ids()].map((id) => [id, store.read(id)]));
}

/** A store with its own pack, a pack of git's with deltas, and loose objects. */
async function mixedStore(): Promise<StoreFixture> {
  const fixture = storeFixture();
  const { store, git, gitBytes } = fixture;
  for (let version = 0; version < 8; version++) {
    const batch = store.batch();
    const commit = addCommit(batch, { 'a.txt': prose(25, version), 'b.bin': Buffer.from(`${version}`) });
    await batch.finish();
    git('update-ref', `refs/savepoint/cp/${version + 1}`, commit);
  }
  git('repack', '-adf', '--quiet');
  const batch = store.batch();
  batch.add('blob', noise(300));
  batch.add('blob', prose(30, 50));
  await batch.finish();
  gitBytes(['hash-object', '-w', '--stdin'], Buffer.from('loose one'));
  gitBytes(['hash-object', '-w', '--stdin'], prose(10, 3));
  return fixture;
}

/** Number of changed bytes per file. */
const DAMAGES = testEffort({ quick: 40, ci: 300, long: 3_000 });

/** Whether Savepoint reads the file; git has more files next to it. */
function isOfObjects(path: string): boolean {
  return /\/objects\/(?:pack\/.*\.(?:pack|idx)|[0-9a-f]{2}\/.*)$/.test(path);
}

describe('a store with one changed byte', () => {
  test('gives correct data or STORE_DAMAGED that names the file, for every file and position', async () => {
    const fixture = await mixedStore();
    const objects = contents(fixture.again());
    const { disk, files } = inMemory(fixture);
    const random = seededRandom(11);
    const kinds = new Map<string, { tried: number; damaged: number }>();
    for (const [path, bytes] of files) {
      const kind = /\.(pack|idx)$/.exec(path)?.[1] ?? (/objects\/[0-9a-f]{2}\//.test(path) ? 'loose' : null);
      if (kind === null) continue;
      // Every byte of small files, and this many spread over larger ones, one bit each.
      const step = Math.ceil(bytes.length / DAMAGES);
      for (let at = 0; at < bytes.length; at += step) {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] as number) ^ (1 << random.integer(8));
        put(disk, path, changed);
        const store = ObjectStore.open(simPorts(disk), '/store' as DiskPath);
        const damaged = await expectNoWrongData(store, objects);
        const count = kinds.get(kind) ?? { tried: 0, damaged: 0 };
        kinds.set(kind, { tried: count.tried + 1, damaged: count.damaged + (damaged.size > 0 ? 1 : 0) });
      }
      put(disk, path, bytes);
    }
    for (const kind of ['pack', 'idx', 'loose']) expect(kinds.get(kind)?.tried, kind).toBeGreaterThan(30);
    // An index with a single wrong bit is not trusted at all.
    expect(kinds.get('idx')?.damaged).toBe(kinds.get('idx')?.tried);
    expect(await expectNoWrongData(ObjectStore.open(simPorts(disk), '/store' as DiskPath), objects)).toEqual(new Set());
  });

  test('gives correct data or STORE_DAMAGED if files are truncated or empty', async () => {
    const fixture = await mixedStore();
    const objects = contents(fixture.again());
    const { disk, files } = inMemory(fixture);
    for (const [path, bytes] of files) {
      if (!isOfObjects(path)) continue;
      for (const length of [
        0,
        1,
        11,
        12,
        13,
        31,
        33,
        bytes.length >> 1,
        bytes.length - 21,
        bytes.length - 20,
        bytes.length - 1,
      ]) {
        if (length < 0 || length >= bytes.length) continue;
        put(disk, path, bytes.subarray(0, length));
        const store = ObjectStore.open(simPorts(disk), '/store' as DiskPath);
        await expectNoWrongData(store, objects);
        const problems = await store.verifyObjects({ deep: true, pace: fixture.pace });
        expect(
          problems.map(({ file }) => file.replace(/\.(idx|pack)$/, '')),
          `${path} ${length}`,
        ).toContain(path.replace(/\.(idx|pack)$/, ''));
      }
      put(disk, path, bytes);
    }
  });

  test('is found by verifyObjects, which names the file and, in a pack, the object', async () => {
    const fixture = await mixedStore();
    const objects = contents(fixture.again());
    const { disk, files } = inMemory(fixture);
    const random = seededRandom(5);
    let named = 0;
    for (const [path, bytes] of files) {
      if (!isOfObjects(path)) continue;
      for (let round = 0; round < testEffort({ quick: 15, ci: 60, long: 60 }); round++) {
        const changed = Buffer.from(bytes);
        const at = random.integer(bytes.length);
        changed[at] = (changed[at] as number) ^ (1 << random.integer(8));
        put(disk, path, changed);
        const store = ObjectStore.open(simPorts(disk), '/store' as DiskPath);
        const problems = await store.verifyObjects({ deep: true, pace: fixture.pace });
        if (problems.length === 0) {
          // Only the compression level in a stream's zlib header has no meaning; git ignores it, too.
          expect(path).not.toMatch(/pack$|idx$/);
          expect(await expectNoWrongData(store, objects)).toEqual(new Set());
          continue;
        }
        for (const { file } of problems) expect(basename(file)).toBe(basename(path));
        if (problems.some(({ object }) => object !== undefined)) named++;
      }
      put(disk, path, bytes);
    }
    expect(named).toBeGreaterThan(50);
    const whole = ObjectStore.open(simPorts(disk), '/store' as DiskPath);
    expect(await whole.verifyObjects({ deep: true, pace: fixture.pace })).toEqual([]);
    expect(await whole.verifyObjects({ deep: false, pace: fixture.pace })).toEqual([]);
  });
});

describe('damage is contained', () => {
  test('a damaged index hides only its own pack, and objects that are added then are written again', async () => {
    const fixture = storeFixture();
    const added = async (text: string): Promise<ObjectId> => {
      const batch = fixture.store.batch();
      const id = batch.add('blob', Buffer.from(text));
      await batch.finish();
      return id;
    };
    const ids = [await added('one'), await added('two')] as const;
    const packOf = (id: ObjectId): string =>
      readdirSync(fixture.path('objects/pack')).find(
        (name) =>
          name.endsWith('.idx') && readFileSync(fixture.path('objects/pack', name)).includes(Buffer.from(id, 'hex')),
      ) as string;
    const index = fixture.path('objects/pack', packOf(ids[0]));
    truncateSync(index, 100);
    const store = fixture.again();
    expect(store.read(ids[1]).data.toString()).toBe('two');
    expect(store.has(ids[0])).toBe(false);
    expect(() => store.read(ids[0])).toThrow(expect.objectContaining({ data: { object: ids[0], file: index } }));
    expect(() => store.info(ids[0])).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    const batch = store.batch();
    batch.add('blob', Buffer.from('one'));
    await batch.finish();
    expect(store.read(ids[0]).data.toString()).toBe('one');
  });

  test('a folder or a link instead of a pack, an index or an object is damage', async () => {
    const fixture = storeFixture();
    const data = Buffer.from('x');
    const id = hashObject('blob', data);
    const fake = `pack-${'1'.repeat(40)}`;
    mkdirSync(fixture.path('objects/pack', `${fake}.pack`));
    mkdirSync(fixture.path('objects/pack', `${fake}.idx`));
    symlinkSync('/dev/zero', looseFile(fixture, id));
    const store = fixture.again();
    expect(() => store.read(id)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    rmSync(looseFile(fixture, id));
    mkdirSync(looseFile(fixture, id));
    expect(() => store.read(id)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    const problems = await store.verifyObjects({ deep: true, pace: fixture.pace });
    expect(problems.map(({ file }) => basename(file))).toEqual([`${fake}.pack`, basename(looseFile(fixture, id))]);
  });

  test('a good copy is read, whatever the state of the others', () => {
    const fixture = storeFixture();
    const data = prose(100, 1);
    const id = hashObject('blob', data);
    fixture.gitBytes(['hash-object', '-w', '--stdin'], data);
    fixture.git('update-ref', 'refs/keep', fixture.git('commit-tree', '-m', 'x', treeOf(fixture, id)).trim());
    fixture.git('repack', '-a', '--quiet');
    expect(readFileSync(looseFile(fixture, id)).length).toBeGreaterThan(0);
    for (const name of readdirSync(fixture.path('objects/pack')).filter((each) => each.endsWith('.pack'))) {
      const path = fixture.path('objects/pack', name);
      chmodSync(path, 0o600);
      writeFileSync(path, readFileSync(path).fill(0, 12));
    }
    const store = fixture.again();
    expect(store.read(id).data.equals(data)).toBe(true);
    expect(store.info(id)).toEqual({ type: 'blob', size: data.length });
  });
});

function treeOf({ gitBytes }: StoreFixture, id: ObjectId): string {
  return gitBytes(['mktree'], Buffer.from(`100644 blob ${id}\ta\n`))
    .toString()
    .trim();
}

describe('a malicious pack', () => {
  function hostile(fixture: StoreFixture, entries: readonly MadeEntry[]): ObjectStore {
    putPack(fixture, entries);
    return fixture.again();
  }
  const A = 'a'.repeat(40) as ObjectId;
  const B = 'b'.repeat(40) as ObjectId;

  test.each<readonly [string, string, readonly MadeEntry[]]>([
    [
      'says that it is larger than it can be',
      'too large to read into memory',
      [{ id: A, bytes: blobEntry(Buffer.alloc(9), 2 ** 50) }],
    ],
    [
      'says more than its bytes can hold',
      'cannot hold 1000000 bytes',
      [{ id: A, bytes: blobEntry(Buffer.alloc(9), 1e6) }],
    ],
    [
      'inflates to more than it says',
      'does not inflate to 10 bytes',
      [{ id: A, bytes: blobEntry(Buffer.alloc(5e6), 10) }],
    ],
    [
      'inflates to less than it says',
      'inflates to 3 bytes instead of 10',
      [{ id: hashObject('blob', Buffer.from('abc')), bytes: blobEntry(Buffer.from('abc'), 10) }],
    ],
    [
      'is larger than anybody reads whole',
      'too large to read into memory',
      [{ id: A, bytes: Buffer.concat([encodeEntryHeader('blob', 2 ** 32), noise(4_500_000)]) }],
    ],
    ['has a type that is none', 'unknown type 5', [{ id: A, bytes: Buffer.of(0x51, 0x78) }]],
    ['has a size that never ends', 'impossible size', [{ id: A, bytes: Buffer.alloc(60, 0xff) }]],
    ['is based on itself', 'too many deltas', [{ id: A, bytes: keyDelta(A, Buffer.of(1, 1, 1, 0x41)) }]],
    [
      'is based on a delta of itself',
      'too many deltas',
      [
        { id: A, bytes: keyDelta(B, Buffer.of(1, 1, 1, 0x41)) },
        { id: B, bytes: keyDelta(A, Buffer.of(1, 1, 1, 0x41)) },
      ],
    ],
    [
      'stands on what is not there',
      'which is not in its pack',
      [{ id: A, bytes: keyDelta(B, Buffer.of(1, 1, 1, 0x41)) }],
    ],
    [
      'has a base before the pack',
      'is outside of its pack',
      [{ id: A, bytes: Buffer.concat([Buffer.of(0x64, 0xff, 0x7f), deflateSync(Buffer.of(1, 1, 1, 0x41))]) }],
    ],
    [
      'has the pack header as its base',
      'is outside of its pack',
      [{ id: A, bytes: Buffer.concat([Buffer.of(0x64, 0x0c), deflateSync(Buffer.of(1, 1, 1, 0x41))]) }],
    ],
    [
      'has a base at distance 0',
      'too many deltas',
      [{ id: A, bytes: Buffer.concat([Buffer.of(0x64, 0x00), deflateSync(Buffer.of(1, 1, 1, 0x41))]) }],
    ],
    ['is a small object with another id', 'does not match its id', [{ id: A, bytes: blobEntry(Buffer.of(65)) }]],
    ['is a large object with another id', 'does not match its id', [{ id: A, bytes: blobEntry(Buffer.alloc(2e7)) }]],
  ])('an object that %s', async (_, why, entries) => {
    const store = hostile(storeFixture(), entries);
    const { id } = entries[0] as MadeEntry;
    const refused = expect.objectContaining({ code: 'STORE_DAMAGED' });
    expect(() => store.read(id)).toThrow(refused);
    expect(() => store.read(id)).toThrow(why);
    await expect(store.copyBlob(id, () => {})).rejects.toEqual(refused);
    try {
      store.info(id);
    } catch (error) {
      expect(error).toEqual(refused);
    }
  });

  test('a chain of deltas is followed up to the maximum length of git', () => {
    const text = (number: number): Buffer => Buffer.from(`${number}`.padStart(4, '0'));
    const ids = Array.from({ length: 4097 }, (_, number) => hashObject('blob', text(number)));
    const entries = ids.map((id, number) => {
      if (number === 0) return { id, bytes: blobEntry(text(0)) };
      return { id, bytes: keyDelta(ids[number - 1] as ObjectId, Buffer.concat([Buffer.of(4, 4, 4), text(number)])) };
    });
    const fixture = storeFixture();
    const at = (number: number): ObjectId => ids[number] as ObjectId;
    expect(hostile(fixture, entries).read(at(4095)).data).toEqual(text(4095));
    expect(fixture.again().info(at(4095))).toEqual({ type: 'blob', size: 4 });
    const tooDeep = expect.objectContaining({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining('too many deltas'),
    });
    expect(() => fixture.again().read(at(4096))).toThrow(tooDeep);
    expect(() => fixture.again().info(at(4096))).toThrow(tooDeep);
  });

  test('an absent object is reported as missing by every function', async () => {
    const { store } = storeFixture();
    const missing = expect.objectContaining({ code: 'STORE_DAMAGED', message: expect.stringContaining('not in the') });
    expect(() => store.read(A)).toThrow(missing);
    await expect(store.copyBlob(A, () => {})).rejects.toEqual(missing);
    expect(store.info(A)).toBeNull();
  });

  test('an object that is not a blob, requested as one', async () => {
    const { store } = storeFixture();
    const batch = store.batch();
    const id = batch.add('tree', Buffer.alloc(0));
    await expect(batch.copyBlob(id, () => {})).rejects.toMatchObject({ code: 'STORE_DAMAGED', data: { object: id } });
    await batch.finish();
    await expect(store.copyBlob(id, () => {})).rejects.toMatchObject({ code: 'STORE_DAMAGED', data: { object: id } });
  });

  test('a loose object with a wrong header', () => {
    const fixture = storeFixture();
    const id = hashObject('blob', Buffer.from('abc'));
    for (const stream of [
      'blob 4\0abc',
      'blob 2\0abc',
      'tree 3\0abc',
      'blob 03\0abc',
      'blob 99999999999999999999\0abc',
      'blub 3\0abc',
      '',
      'blob 3',
    ]) {
      writeFileSync(looseFile(fixture, id), deflateSync(Buffer.from(stream)));
      expect(() => fixture.again().read(id), stream).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    }
    writeFileSync(looseFile(fixture, id), deflateSync(Buffer.from('blob 9000000000\0abc')));
    expect(() => fixture.again().read(id)).toThrow('too large to read into memory (9000000000 bytes)');
    writeFileSync(looseFile(fixture, id), deflateSync(Buffer.concat([Buffer.from('blob 3\0'), Buffer.alloc(1e8)])));
    expect(() => fixture.again().read(id)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    writeFileSync(looseFile(fixture, id), deflateSync(Buffer.from('blob 3\0abc')));
    expect(fixture.again().read(id).data.toString()).toBe('abc');
  });
});
