import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonProblem, readJson } from '../../src/content/strict-json.ts';

describe('a request', () => {
  it('that is unambiguous JSON is parsed like JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, wide) => {
        const text = JSON.stringify(value, null, wide ? 2 : 0);
        expect(JSON.stringify(readJson(text, { keys: 'once-any-name' }))).toBe(JSON.stringify(JSON.parse(text)));
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
    expect(() => readJson(text)).toThrow(JsonProblem);
  });

  it('equal keys in different objects, and strings that look like structure, are accepted', () => {
    const value = { a: { a: { a: '{"a":1,"a":2}' } }, b: [{ a: 1 }, { a: 2 }], 'c"}{': '\\"' };
    expect(readJson(JSON.stringify(value))).toEqual(value);
  });

  it('may contain one very long string', () => {
    const content = 'x'.repeat(32 * 1024 * 1024);
    expect((readJson(JSON.stringify({ content })) as { content: string }).content.length).toBe(content.length);
  });

  it.each([
    ['once', '{"__proto__":1}', 'has a key named __proto__'],
    ['once', '{"\\u005f_proto__":1}', 'has a key named __proto__'],
    ['once-any-name', '{"__proto__":1,"__proto__":2}', 'has the key "__proto__" twice in one object'],
    ['once-any-name', '{"__proto__":1}', null],
    ['any', '{"a":1,"a":2,"__proto__":{}}', null],
    ['any', '['.repeat(201) + ']'.repeat(201), 'is nested more than 200 levels deep'],
  ] as const)('keys %s: %s', (keys, text, why) => {
    const read = () => readJson(text, { keys });
    if (why === null) expect(read()).toEqual(JSON.parse(text));
    else expect(read).toThrow(why);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('is checked for its size first, and invalid bytes are reported', () => {
    expect(() => readJson('[1,2]', { maxLength: 4 })).toThrow(expect.objectContaining({ kind: 'meaning' }));
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(expect.objectContaining({ kind: 'encoding' }));
    expect(() => readJson(Buffer.from('{'))).toThrow(expect.objectContaining({ kind: 'syntax' }));
    expect(readJson(Buffer.from('{"a":"é"}'))).toEqual({ a: 'é' });
  });

  it('strings of quotes and backslashes are delimited correctly', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('"', '\\', '{', ':', 'a') })), (texts) => {
        expect(readJson(JSON.stringify({ texts }))).toEqual({ texts });
      }),
    );
  });
});
