import { truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../../../../src/model/ids.ts';
import { ENTRY_BYTES } from '../../../../src/store/objects/limits.ts';
import { ObjectFiles } from '../../../../src/store/objects/object-files.ts';
import { hashObject } from '../../../../src/store/objects/object-hash.ts';
import type { PackFile } from '../../../../src/store/objects/packs/pack-file.ts';
import { PACK_HEADER_BYTES } from '../../../../src/store/objects/packs/pack-format.ts';
import { blobEntry, keyDelta, type MadeEntry, putPack, type StoreFixture, storeFixture } from '../../store-fixture.ts';

const ABC = Buffer.from('abc');
const ID = hashObject('blob', ABC);

/** The only pack of a store, and the object's position in it. */
function packed({ ports, folder }: StoreFixture, id: ObjectId): { readonly pack: PackFile; readonly place: number } {
  const files = new ObjectFiles(ports, folder);
  const [found] = files.packs.findAll(id);
  if (found === undefined) throw new Error(`${id} is in no pack`);
  return found;
}

/** Matches damage of that object in that file, for that reason. */
function damage(object: ObjectId, file: string, why: string) {
  return expect.objectContaining({
    code: 'STORE_DAMAGED',
    message: `Object ${object}: ${why} (${file}).`,
    data: { object, file },
  });
}

describe('an entry that is copied unchanged between packs', () => {
  test.each<readonly [string, (pack: PackFile, place: number) => Buffer, head: number]>([
    ['in memory', (pack, place) => Buffer.from(pack.compressedBytes(place)), 1],
    ['from file to file', (pack, place) => Buffer.concat([...pack.filePieces(place)]), 0],
  ])('must match the checksum in the index: %s', (_, copy, head) => {
    const entry: MadeEntry = { id: ID, bytes: blobEntry(ABC) };
    const sound = storeFixture();
    putPack(sound, [entry]);
    const { pack, place } = packed(sound, ID);
    expect(copy(pack, place)).toEqual(entry.bytes.subarray(head));

    const broken = storeFixture();
    const { pack: file } = putPack(broken, [{ ...entry, crc: 1 }]);
    const changed = packed(broken, ID);
    expect(() => copy(changed.pack, changed.place)).toThrow(damage(ID, file, 'does not match its checksum'));
    // The object itself is intact.
    expect(changed.pack.read(changed.place).data).toEqual(ABC);
  });

  test('is never a delta, which is useless without its base', () => {
    const fixture = storeFixture();
    const other = hashObject('blob', Buffer.from('xyz'));
    const delta = Buffer.concat([Buffer.of(3, 3, 3), Buffer.from('xyz')]);
    const { pack: file } = putPack(fixture, [
      { id: ID, bytes: blobEntry(ABC) },
      { id: other, bytes: keyDelta(ID, delta) },
    ]);
    const { pack, place } = packed(fixture, other);
    expect(pack.read(place).data.toString()).toBe('xyz');
    expect(() => pack.verifiedBytes(place)).toThrow(damage(other, file, 'is a delta'));
  });
});

test.each<readonly [string, (pack: PackFile, place: number) => unknown]>([
  ['read whole', (pack, place) => pack.read(place)],
  ['read piece by piece', (pack, place) => pack.pieces(place).next()],
  ['copied', (pack, place) => pack.verifiedBytes(place)],
])('a pack that was truncated since it was listed is damage when an object is %s', (_, read) => {
  const fixture = storeFixture();
  const { pack: file } = putPack(fixture, [{ id: ID, bytes: blobEntry(ABC) }]);
  const { pack, place } = packed(fixture, ID);
  truncateSync(file, PACK_HEADER_BYTES + 3);
  expect(() => read(pack, place)).toThrow(damage(ID, file, 'is cut off'));
});

test.each([
  ['more', 'is longer than its header says', Buffer.from('ab')],
  ['less', 'is shorter than its header says', Buffer.from('abc\0\0')],
])('an entry too large for zlib at once that inflates to %s than its header says is damage', (_, why, said) => {
  const fixture = storeFixture();
  // Its id is that of the content it pretends to be.
  const id = hashObject('blob', said);
  const { pack: file } = putPack(fixture, [{ id, bytes: blobEntry(ABC, said.length) }]);
  // A hole: the entry extends up to the last bytes of the file.
  truncateSync(file, ENTRY_BYTES + 1024);
  expect(() => fixture.again().read(id)).toThrow(damage(id, file, why));
});
