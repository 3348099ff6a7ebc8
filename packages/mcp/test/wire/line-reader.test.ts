import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idIn } from '../../src/wire/frame.ts';
import { LineReader } from '../../src/wire/line-reader.ts';

/** The lines read if the bytes arrive in pieces of these sizes. */
function read(text: string, sizes: readonly number[], limit: number) {
  const reader = new LineReader(limit);
  const bytes = Buffer.from(text);
  const lines = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length] ?? 1);
    lines.push(...reader.read(bytes.subarray(at, at + size)));
    at += size;
  }
  return lines;
}

describe('line reader', () => {
  it('gives the same lines however the bytes are split; for a line that is too long, only its length', () => {
    const line = fc.string({ maxLength: 40 }).map((text) => text.replaceAll('\n', ''));
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(line), sizes, fc.integer({ min: 1, max: 50 }), (lines, pieces, limit) => {
        const found = read(lines.map((text) => `${text}\n`).join(''), pieces, limit);
        const wanted = lines.map((text) =>
          Buffer.byteLength(text) > limit ? Buffer.byteLength(text) : Buffer.from(text).toString('hex'),
        );
        expect(found.map((it) => (it.kind === 'line' ? Buffer.from(it.bytes).toString('hex') : it.length))).toEqual(
          wanted,
        );
      }),
    );
  });

  it.each([10, 4096, 5000, 100_000])('keeps both ends of a long line in pieces of %i bytes', (size) => {
    const text = 'x'.repeat(50_000);
    for (const message of [`{"jsonrpc":"2.0","id":"a","params":"${text}"}`, `{"params":"${text}","id":"a"}`]) {
      const [line] = read(`${message}\n`, [size], 1000);
      expect(line?.kind === 'too-long' && [line.length, idIn(line.start, line.end)]).toEqual([message.length, 'a']);
    }
  });
});
