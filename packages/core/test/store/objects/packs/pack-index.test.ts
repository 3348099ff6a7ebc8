import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormatProblem } from '../../../../src/store/objects/damage.ts';
import { sha1 } from '../../../../src/store/objects/object-hash.ts';
import { encodePackIndex, PackIndex, type PackIndexEntry } from '../../../../src/store/objects/packs/pack-index.ts';

const CHECKSUM = Buffer.alloc(20, 0xab);
const GIB = 1024 ** 3;

const entries = fc.uniqueArray(
  fc.record({
    key: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    crc: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    offset: fc.oneof(
      fc.integer({ min: 12, max: 2 ** 31 - 1 }),
      fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 5 * GIB, Number.MAX_SAFE_INTEGER),
    ),
  }),
  { selector: ({ key }) => key.toString('hex'), maxLength: 40 },
);

/** The same index with its final checksum corrected. */
function resealed(data: Buffer): Buffer {
  sha1(data.subarray(0, -20)).copy(data, data.length - 20);
  return data;
}

const some: readonly PackIndexEntry[] = [
  { key: Buffer.alloc(20, 1), crc: 7, offset: 12 },
  { key: Buffer.alloc(20, 2), crc: 8, offset: 2 ** 31 },
  { key: Buffer.alloc(20, 0xfe), crc: 9, offset: 6 * GIB },
];

describe('PackIndex', () => {
  test('finds every entry with its checksum and offset, also beyond 2 and 4 GiB, and nothing else', () => {
    fc.assert(
      fc.property(entries, fc.uint8Array({ minLength: 20, maxLength: 20 }), (given, other) => {
        const index = new PackIndex(encodePackIndex(given, CHECKSUM));
        expect(index.count).toBe(given.length);
        expect(index.packChecksum.equals(CHECKSUM)).toBe(true);
        for (const { key, crc, offset } of given) {
          const place = index.find(key);
          expect(index.keyAt(place).equals(key)).toBe(true);
          expect(index.idAt(place)).toBe(key.toString('hex'));
          expect(index.isAt(place, key)).toBe(true);
          expect(index.prefixAt(place)).toBe(key.readUInt32BE(0));
          expect([index.crcAt(place), index.offsetAt(place)]).toEqual([crc, offset]);
        }
        const known = given.some(({ key }) => key.equals(other));
        expect(index.find(Buffer.from(other)) >= 0).toBe(known);
      }),
    );
  });

  test('an entry ends where the next one begins, the last at the end; an offset between entries is invalid', () => {
    const index = new PackIndex(encodePackIndex(some, CHECKSUM));
    expect(index.endOf(12, 7 * GIB)).toBe(2 ** 31);
    expect(index.endOf(2 ** 31, 7 * GIB)).toBe(6 * GIB);
    expect(index.endOf(6 * GIB, 7 * GIB)).toBe(7 * GIB);
    expect(index.endOf(13, 7 * GIB)).toBe(-1);
    expect(index.endOf(8 * GIB, 7 * GIB)).toBe(-1);
    expect([...index.positionsInPackOrder()].map((place) => index.offsetAt(place))).toEqual([12, 2 ** 31, 6 * GIB]);
  });

  test('every changed bit is detected', () => {
    const data = encodePackIndex(some, CHECKSUM);
    for (let bit = 0; bit < data.length * 8; bit++) {
      const changed = Buffer.from(data);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => new PackIndex(changed)).toThrow(FormatProblem);
    }
  });

  test('every truncation is detected', () => {
    const data = encodePackIndex(some, CHECKSUM);
    for (let length = 0; length < data.length; length++) {
      expect(() => new PackIndex(data.subarray(0, length))).toThrow(FormatProblem);
    }
  });

  test('a forged index with a valid checksum is refused, or refers to nothing outside of itself', () => {
    const fan = encodePackIndex(some, CHECKSUM);
    fan.writeUInt32BE(9, 8);
    expect(() => new PackIndex(resealed(fan))).toThrow(/backwards/);
    const counted = encodePackIndex(some, CHECKSUM);
    counted.writeUInt32BE(2 ** 31, 8 + 255 * 4);
    expect(() => new PackIndex(resealed(counted))).toThrow(/length/);
    const wide = encodePackIndex(some, CHECKSUM);
    wide.writeUInt32BE(0x80000000 + 2, 8 + 1024 + 3 * 24 + 4);
    expect(() => new PackIndex(resealed(wide)).offsetAt(1)).toThrow(/does not have/);
    const huge = encodePackIndex(some, CHECKSUM);
    huge.writeBigUInt64BE(2n ** 60n, 8 + 1024 + 3 * 28);
    expect(() => new PackIndex(resealed(huge)).offsetAt(1)).toThrow(/invalid offset/);
    fc.assert(
      fc.property(fc.nat({ max: fan.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = encodePackIndex(some, CHECKSUM);
        changed[at] = byte;
        try {
          const index = new PackIndex(resealed(changed));
          for (let place = 0; place < index.count; place++) {
            index.find(index.keyAt(place));
            index.endOf(index.offsetAt(place), 7 * GIB);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(FormatProblem);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
