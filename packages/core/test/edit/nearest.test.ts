import { describe, expect, test } from 'vitest';
import { refusal, replace } from './helpers.ts';

const near = (content: string, old: string) => refusal('NO_MATCH', content, replace(old, 'new'));

describe('the nearest candidates', () => {
  test('for several lines, is where most of them match', () => {
    const content = 'function a() {\n  one();\n  two();\n}\n\nfunction b() {\n  one();\n  three();\n}\n';
    const { data } = near(content, 'function b() {\n  one();\n  tree();\n}\n');
    expect(data.candidates[0]).toEqual({
      first: 6,
      last: 9,
      differences: [{ line: 8, expected: '  tree();', found: '  three();', why: 'text' }],
    });
    expect(data.candidates.length).toBeLessThanOrEqual(3);
    expect(new Set(data.candidates.map(({ first }) => first)).size).toBe(data.candidates.length);
  });

  test('name the kind of difference', () => {
    const why = (content: string, old: string) => near(content, old).data.candidates[0]?.differences[0]?.why;
    expect(why('x\n\tconst a = 1;\n', '  const a = 1;')).toBe('whitespace');
    expect(why('const Abc = 1;\n', 'const abc = 1;')).toBe('case');
    expect(why('const caf\u00e9 = 1;\n', 'const cafe\u0301 = 1;')).toBe('unicode');
    expect(why('const abc = 1;\n', 'const abd = 1;')).toBe('text');
    expect(why('const abc = 1;\n', 'const abc = 1;\r\n')).toBe('whitespace');
  });

  test('a search text may begin and end in the middle of lines', () => {
    expect(near('let a = first(\n  second)\nthird(x);\n', 'first(\n  secund)\nthird').data.candidates[0]).toMatchObject(
      {
        first: 1,
        differences: [{ line: 2 }],
      },
    );
  });

  test('are found where the file ends too early', () => {
    const { data, message } = near('alpha beta\ngamma delta\n', 'gamma delta\nepsilon\n');
    expect(data.candidates[0]?.differences[0]).toMatchObject({ line: 3, expected: 'epsilon', found: null });
    expect(message).toContain('the file ends before that');
  });

  test('are none where nothing is similar', () => {
    expect(near('a\nb\n', 'something else').data.candidates).toEqual([]);
    expect(near('', 'a').data.candidates).toEqual([]);
    expect(near('a', '\n\n').message).toContain('The file has no similar text');
  });

  test('are bounded, cut between characters, and safe to print', () => {
    const long = `${'é'.repeat(300)}X${'日'.repeat(100)}`;
    const [difference] = near(`${long}\n`, long.replace('X', 'Y')).data.candidates[0]?.differences ?? [];
    expect(difference?.found).toMatch(/^…é+X日+…$/);
    expect(difference?.expected).toMatch(/^…é+Y日+…$/);
    expect(difference?.found?.length).toBeLessThan(170);
    const { data, message } = near('red \x1b[31m \u202e text here\n', 'red text here');
    expect(data.candidates[0]?.differences[0]?.found).toBe('red \\x1b[31m \\u{202e} text here');
    expect(message).not.toContain('\x1b');
    const lines = Array.from({ length: 1000 }, (_, i) => `some line ${i}`).join('\n');
    expect(JSON.stringify(near(lines, lines.replaceAll('some', 'same'))).length).toBeLessThan(6000);
  });
});
