import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DiskPath } from '../../../../src/model/names.ts';
import { FormatProblem } from '../../../../src/store/objects/damage.ts';
import { PackIndex } from '../../../../src/store/objects/packs/pack-index.ts';
import { type StoreFixture, storeFixture } from '../../store-fixture.ts';

const NAMES = 8 + 256 * 4;

async function packed(): Promise<{
  readonly fixture: StoreFixture;
  readonly pack: DiskPath;
  readonly index: Buffer;
  readonly ids: string[];
}> {
  const fixture = storeFixture();
  const batch = fixture.store.batch();
  const ids = ['one', 'two', 'three', 'four'].map((text) => batch.add('blob', Buffer.from(text)));
  await batch.finish();
  const folder = fixture.path('objects/pack');
  const name = readdirSync(folder).find((each) => each.endsWith('.pack')) ?? '';
  const index = readFileSync(join(folder, name.replace(/pack$/, 'idx')));
  return { fixture, pack: join(folder, name) as DiskPath, index, ids };
}

/** Adopts the pack into another store, with an index that was changed and given a new checksum. */
async function take(change: (index: Buffer, count: number) => void) {
  const { fixture, pack, index, ids } = await packed();
  change(index, ids.length);
  createHash('sha1')
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  const other = storeFixture();
  const file = fixture.ports.fs.openRead(pack);
  const batch = other.store.batch();
  try {
    const taken = await batch.adoptPack({ path: pack, file, index: new PackIndex(index) }, 'copy');
    return { taken, batch, other, ids };
  } catch (error) {
    expect(readdirSync(other.path('objects/pack'))).toEqual([]);
    throw error;
  } finally {
    fixture.ports.fs.close(file);
  }
}

test('an adopted pack is available at once, and durable with the batch', async () => {
  const { taken, batch, other, ids } = await take(() => {});
  expect(taken).toBe(true);
  for (const id of ids) expect(batch.has(id as never)).toBe(true);
  expect(batch.read(ids[0] as never).data.toString()).toBe('one');
  await batch.finish();
  expect(readdirSync(other.path('objects/pack')).length).toBe(2);
  expect(other.store.read(ids[3] as never).data.toString()).toBe('four');
});

test('nothing of it is left when the batch is abandoned', async () => {
  const { batch, other } = await take(() => {});
  batch.abandon();
  expect(readdirSync(other.path('objects/pack'))).toEqual([]);
});

test('a pack whose name is in use is not adopted', async () => {
  const { fixture, pack, index } = await packed();
  const file = fixture.ports.fs.openRead(pack);
  const batch = fixture.store.batch();
  expect(await batch.adoptPack({ path: pack, file, index: new PackIndex(index) }, 'copy')).toBe(false);
  batch.abandon();
  expect(readdirSync(fixture.path('objects/pack')).length).toBe(2);
  fixture.ports.fs.close(file);
});

test.each<readonly [string, (index: Buffer, count: number) => void]>([
  [
    'ids out of order',
    (index, count) => {
      const last = Buffer.from(index.subarray(NAMES + (count - 1) * 20, NAMES + count * 20));
      index.copyWithin(NAMES + 20, NAMES, NAMES + (count - 1) * 20);
      last.copy(index, NAMES);
    },
  ],
  ['an entry beyond the end', (index, count) => index.writeUInt32BE(100_000, NAMES + count * 24)],
  [
    'two entries in one place',
    (index, count) => index.copy(index, NAMES + count * 24, NAMES + count * 24 + 4, NAMES + count * 24 + 8),
  ],
  [
    'nothing at the beginning',
    (index, count) => {
      for (let at = 0; at < count; at++) {
        const field = NAMES + count * 24 + at * 4;
        if (index.readUInt32BE(field) === 12) index.writeUInt32BE(13, field);
      }
    },
  ],
  ['another pack', (index) => index.fill(0, index.length - 40, index.length - 20)],
])('an index that claims %s is refused, and nothing is left', async (_, change) => {
  await expect(take(change)).rejects.toThrow(FormatProblem);
});
