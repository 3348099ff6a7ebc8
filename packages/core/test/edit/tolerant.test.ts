import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { done, edited, refusal, replace, tolerant } from './helpers.ts';

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe('tolerant replace', () => {
  const python = 'class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 1\n\t\treturn 2\n';

  test('finds lines with another indentation, and indents the new text like the file', () => {
    const { text, last } = done(python, [
      tolerant('if x:\n    return 1\n', 'if x:\n    if y:\n        return 0\n    return 1\nelse:\n    pass\n'),
    ]);
    expect(text).toBe(
      'class A:\n\tdef f(self):\n\t\tif x:\n' +
        '\t\t\tif y:\n\t\t\t\treturn 0\n\t\t\treturn 1\n\t\telse:\n\t\t\tpass\n\t\treturn 2\n',
    );
    expect(last.notes).toEqual(['Matched by lines, ignoring spaces and tabs around them.']);
    expect(last).toMatchObject({ lines: { first: 4, last: 8 }, added: 4, removed: 0 });
  });

  test('is tried only if requested, and only if there is no exact match', () => {
    const { message, data } = refusal('NO_MATCH', python, replace('if x:\n    return 1\n', ''));
    expect(data.candidates[0]?.differences[0]?.why).toBe('whitespace');
    expect(message).toContain('set tolerant');
    expect(edited('  a\na\n', tolerant('  a', 'b'))).toBe('b\na\n');
  });

  test('also removes indentation', () => {
    expect(edited('{\n      a();\n      b();\n}\n', tolerant('    a();\n    b();\n', '  c();\n    b();\n'))).toBe(
      '{\n    c();\n      b();\n}\n',
    );
  });

  test('spaces at line ends may differ; unchanged lines stay as they are in the file', () => {
    expect(edited('a  \n\tb \nc\t\nd\n', tolerant('a\nb\nc\n', 'a\nx\nc\n'))).toBe('a  \n\tx\nc\t\nd\n');
    expect(edited('a \nb', tolerant('a\nb', 'a\nc'))).toBe('a \nc');
  });

  test('line endings of the file are kept', () => {
    const { text, last } = done('\ta\r\n\tb\r\n', [tolerant('a\nb\n', 'a\nc\nb\n')]);
    expect(text).toBe('\ta\r\n\tc\r\n\tb\r\n');
    expect(last.notes).toContain('CRLF line endings kept.');
  });

  test('must be unique, and contain more than blanks', () => {
    expect(refusal('SEVERAL_MATCHES', '\ta\n  a\n', tolerant('    a\n', 'b\n')).data.lines).toEqual([1, 2]);
    expect(edited('\ta\n  a\n', tolerant('    a\n', '    b\n', { replaceAll: true }))).toBe('\tb\n  b\n');
    refusal('NO_MATCH', 'a\n\n\nb\n', tolerant(' \n', ''));
    expect(refusal('NO_MATCH', 'x\n  a', tolerant('a\n', 'b\n')).message).toContain(
      'the last line of the file does not',
    );
  });

  test(`a block in any indentation style is changed in the style of the file (seed ${SEED})`, () => {
    const style = fc.constantFrom('  ', '    ', '\t', '   ');
    const block = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 5 })), { minLength: 1, maxLength: 6 });
    const show = (lines: readonly (readonly [number, string])[], unit: string, base: number) =>
      lines.map(([level, text]) => `${unit.repeat(base + level)}${text}\n`).join('');
    fc.assert(
      fc.property(style, style, fc.nat({ max: 3 }), block, block, fc.boolean(), (unit, other, base, old, now, crlf) => {
        // The search text contains every level from none to the deepest, so that the file's style is known.
        const ladder = [0, 1, 2, 3].map((level) => [level, `level ${level}`] as const);
        const oldLines = [...ladder, ...old.map(([level, n]) => [level, `old ${n}`] as const)];
        const nowLines = [
          ...now.map(([level, n]) => [level, `new ${n}`] as const),
          ...ladder,
          ...now.map(([level, n]) => [level + 1, `more ${n}`] as const),
        ];
        const ends = (text: string) => (crlf ? text.replaceAll('\n', '\r\n') : text);
        const text = ends(`first\n${show(oldLines, unit, base)}last\n`);
        const wanted = ends(`first\n${show(nowLines, unit, base)}last\n`);
        const edit = tolerant(show(oldLines, other, 0), show(nowLines, other, 0));
        expect(edited(text, edit)).toBe(wanted);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });
});
