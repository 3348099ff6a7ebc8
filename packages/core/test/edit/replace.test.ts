import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/edit/apply-edits.ts';
import { done, edited, file, insert, refusal, replace, replaceAll } from './helpers.ts';

describe('replace', () => {
  test('one place, with its lines and counts', () => {
    const { text, last } = done('a\nb\nc\n', [replace('b', 'x\ny')]);
    expect(text).toBe('a\nx\ny\nc\n');
    expect(last).toEqual({
      index: 0,
      op: 'replace',
      outcome: 'applied',
      replacements: 1,
      lines: { first: 2, last: 3 },
      added: 2,
      removed: 1,
      notes: [],
    });
  });

  test('edits apply in order, each on what the ones before it left', () => {
    expect(edited('a\n', replace('a', 'b'), replace('b', 'c'), insert(1, 'd'))).toBe('c\nd\n');
    const result = applyEdits(file('a\n'), [replace('a', 'b'), replace('a', 'c'), replace('b', 'c')]);
    expect(result.statuses.map(({ outcome }) => outcome)).toEqual(['applied', 'failed', 'skipped']);
  });

  test('several places are refused, overlapping ones too, unless all are meant', () => {
    expect(refusal('SEVERAL_MATCHES', 'x\na\nx\n', replace('x', 'y')).data).toEqual({
      count: 2,
      more: false,
      lines: [1, 3],
    });
    expect(refusal('SEVERAL_MATCHES', 'aaa', replace('aa', 'b')).data.count).toBe(2);
    expect(done('aaa x aa', [replaceAll('aa', 'b')])).toMatchObject({ text: 'ba x b', last: { replacements: 2 } });
    expect(refusal('SEVERAL_MATCHES', 'x'.repeat(20_000), replace('x', 'y')).data).toMatchObject({
      count: 10_000,
      more: true,
    });
  });

  test('what is not there is answered with what is like it', () => {
    const { data, message } = refusal('NO_MATCH', 'one\n  const a = 1;\nthree\n', replace('const a = 2;', ''));
    expect(data.candidates).toEqual([
      { first: 2, last: 2, differences: [{ line: 2, expected: 'const a = 2;', found: '  const a = 1;', why: 'text' }] },
    ]);
    expect(message).toContain('`  const a = 1;` in line 2');
  });
});
