import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../src/strict-json.ts';

describe('a request', () => {
  it('that is JSON of one meaning is read as the parser reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, wide) => {
        const text = JSON.stringify(value, null, wide ? 2 : 0);
        expect(JSON.stringify(parseStrictJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a key twice', '{"a":1,"a":2}'],
    ['a key twice, spelt in two ways', '{"a":1,"\\u0061":2}'],
    ['a key twice, far inside', '[{"x":[{"y":1,"z":[],"y":{}}]}]'],
    ['nesting without end', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['nothing', ''],
    ['two values', '{} {}'],
    ['a string that does not end', '{"a":"'],
  ])('with %s is refused', (_what, text) => {
    expect(() => parseStrictJson(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('keys that are equal in different objects, and strings that look like structure, are no trouble', () => {
    const value = { a: { a: { a: '{"a":1,"a":2}' } }, b: [{ a: 1 }, { a: 2 }], 'c"}{': '\\"' };
    expect(parseStrictJson(JSON.stringify(value))).toEqual(value);
  });

  it('may hold one very long string', () => {
    const content = 'x'.repeat(32 * 1024 * 1024);
    expect((parseStrictJson(JSON.stringify({ content })) as { content: string }).content.length).toBe(content.length);
  });
});
