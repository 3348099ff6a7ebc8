import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundText, boundValue, MAX_TEXT_LENGTH } from '../../src/tools/bounds.ts';

describe('an answer', () => {
  it('that is short enough is unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(boundValue(value, 1_000_000)).toEqual({ value, leftOut: [] });
      }),
    );
  });

  it('is truncated as far as necessary, and says by how much, for each field over all items', () => {
    const paths = Array.from({ length: 2000 }, (_, i) => `a/rather/long/path/of/a/file-${i}.txt`);
    const { value, leftOut } = boundValue({ list: [{ paths }, { paths }], done: true }, 10_000);
    const { list, done } = value as { list: { paths: string[] }[]; done: boolean };
    expect(JSON.stringify(value).length).toBeLessThanOrEqual(10_000);
    expect(list[0]?.paths.length).toBeGreaterThan(20);
    const left = list.reduce((sum, one) => sum + 2000 - one.paths.length, 0);
    expect([done, leftOut]).toEqual([true, [{ at: 'list[].paths', count: left, of: 'items' }]]);
  });

  it('keeps base64 valid, and surrogate pairs complete', () => {
    const { value } = boundValue(
      { b64: Buffer.alloc(99_999).toString('base64'), text: '\u{1f600}'.repeat(50_001) },
      20_000,
    );
    const { b64, text } = value as { b64: string; text: string };
    expect(b64.length % 4).toBe(0);
    expect(text).toBe('\u{1f600}'.repeat(text.length / 2));
  });

  it('has a bounded text as well, which ends with what is left out', () => {
    const text = boundText(['x'.repeat(100_000)], [{ at: 'a', count: 3, of: 'items' }]);
    expect(text.length).toBeLessThanOrEqual(MAX_TEXT_LENGTH);
    expect(text.split('\n').slice(1)).toEqual([
      expect.stringMatching(/left out: the last \d+ characters/),
      '(left out: 3 items of a)',
    ]);
  });
});
