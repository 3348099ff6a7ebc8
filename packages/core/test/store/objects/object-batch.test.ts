import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../../../src/model/ids.ts';
import { hashObject } from '../../../src/store/objects/object-hash.ts';
import type { ObjectType } from '../../../src/store/objects/object-reader.ts';
import { encodeTree } from '../../../src/store/objects/tree.ts';
import { file, looseFile, noise, prose, type StoreFixture, storeFixture } from '../store-fixture.ts';

const MIB = 1024 * 1024;

function packs({ path }: StoreFixture): string[] {
  return readdirSync(path('objects/pack')).sort();
}

/** A reader that generates `size` bytes by position, and their hash. */
function generated(size: number): { read: (into: Buffer, position: number) => number; id: ObjectId; reads: number[] } {
  const block = noise(MIB);
  const reads: number[] = [];
  const read = (into: Buffer, position: number): number => {
    reads.push(position);
    const length = Math.min(into.length, size - position, MIB - (position % MIB));
    if (length <= 0) return 0;
    block.copy(into, 0, position % MIB, (position % MIB) + length);
    // Each block differs from the others in its first bytes.
    if (position % MIB === 0 && length >= 4) into.writeUInt32BE(position / MIB, 0);
    return length;
  };
  const hash = createHash('sha1').update(`blob ${size}\0`);
  const buffer = Buffer.alloc(MIB);
  for (let at = 0; at < size; ) {
    const got = read(buffer.subarray(0, Math.min(MIB, size - at)), at);
    hash.update(buffer.subarray(0, got));
    at += got;
  }
  reads.length = 0;
  return { read, id: hash.digest('hex') as ObjectId, reads };
}

async function copied(
  reader: { copyBlob: (id: ObjectId, sink: (chunk: Buffer) => void) => Promise<void> },
  id: ObjectId,
) {
  const chunks: Buffer[] = [];
  await reader.copyBlob(id, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

describe('what a batch writes', () => {
  test('is valid for git, which reads every object', async () => {
    const fixture = storeFixture();
    const { store, git, gitBytes } = fixture;
    const objects = new Map<ObjectId, { type: ObjectType; data: Buffer }>();
    for (let round = 0; round < 3; round++) {
      const batch = store.batch();
      const add = (type: ObjectType, data: Buffer): ObjectId => {
        const id = batch.add(type, data);
        objects.set(id, { type, data });
        return id;
      };
      const blobs = [0, 1, 15, 16, 17, 2047, 2048, 100_000].map((size) =>
        add('blob', noise(size + (size > 1 ? round : 0))),
      );
      blobs.push(add('blob', prose(5000, round)));
      const tree = add('tree', encodeTree(blobs.map((id, at) => file(`file ${at}`, id))));
      const empty = add('tree', Buffer.alloc(0));
      const top = add(
        'tree',
        encodeTree([
          { ...file('sub', tree), mode: 0o40000 },
          { ...file('none', empty), mode: 0o40000 },
        ]),
      );
      const person = 'Test <test@example.invalid> 1700000000 +0000';
      const commit = add(
        'commit',
        Buffer.from(`tree ${top}\nauthor ${person}\ncommitter ${person}\n\nround ${round}\n`),
      );
      const tag = `object ${commit}\ntype commit\ntag t${round}\ntagger ${person}\n\ntag\n`;
      add('tag', Buffer.from(tag));
      await batch.finish();
      git('update-ref', `refs/savepoint/${round}`, commit);
    }
    expect(packs(fixture).filter((name) => name.endsWith('.pack'))).toHaveLength(3);
    expect(git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
    for (const name of packs(fixture).filter((each) => each.endsWith('.idx')))
      git('verify-pack', `objects/pack/${name}`);
    const listed = gitBytes(['cat-file', '--batch'], Buffer.from([...objects.keys()].map((id) => `${id}\n`).join('')));
    const expected = [...objects].flatMap(([id, { type, data }]) => [
      Buffer.from(`${id} ${type} ${data.length}\n`),
      data,
      Buffer.from('\n'),
    ]);
    expect(listed.equals(Buffer.concat(expected))).toBe(true);
    for (const [id, { type, data }] of objects) {
      expect(store.read(id).type).toBe(type);
      expect(store.read(id).data.equals(data)).toBe(true);
      expect(store.info(id)).toEqual({ type, size: data.length });
      expect(store.has(id)).toBe(true);
    }
    expect([...store.ids()].sort()).toEqual([...objects.keys()].sort());
  });

  test('is private, and consists only of a pack and its index', async () => {
    const fixture = storeFixture();
    const batch = fixture.store.batch();
    batch.add('blob', Buffer.from('one'));
    batch.add('blob', Buffer.from('two'));
    await batch.finish();
    expect(packs(fixture)).toEqual([
      expect.stringMatching(/^pack-[0-9a-f]{40}\.idx$/),
      expect.stringMatching(/^pack-[0-9a-f]{40}\.pack$/),
    ]);
    for (const name of packs(fixture)) expect(statSync(fixture.path('objects/pack', name)).mode & 0o777).toBe(0o600);
  });

  test('is nothing if nothing was added, or only existing objects', async () => {
    const fixture = storeFixture();
    await fixture.store.batch().finish();
    expect(packs(fixture)).toEqual([]);
    const first = fixture.store.batch();
    const id = first.add('blob', Buffer.from('x'));
    expect(first.add('blob', Buffer.from('x'))).toBe(id);
    expect(first.count).toBe(1);
    await first.finish();
    const before = packs(fixture);
    const second = fixture.store.batch();
    expect(second.add('blob', Buffer.from('x'))).toBe(id);
    expect(second.count).toBe(0);
    await second.finish();
    expect(packs(fixture)).toEqual(before);
  });

  test('is nothing after abandon, and a batch can be used only once', async () => {
    const fixture = storeFixture();
    const batch = fixture.store.batch();
    const id = batch.add('blob', Buffer.from('x'));
    batch.addBlobFrom(17 * MIB, generated(17 * MIB).read);
    expect(packs(fixture)).not.toEqual([]);
    batch.abandon();
    batch.abandon();
    expect(packs(fixture)).toEqual([]);
    expect(fixture.store.has(id)).toBe(false);
    expect(() => batch.add('blob', Buffer.from('y'))).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    const done = fixture.store.batch();
    done.add('blob', Buffer.from('x'));
    await done.finish();
    await expect(done.finish()).rejects.toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    done.abandon();
    expect(fixture.store.has(id)).toBe(true);
  });

  test('is visible to its own reader before it is written, and to other processes afterwards', async () => {
    const { store, again } = storeFixture();
    const other = again();
    const batch = store.batch();
    const id = batch.add('blob', Buffer.from('new'));
    expect(batch.has(id)).toBe(true);
    expect(batch.read(id)).toEqual({ type: 'blob', data: Buffer.from('new') });
    expect(batch.info(id)).toEqual({ type: 'blob', size: 3 });
    expect((await copied(batch, id)).toString()).toBe('new');
    expect(store.has(id)).toBe(false);
    expect(store.info(id)).toBeNull();
    expect(() => store.read(id)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED', data: { object: id } }));
    await batch.finish();
    expect(store.has(id)).toBe(true);
    expect(other.read(id).data.toString()).toBe('new');
    expect(other.has(id)).toBe(true);
  });
});

describe('large contents', () => {
  test('a very large blob is streamed in and out, and git agrees', async () => {
    const fixture = storeFixture();
    const { store, gitBytes } = fixture;
    const size = testEffort({ quick: 34, ci: 80, long: 80 }) * MIB + 12_345;
    const { read, id } = generated(size);
    const batch = store.batch();
    let largest = 0;
    const added = batch.addBlobFrom(size, (into, position) => {
      largest = Math.max(largest, into.length);
      return read(into, position);
    });
    expect(added).toBe(id);
    expect(largest).toBeLessThanOrEqual(MIB);
    expect(batch.info(id)).toEqual({ type: 'blob', size });
    await batch.finish();
    expect(store.info(id)).toEqual({ type: 'blob', size });
    const hash = createHash('sha1').update(`blob ${size}\0`);
    let largestOut = 0;
    await store.copyBlob(id, (chunk) => {
      largestOut = Math.max(largestOut, chunk.length);
      hash.update(chunk);
    });
    expect(hash.digest('hex')).toBe(id);
    expect(largestOut).toBeLessThanOrEqual(2 * MIB);
    expect(hashObject('blob', store.read(id).data)).toBe(id);
    expect(hashObject('blob', gitBytes(['cat-file', 'blob', id]))).toBe(id);
    fixture.git('fsck', '--strict', '--full', '--no-dangling');
  });

  test('an existing object is compared and not written again, at once or streamed', async () => {
    const fixture = storeFixture();
    const size = 20 * MIB;
    const { read, id } = generated(size);
    const whole = Buffer.alloc(size);
    for (let at = 0; at < size; at += MIB) read(whole.subarray(at, at + MIB), at);
    const batch = fixture.store.batch();
    expect(batch.addBlobFrom(size, read)).toBe(id);
    expect(batch.addBlobFrom(size, read)).toBe(id);
    expect(batch.add('blob', whole)).toBe(id);
    expect(batch.count).toBe(1);
    expect((await copied(batch, id)).equals(whole)).toBe(true);
    expect(batch.read(id).data.equals(whole)).toBe(true);
    await batch.finish();
    expect(packs(fixture)).toHaveLength(2);
    const again = fixture.store.batch();
    expect(again.addBlobFrom(size, read)).toBe(id);
    expect(again.add('blob', whole)).toBe(id);
    expect(again.count).toBe(0);
    await again.finish();
    expect(packs(fixture)).toHaveLength(2);
  });

  test('a full pack is written, and the batch still reads from it', async () => {
    const fixture = storeFixture();
    const batch = fixture.store.batch();
    const ids = Array.from({ length: 9 }, () => batch.add('blob', noise(8 * MIB)));
    // One is full, and a part of the next one is in its file.
    expect(packs(fixture).filter((name) => name.endsWith('.pack'))).toHaveLength(2);
    expect(packs(fixture).filter((name) => name.endsWith('.idx'))).toHaveLength(1);
    expect(packs(fixture).every((name) => name.startsWith('tmp_savepoint_'))).toBe(true);
    for (const id of ids) expect(hashObject('blob', batch.read(id).data)).toBe(id);
    expect(batch.add('blob', batch.read(ids[0] as ObjectId).data)).toBe(ids[0]);
    expect(batch.count).toBe(9);
    await batch.finish();
    expect(packs(fixture).filter((name) => name.endsWith('.pack'))).toHaveLength(2);
    for (const id of ids) expect(fixture.store.info(id)).toEqual({ type: 'blob', size: 8 * MIB });
    fixture.git('fsck', '--strict', '--full', '--no-dangling');
  });

  test('a source that ends early gives a shorter blob', async () => {
    const { store } = storeFixture();
    for (const [said, real] of [
      [1000, 10],
      [40 * MIB, 30 * MIB],
      [40 * MIB, 10 * MIB],
      [40 * MIB, 0],
    ] as const) {
      const { read, id } = generated(real);
      const batch = store.batch();
      expect(batch.addBlobFrom(said, read)).toBe(id);
      await batch.finish();
      expect(store.info(id)).toEqual({ type: 'blob', size: real });
    }
  });

  test('a source that changes between two readings gives the last content', async () => {
    const fixture = storeFixture();
    const size = 17 * MIB;
    const first = generated(size);
    const second = generated(size);
    const batch = fixture.store.batch();
    let turns = 0;
    const id = batch.addBlobFrom(size, (into, position) => {
      if (position === 0) turns++;
      return (turns <= 1 ? first : second).read(into, position);
    });
    expect(id).toBe(second.id);
    // Its id is known from the first read, and it changes while it is compared. It must not be taken for the compared
    // object.
    turns = 0;
    const mixed = batch.addBlobFrom(size, (into, position) => {
      if (position === 0) turns++;
      return (turns <= 1 ? second : first).read(into, position);
    });
    expect(mixed).toBe(first.id);
    await batch.finish();
    for (const each of [first.id, second.id]) expect(hashObject('blob', await copied(fixture.store, each))).toBe(each);
  });

  test('a source that keeps shrinking is a file-system error', () => {
    const { store } = storeFixture();
    let size = 60 * MIB;
    const batch = store.batch();
    const read = (into: Buffer, position: number): number => {
      if (position === 0) size -= MIB;
      return Math.max(0, Math.min(into.length, size - position));
    };
    expect(() => batch.addBlobFrom(60 * MIB, read)).toThrow(
      expect.objectContaining({ name: 'FsError', code: 'EAGAIN' }),
    );
    batch.abandon();
  });

  test('after an error of the source, the batch can continue', async () => {
    const fixture = storeFixture();
    const batch = fixture.store.batch();
    const id = batch.add('blob', Buffer.from('kept'));
    let turns = 0;
    const failing = (into: Buffer, position: number): number => {
      if (position === 0) turns++;
      if (turns === 2 && position > 5 * MIB) throw new Error('gone');
      return into.fill(1).length;
    };
    expect(() => batch.addBlobFrom(20 * MIB, failing)).toThrow('gone');
    expect(packs(fixture)).toEqual([]);
    await batch.finish();
    expect(fixture.store.read(id).data.toString()).toBe('kept');
  });
});

describe('an existing object with different bytes', () => {
  test('is a collision: it is not overwritten', () => {
    const { store, path } = storeFixture();
    const data = Buffer.from('what is to be stored');
    const id = hashObject('blob', data);
    // No second content with that hash is known, so a reader without verification fakes one.
    const batch = store.batch();
    batch.add('blob', data);
    const other = { type: 'blob' as const, data: Buffer.from('something else') };
    Object.defineProperty(batch, 'readStored', { value: () => other });
    expect(() => batch.add('blob', data)).toThrow(
      expect.objectContaining({ code: 'STORE_DAMAGED', data: { object: id } }),
    );
    batch.abandon();
    expect(readdirSync(path('objects/pack'))).toEqual([]);
  });

  test('whose copy is damaged is written again, and read from the good copy', async () => {
    const fixture = storeFixture();
    const { store } = fixture;
    const small = Buffer.from('small and precious');
    const { read, id: large } = generated(17 * MIB);
    const first = store.batch();
    const id = first.add('blob', small);
    first.addBlobFrom(17 * MIB, read);
    await first.finish();
    for (const name of packs(fixture).filter((each) => each.endsWith('.pack')))
      flipMiddle(fixture.path('objects/pack', name));
    expect(() => store.read(id)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    const second = store.batch();
    second.add('blob', small);
    second.addBlobFrom(17 * MIB, read);
    expect(second.count).toBe(2);
    await second.finish();
    expect(store.read(id).data.equals(small)).toBe(true);
    expect(hashObject('blob', store.read(large).data)).toBe(large);
    expect(fixture.again().read(id).data.equals(small)).toBe(true);
  });

  test('in a loose file, which git does not make durable, is written into a pack', async () => {
    const fixture = storeFixture();
    fixture.gitBytes(['hash-object', '-w', '--stdin'], Buffer.from('loose'));
    const id = hashObject('blob', Buffer.from('loose'));
    const batch = fixture.store.batch();
    expect(fixture.store.has(id)).toBe(true);
    expect(batch.has(id)).toBe(false);
    expect(batch.read(id).data.toString()).toBe('loose');
    batch.add('blob', Buffer.from('loose'));
    await batch.finish();
    expect(packs(fixture)).toHaveLength(2);
    expect([...fixture.store.ids()]).toEqual([id]);
  });

  test('whose loose file is damaged is written again', async () => {
    const fixture = storeFixture();
    const data = Buffer.from('loose');
    const id = hashObject('blob', data);
    writeFileSync(looseFile(fixture, id), deflateSync(Buffer.from('blob 5\0LOOSE')));
    fixture.store.refresh();
    expect(fixture.store.has(id)).toBe(true);
    const batch = fixture.store.batch();
    batch.add('blob', data);
    await batch.finish();
    expect(fixture.store.read(id).data.equals(data)).toBe(true);
  });
});

function flipMiddle(path: string): void {
  chmodSync(path, 0o600);
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] as number) ^ 0x10;
  writeFileSync(path, bytes);
}
