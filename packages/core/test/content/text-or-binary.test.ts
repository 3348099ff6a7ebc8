import { describe, expect, test } from 'vitest';
import { isBinary, textOrBinary } from '../../src/content/text-or-binary.ts';

describe('text or binary', () => {
  test('content with a NUL in the first 8000 bytes is binary; a later NUL does not matter', () => {
    const withNulAt = (at: number) => Buffer.concat([Buffer.alloc(at, 'a'), Buffer.alloc(1), Buffer.alloc(9000, 'b')]);
    expect(isBinary(withNulAt(0))).toBe(true);
    expect(isBinary(withNulAt(7999))).toBe(true);
    expect(isBinary(withNulAt(8000))).toBe(false);
    expect(isBinary(Buffer.alloc(0))).toBe(false);
  });

  test('invalid UTF-8 is text', () => {
    expect(textOrBinary(Buffer.from([0xff, 0xfe, 0x0a, 0x80]))).toBe('text');
  });

  test('content over the limit is too long, and binary content is still reported as binary', () => {
    expect(textOrBinary(Buffer.from('abc'), 3)).toBe('text');
    expect(textOrBinary(Buffer.from('abcd'), 3)).toBe('too-long');
    expect(textOrBinary(Buffer.from('a\0cd'), 3)).toBe('binary');
  });
});
