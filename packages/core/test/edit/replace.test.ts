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

  test('edits apply in order, each to the result of the ones before', () => {
    expect(edited('a\n', replace('a', 'b'), replace('b', 'c'), insert(1, 'd'))).toBe('c\nd\n');
    const result = applyEdits(file('a\n'), [replace('a', 'b'), replace('a', 'c'), replace('b', 'c')]);
    expect(result.statuses.map(({ outcome }) => outcome)).toEqual(['applied', 'failed', 'skipped']);
  });

  test('several matches are refused, also overlapping ones, unless all are requested', () => {
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

  test('a missing text is reported with similar ones', () => {
    const { data, message } = refusal('NO_MATCH', 'one\n  const a = 1;\nthree\n', replace('const a = 2;', ''));
    expect(data.candidates).toEqual([
      { first: 2, last: 2, differences: [{ line: 2, expected: 'const a = 2;', found: '  const a = 1;', why: 'text' }] },
    ]);
    expect(message).toContain('`  const a = 1;` in line 2');
  });
});

describe('line ends and the byte-order mark', () => {
  test('a search text without CR matches lines with CRLF, and the new text gets their line ending', () => {
    const { text, last } = done('a\r\nb\r\nc\r\n', [replace('a\nb\n', 'x\ny\nb\n')]);
    expect(text).toBe('x\r\ny\r\nb\r\nc\r\n');
    expect(last.notes).toEqual(['CRLF line endings kept.']);
    expect(edited('a\r\n', replace('a', 'x\ny'))).toBe('x\r\ny\r\n');
    expect(edited('a\r\nb', replace('b', 'x\ny'))).toBe('a\r\nx\r\ny');
    expect(edited('a\r\nb\r\n', replace('\nb', ''))).toBe('a\r\n');
  });

  test('in a mixed file, the new text gets the ending of the first matched line; unchanged lines keep theirs', () => {
    expect(edited('a\r\nb\nc\r\n', replace('b\nc', 'x\ny'))).toBe('a\r\nx\ny\r\n');
    expect(edited('a\r\nb\nc', replace('a\nb\n', 'x\nb\n'))).toBe('x\r\nb\nc');
    expect(done('a\r\na\n', [replaceAll('a', 'x\ny')])).toMatchObject({
      text: 'x\r\ny\r\nx\ny\n',
      last: { notes: ['CRLF line endings kept.'], replacements: 2 },
    });
    expect(edited('a\nb\r\n', replaceAll('\n', '\n\n'))).toBe('a\n\nb\r\n\r\n');
  });

  test('with a CR, both texts are used literally', () => {
    expect(edited('a\r\nb\r\n', replace('a\r\n', 'a\n'))).toBe('a\nb\r\n');
    expect(edited('a\nb\n', replace('a\n', 'a\r\n'))).toBe('a\r\nb\n');
    expect(edited('a\r\nb\r\n', replace('a\nb', 'a\r\nb\rc'))).toBe('a\r\nb\rc\r\n');
    refusal('NO_MATCH', 'a\nb\n', replace('a\r\n', 'x'));
    expect(edited('a\r\r\nb\n', replace('\r\n', '\n'))).toBe('a\r\nb\n');
  });

  test('the byte-order mark is not part of line 1, unless the search text starts with it', () => {
    expect(edited('\ufeffa\n', replace('a', 'b'))).toBe('\ufeffb\n');
    expect(edited('\ufeffa\n', replace('\ufeffa', 'b'))).toBe('b\n');
    expect(done('\ufeffa\n', [replace('a\n', '')]).text).toBe('\ufeff');
  });

  test('nothing to search, nothing to do', () => {
    refusal('EMPTY_SEARCH', 'a', replace('', 'b'));
    refusal('SAME_TEXT', 'a', replace('a', 'a'));
  });

  test('a last line without a line ending is distinguished', () => {
    expect(refusal('NO_MATCH', 'x\nlast line', replace('last line\n', 'y\n')).message).toContain(
      'the last line of the file does not',
    );
  });
});
