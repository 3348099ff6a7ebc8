import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormatProblem } from '../../../../src/store/objects/damage.ts';
import { applyDelta, deltaSizes } from '../../../../src/store/objects/packs/delta.ts';

const BASE = Buffer.from('0123456789'.repeat(20));

function size(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...size(Math.floor(value / 128))];
}

function delta(result: number, ...instructions: number[]): Buffer {
  return Buffer.of(...size(BASE.length), ...size(result), ...instructions);
}

describe('applyDelta', () => {
  test('copies and inserts', () => {
    const made = applyDelta(BASE, delta(8, 0b10010001, 5, 3, 2, 0x41, 0x42, 0b10010000, 3));
    expect(made.toString()).toBe('567AB012');
  });

  test('a copy without a size copies 64 KiB', () => {
    const base = Buffer.alloc(0x10000 + 1, 'x');
    expect(applyDelta(base, Buffer.of(...size(base.length), ...size(0x10000), 0x81, 1)).length).toBe(0x10000);
  });

  test.each([
    ['no sizes', Buffer.of(), 'without sizes'],
    ['a size that never ends', Buffer.alloc(30, 0xff), 'without sizes'],
    ['another base', Buffer.of(...size(7), 1, 1, 0x41), 'another object'],
    ['the instruction that is none', delta(1, 0), 'unknown instruction'],
    ['an insert beyond its end', delta(5, 5, 1, 2), 'beyond the end'],
    ['a copy beyond the base', delta(10, 0b10010001, 195, 10), 'beyond the end'],
    ['a copy whose offset is cut', delta(10, 0b10010001), 'beyond the end'],
    ['a copy whose size is cut', delta(10, 0b10010001, 1), 'beyond the end'],
    ['a result that is longer than said', delta(2, 0b10010000, 3), 'another size'],
    ['a result that is shorter than said', delta(200, 0b10010000, 3), 'another size'],
    [
      'a result that exceeds any memory',
      Buffer.of(...size(BASE.length), ...size(2 ** 40), 1, 0x41),
      'a delta for 1099511627776 bytes',
    ],
  ])('%s is a problem', (_, bytes, why) => {
    expect(() => applyDelta(BASE, bytes)).toThrow(FormatProblem);
    expect(() => applyDelta(BASE, bytes)).toThrow(why);
  });

  test('a small delta cannot create a huge object: its size is checked before allocation', () => {
    const bomb = Buffer.concat([
      Buffer.of(...size(0x1000000), ...size(2 ** 31)),
      Buffer.concat(Array(127).fill(Buffer.of(0b11110000, 0xff, 0xff, 0xff))),
    ]);
    expect(() => applyDelta(Buffer.alloc(0x1000000), bomb)).toThrow(/another size/);
  });

  test('any bytes give a result of the declared size or a problem', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (instructions) => {
        const bytes = delta(10, ...instructions);
        try {
          expect(applyDelta(BASE, bytes).length).toBe(deltaSizes(bytes).result);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatProblem);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
