import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrame } from '../../src/wire/frame.ts';

const frame = (text: string) => readFrame(Buffer.from(text));

describe('a frame', () => {
  it('of any JSON object is parsed like JSON.parse', () => {
    // Made from an object, so no key occurs twice.
    const objects = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(objects, (value) => {
        fc.pre(!JSON.stringify(value).includes('__proto__'));
        expect(frame(JSON.stringify(value))).toEqual({ kind: 'json', value: JSON.parse(JSON.stringify(value)) });
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', 'twice'],
    ['{"a":{"b":1},"\\u0061":2}', 'twice'],
    ['{"x":[{"a":1,"a":2}]}', 'twice'],
    ['{"x":{"__proto__":1}}', '__proto__'],
    [`{"a":${'['.repeat(200)}${']'.repeat(200)}}`, 'levels deep'],
    ['[1]', 'batch'],
  ])('%s is refused', (text, why) => {
    expect(frame(text)).toMatchObject({ kind: 'bad', code: -32600, message: expect.stringContaining(why) });
  });

  it.each(['{"a":[{"b":1},{"b":1}],"b":{"a":1}}', '{"a":"\\"a\\":1,\\"a\\":2","b":"{[{["}', '{"a":"b","b":"a"}'])(
    '%s contains no duplicate key',
    (text) => {
      expect(frame(text)).toEqual({ kind: 'json', value: JSON.parse(text) });
    },
  );

  it('is empty if it contains only white space', () => {
    expect(frame(' \t\r')).toEqual({ kind: 'empty' });
  });
});
