import { describe, expect, test } from 'vitest';
import { isBinary, textOrBinary } from '../../src/content/text-or-binary.ts';

describe('text or binary', () => {
  test('a NUL within the first 8000 bytes makes a content binary, a later one does not', () => {
    const withNulAt = (at: number) => Buffer.concat([Buffer.alloc(at, 'a'), Buffer.alloc(1), Buffer.alloc(9000, 'b')]);
    expect(isBinary(withNulAt(0))).toBe(true);
    expect(isBinary(withNulAt(7999))).toBe(true);
    expect(isBinary(withNulAt(8000))).toBe(false);
    expect(isBinary(Buffer.alloc(0))).toBe(false);
  });

  test('bytes that are no UTF-8 are text', () => {
    expect(textOrBinary(Buffer.from([0xff, 0xfe, 0x0a, 0x80]))).toBe('text');
  });

  test('a content over the bound is too long, and binary all the same if it is', () => {
    expect(textOrBinary(Buffer.from('abc'), 3)).toBe('text');
    expect(textOrBinary(Buffer.from('abcd'), 3)).toBe('too-long');
    expect(textOrBinary(Buffer.from('a\0cd'), 3)).toBe('binary');
  });
});
