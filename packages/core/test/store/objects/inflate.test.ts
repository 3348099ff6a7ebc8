import { constants, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADLER_START, adler32 } from '../../../src/store/objects/adler32.ts';
import { FormatProblem } from '../../../src/store/objects/damage.ts';
import { Inflater } from '../../../src/store/objects/inflate.ts';
import { inflate, PieceDeflater } from '../../../src/store/objects/zlib-data.ts';
import { noise, prose } from '../store-fixture.ts';

/** Inflates everything, with input chunks of `size` bytes. Returns the data and the number of bytes consumed. */
function inflated(stream: Buffer, size: number): { data: Buffer; consumed: number } {
  let at = 0;
  const inflater = new Inflater(() => {
    const piece = stream.subarray(at, at + size);
    at += piece.length;
    return piece;
  });
  const pieces: Buffer[] = [];
  for (let piece = inflater.next(); piece !== null; piece = inflater.next()) pieces.push(piece);
  expect(inflater.next()).toBeNull();
  return { data: Buffer.concat(pieces), consumed: inflater.consumed };
}

const STRATEGIES = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
];
const contents = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc
    .array(fc.constantFrom('a', 'ab', 'abcabcabc', 'x'.repeat(300)), { maxLength: 200 })
    .map((parts) => Buffer.from(parts.join(''))),
);
const options = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  strategy: fc.constantFrom(...STRATEGIES),
  windowBits: fc.integer({ min: 9, max: 15 }),
  memLevel: fc.integer({ min: 1, max: 9 }),
});

/** Returns the bits of a block after a stream header. Fields as in RFC 1951, least significant bit first. */
function block(...fields: readonly string[]): Buffer {
  const bits = fields.join('').replaceAll(' ', '');
  const bytes = [0x78, 0x01];
  for (let at = 0; at < bits.length; at += 8) {
    bytes.push(Number.parseInt([...bits.slice(at, at + 8).padEnd(8, '0')].reverse().join(''), 2));
  }
  return Buffer.from([...bytes, 0, 0, 0, 0]);
}

/** The last block, with its own codes (dynamic) or with the fixed ones. */
const DYNAMIC = '1 01';
const FIXED = '1 10';
/** 257 literals, one distance, four code lengths: for a repetition, 3 to 10 and 11 to 138 zeros, and a zero. */
const SMALLEST = '00000 00000 0000';
/** One bit for "11 to 138 zeros", one for a zero. */
const ZEROS = '000 000 100 100';

/** The end has code 0, a length of 3 has code 1, the only distance has code 0; code 1 is not a distance. */
const LONE_DISTANCE = [
  '10000 00000 0111',
  '000 000 100',
  '000 '.repeat(14),
  '100',
  '1 1111111 1 1101011',
  '0 0',
  '0',
].join(' ');

describe('Inflater', () => {
  test('inflates the output of zlib with any settings, and detects the end of the stream', () => {
    fc.assert(
      fc.property(contents, options, fc.integer({ min: 1, max: 700 }), (content, settings, size) => {
        const stream = deflateSync(content, settings);
        const found = inflated(Buffer.concat([stream, Buffer.from('next entry')]), size);
        expect(found.data.equals(content)).toBe(true);
        expect(found.consumed).toBe(stream.length);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['bytes that do not compress', noise(700_000)],
    ['one byte again and again', Buffer.alloc(5_000_000, 7)],
    ['text', prose(40_000, 1)],
    ['repetition from exactly the window away', Buffer.concat([noise(32_768), noise(10)]).subarray(10)],
    ['two halves that are the same, 32 KiB apart', Buffer.concat(Array(4).fill(noise(32_768)))],
  ])('keeps its window over many pieces: %s', (_, content) => {
    for (const level of [1, 6, 9]) {
      const { data } = inflated(deflateSync(content, { level }), 4096);
      expect(data.equals(content)).toBe(true);
    }
  });

  test('a changed byte is a problem or changes nothing, as in zlib', () => {
    fc.assert(
      fc.property(contents, options, fc.nat(), fc.integer({ min: 0, max: 255 }), (content, settings, at, byte) => {
        const stream = Buffer.from(deflateSync(content, settings));
        stream[at % stream.length] = byte;
        let ours: Buffer | null = null;
        try {
          ours = inflated(stream, 512).data;
        } catch (error) {
          expect(error).toBeInstanceOf(FormatProblem);
        }
        let zlibs: Buffer | null = null;
        try {
          zlibs = inflate(stream, content.length).data;
        } catch (error) {
          expect(error).toBeInstanceOf(FormatProblem);
        }
        // The checksum is weak: another content may have the same.
        if (ours?.equals(content) === false) expect(adler32(ours, ADLER_START)).toBe(adler32(content, ADLER_START));
        // zlib also refuses distances beyond the window size in the header. Nothing else may differ.
        if (zlibs !== null) expect(ours).toEqual(zlibs);
      }),
      { numRuns: 3000 },
    );
  });

  test('a stream truncated anywhere ends too early', () => {
    const stream = deflateSync(prose(200, 1));
    for (let length = 0; length < stream.length; length++) {
      expect(() => inflated(stream.subarray(0, length), 64)).toThrow(FormatProblem);
    }
  });

  test.each([
    ['another method', Buffer.of(0x77, 0x03), 'not a zlib stream'],
    ['a window that is too large', Buffer.of(0x88, 0x1c), 'not a zlib stream'],
    ['a header that does not add up', Buffer.of(0x78, 0x02), 'not a zlib stream'],
    ['a dictionary', Buffer.of(0x78, 0x20), 'needs a dictionary'],
    ['a block of no type', block('1 11'), 'unknown type'],
    ['a stored block with two lengths', Buffer.of(0x78, 0x01, 0x01, 5, 0, 5, 0), 'malformed stored block'],
    ['codes beyond the alphabet', block(DYNAMIC, '11111 00000 0000'), 'too many codes'],
    ['distances beyond theirs', block(DYNAMIC, '00000 11111 0000'), 'too many codes'],
    ['a code for lengths that no bits have', block(DYNAMIC, SMALLEST, '000 000 000 000'), 'lacks codes'],
    ['a code for lengths with bits to spare', block(DYNAMIC, SMALLEST, '010 000 000 000'), 'lacks codes'],
    ['a code for lengths with too few bits', block(DYNAMIC, SMALLEST, '100 100 100 000'), 'more codes than fit'],
    ['a repetition of nothing', block(DYNAMIC, SMALLEST, '100 000 000 100', '1 00'), 'before the first'],
    ['a repetition beyond the end', block(DYNAMIC, SMALLEST, ZEROS, '1 1111111', '1 1111111'), 'too often'],
    ['a block that cannot end', block(DYNAMIC, SMALLEST, ZEROS, '1 1111111', '1 1011011'), 'without an end'],
    ['a length that is none', block(FIXED, '11000110'), 'an invalid length'],
    ['a distance that is none', block(FIXED, '0000001', '11110'), 'an invalid distance'],
    ['a distance beyond the beginning', block(FIXED, '0000001', '00000'), 'refers to data before its start'],
    ['a distance by a code that nothing has', block(DYNAMIC, LONE_DISTANCE, '1', '1'), 'undefined code'],
    [
      'another checksum',
      Buffer.concat([deflateSync('abc').subarray(0, -4), Buffer.alloc(4)]),
      'does not match its checksum',
    ],
  ])('%s is a problem', (_, stream, why) => {
    expect(() => inflated(stream, 64)).toThrow(why);
  });

  test('random bytes are a problem and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const stream = Buffer.concat([Buffer.of(0x78, 0x01), bytes]);
        try {
          inflated(stream, 64);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatProblem);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('PieceDeflater', () => {
  test('makes one stream from any pieces, which zlib and Inflater can read', () => {
    fc.assert(
      fc.property(fc.array(contents, { maxLength: 6 }), (pieces) => {
        const deflater = new PieceDeflater();
        const stream = Buffer.concat([...pieces.map((piece) => deflater.add(piece)), deflater.finish()]);
        const content = Buffer.concat(pieces);
        expect(inflate(stream, content.length)).toEqual({ data: content, consumed: stream.length });
        expect(inflated(stream, 100)).toEqual({ data: content, consumed: stream.length });
      }),
    );
  });
});

describe('adler32', () => {
  test('equals the checksum that zlib writes, also beyond its run length', () => {
    for (const content of [Buffer.alloc(0), Buffer.alloc(20_000, 255), noise(100_000)]) {
      expect(adler32(content, ADLER_START)).toBe(deflateSync(content).readUInt32BE(deflateSync(content).length - 4));
    }
  });
});
