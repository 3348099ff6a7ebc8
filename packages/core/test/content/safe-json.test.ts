import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeJson } from '../../src/content/safe-json.ts';

describe('JSON that was made safe', () => {
  it('is read back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(safeJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('holds no character that acts or hides', () => {
    const text = safeJson({ 'a\u009b\u202e': '\u0007\u2028\ud800\u{e0041}' });
    expect(text).toMatch(/^[ -~]*$/);
    expect(JSON.parse(text)).toEqual({ 'a\u009b\u202e': '\u0007\u2028\ud800\u{e0041}' });
  });
});
