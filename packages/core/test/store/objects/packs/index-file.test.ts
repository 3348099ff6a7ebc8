import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileHandleCache } from '../../../../src/store/objects/file-handle-cache.ts';
import { openPackIndex } from '../../../../src/store/objects/packs/index-file.ts';
import { encodePackIndex, PackIndex } from '../../../../src/store/objects/packs/pack-index.ts';

const COUNT = 170_000;
const LIMIT = 1 << 30;
const { fs } = realPorts();
let folder = '';
let path = '' as DiskPath;
let data: Buffer = Buffer.alloc(0);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-test-'));
  path = join(folder, 'pack-1.idx') as DiskPath;
  const entries = Array.from({ length: COUNT }, (_, nth) => ({
    key: createHash('sha1').update(`${nth}`).digest(),
    crc: nth,
    // Some do not fit into 31 bits.
    offset: 12 + nth * 20_000,
  }));
  data = encodePackIndex(entries, Buffer.alloc(20, 7));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function paged(): PackIndex {
  writeFileSync(path, data);
  const index = openPackIndex(fs, new FileHandleCache(fs), path, LIMIT);
  expect(index.isPaged).toBe(true);
  return index;
}

test('an index on disk answers like one in memory', () => {
  const [index, memory] = [paged(), new PackIndex(data)];
  expect(index.count).toBe(COUNT);
  expect(index.packChecksum).toEqual(memory.packChecksum);
  index.assertOrdered();
  // Steps that visit the pages in no order, each several times.
  for (let nth = 0, place = 0; nth < 20_000; nth++, place = (place + 61_813) % COUNT) {
    const key = memory.keyAt(place);
    const missing = Buffer.from(key);
    missing[19] = missing[19]! ^ 1;
    expect([index.find(key), index.find(missing)]).toEqual([place, memory.find(missing)]);
    expect([index.idAt(place), index.crcAt(place), index.offsetAt(place), index.prefixAt(place)]).toEqual([
      memory.idAt(place),
      memory.crcAt(place),
      memory.offsetAt(place),
      memory.prefixAt(place),
    ]);
  }
  expect(index.offsetsInPackOrder()).toEqual(memory.offsetsInPackOrder());
  expect(index.inPackOrder(Uint32Array.of(5, 3, 9))).toEqual(memory.inPackOrder(Uint32Array.of(5, 3, 9)));
  expect(
    createHash('sha1')
      .update(Buffer.concat(Array.from(index.pieces(), (one) => Buffer.from(one))))
      .digest(),
  ).toEqual(createHash('sha1').update(data).digest());
});

test('a key stays what it is when other pages are read', () => {
  const index = paged();
  const keys = Array.from({ length: 2_000 }, (_, nth) => index.keyAt((nth * 83) % COUNT));
  const memory = new PackIndex(data);
  keys.forEach((key, nth) => {
    expect(key).toEqual(Buffer.from(memory.keyAt((nth * 83) % COUNT)));
  });
});

test.each([
  ['a changed byte', (bytes: Buffer) => Buffer.from(bytes).fill(7, bytes.length >> 1, (bytes.length >> 1) + 4)],
  ['a changed checksum', (bytes: Buffer) => Buffer.from(bytes).fill(7, bytes.length - 4)],
  ['a missing end', (bytes: Buffer) => bytes.subarray(0, -8)],
])('%s is refused', (_, change) => {
  writeFileSync(path, change(data));
  expect(() => openPackIndex(fs, new FileHandleCache(fs), path, LIMIT)).toThrow('does not match its checksum');
});

test('a file that replaces it is not read', () => {
  writeFileSync(path, data);
  const handles = new FileHandleCache(fs);
  const index = openPackIndex(fs, handles, path, LIMIT);
  const [first, last] = [index.keyAt(0), index.keyAt(COUNT - 1)];
  expect(index.find(Buffer.from(last))).toBe(COUNT - 1);
  renameSync(path, `${path}.old`);
  // As long as the handle is open, the old file is read.
  expect(index.find(Buffer.from(first))).toBe(0);
  handles.closeAll();
  expect(() => index.crcAt(COUNT >> 1)).toThrow('ENOENT');
  writeFileSync(path, readFileSync(`${path}.old`));
  expect(() => index.crcAt(COUNT >> 1)).toThrow('ENOENT');
});

test('ids that are not evenly distributed are found, and a wrong order is noticed', () => {
  const entries = Array.from({ length: 220_000 }, (_, nth) => {
    const key = Buffer.alloc(20);
    key[0] = 9;
    key.writeUInt32BE(nth, 16);
    return { key, crc: 0, offset: 12 + nth };
  });
  const bytes = encodePackIndex(entries, Buffer.alloc(20));
  writeFileSync(path, bytes);
  const index = openPackIndex(fs, new FileHandleCache(fs), path, LIMIT);
  for (let nth = 0; nth < entries.length; nth += 977) expect(index.find(entries[nth]!.key)).toBe(nth);
  index.assertOrdered();
  const at = 1032 + 20 * 100_000;
  bytes.copyWithin(at, at + 20, at + 40);
  createHash('sha1')
    .update(bytes.subarray(0, -20))
    .digest()
    .copy(bytes, bytes.length - 20);
  writeFileSync(path, bytes);
  expect(() => openPackIndex(fs, new FileHandleCache(fs), path, LIMIT).assertOrdered()).toThrow('is not in order');
});
