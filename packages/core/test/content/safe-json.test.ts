import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeJson } from '../../src/content/safe-json.ts';

/** Characters that must not reach a terminal, written by hand and not taken from the code. */
const UNSAFE =
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

describe('JSON that is printed', () => {
  it('parses to the same value and contains no terminal control characters', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom(
          '\x1b',
          '\x9b',
          '\u202e',
          '\u{e0041}',
          '\n',
          '\ud83d',
          'a',
          '\u2028',
          '\x7f',
          '\ufeff',
          '\\',
        ),
      }),
    );
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), text, fc.constantFrom(0, 2), (value, name, indent) => {
        const whole = { value, [name]: name };
        const printed = safeJson(whole, indent);
        expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(whole)));
        expect(UNSAFE.exec(printed)).toBeNull();
        if (indent === 0) expect(printed).not.toContain('\n');
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves ordinary text unchanged', () => {
    expect(safeJson({ a: 'äöü 日本 💾 −', b: [1, null] }, 0)).toBe('{"a":"äöü 日本 💾 −","b":[1,null]}');
  });

  it('contains no control or invisible character', () => {
    const text = safeJson({ 'a\u009b\u202e': '\u0007\u2028\ud800\u{e0041}' });
    expect(text).toMatch(/^[ -~]*$/);
    expect(JSON.parse(text)).toEqual({ 'a\u009b\u202e': '\u0007\u2028\ud800\u{e0041}' });
  });
});
