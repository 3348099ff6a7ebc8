import { constants, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ADLER_START, adler32 } from '../../src/store/objects/adler32.ts';
import { FormatProblem } from '../../src/store/objects/damage.ts';
import { Inflater } from '../../src/store/objects/inflate.ts';
import { inflate, PieceDeflater } from '../../src/store/objects/zlib-data.ts';
import { noise, prose } from './store-fixture.ts';

/** Everything, and how many bytes it took, the input coming in pieces of `size` bytes. */
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

describe('Inflater', () => {
  test('inflates what zlib deflates, whatever its settings, and knows where the stream ends', () => {
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

  test('a changed byte is a problem or changes nothing, as zlib says', () => {
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
        // The checksum is a weak one: another content may have the same.
        if (ours?.equals(content) === false) expect(adler32(ours, ADLER_START)).toBe(adler32(content, ADLER_START));
        // zlib also refuses distances beyond the window that the header names; nothing else may differ.
        if (zlibs !== null) expect(ours).toEqual(zlibs);
      }),
      { numRuns: 3000 },
    );
  });

  test('a stream cut anywhere ends too early', () => {
    const stream = deflateSync(prose(200, 1));
    for (let length = 0; length < stream.length; length++) {
      expect(() => inflated(stream.subarray(0, length), 64)).toThrow(FormatProblem);
    }
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
  test('makes one stream of any pieces, which zlib and we inflate', () => {
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
  test('is what zlib writes at the end of a stream, also beyond its run length', () => {
    for (const content of [Buffer.alloc(0), Buffer.alloc(20_000, 255), noise(100_000)]) {
      expect(adler32(content, ADLER_START)).toBe(deflateSync(content).readUInt32BE(deflateSync(content).length - 4));
    }
  });
});
