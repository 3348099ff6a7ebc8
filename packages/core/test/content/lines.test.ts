import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countLines, joinLines, LineNumbers, splitLines } from '../../src/content/lines.ts';

test('the lines of any bytes, joined, are those bytes; each but the last ends with its only line feed', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 10, 13, 97, 255)), (bytes) => {
      const content = Buffer.from(bytes);
      const lines = splitLines(content);
      expect(joinLines(lines)).toEqual(content);
      expect(countLines(content)).toBe(lines.length);
      for (const [i, line] of lines.entries()) {
        expect(line).not.toBe('');
        expect(line.slice(0, -1)).not.toContain('\n');
        if (i < lines.length - 1) expect(line.at(-1)).toBe('\n');
      }
    }),
  );
});

test('every line keeps its own ending', () => {
  expect(splitLines(Buffer.from('a\nb\r\nc\rd\n\ne'))).toEqual(['a\n', 'b\r\n', 'c\rd\n', '\n', 'e']);
});

test('equal lines have equal numbers across contents, and lines with different endings differ', () => {
  const numbers = new LineNumbers();
  expect([...numbers.of(['a\n', 'b\n', 'a\n', 'a\r\n'])]).toEqual([0, 1, 0, 2]);
  expect([...numbers.of(['a\r\n', '__proto__\n', 'b\n', 'b'])]).toEqual([2, 3, 1, 4]);
});
