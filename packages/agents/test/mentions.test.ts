import { describe, expect, test } from 'vitest';
import { mentionsIn } from '../src/hook/mentions.ts';

/** What a prompt may mean by `@path`. Which reading exists is looked up later. */

const first = (prompt: string): readonly (string | undefined)[] => mentionsIn(prompt).map(([path]) => path);

describe('mentions in a prompt', () => {
  test.each([
    ['look at @src/a.ts and @b.ts', ['src/a.ts', 'b.ts']],
    ['@a.ts', ['a.ts']],
    ['(@a.ts', ['a.ts']],
    ['"@a.ts', ['a.ts']],
    ['read @"my notes.md" first', ['my notes.md']],
    ['read @my\\ notes.md first', ['my notes.md']],
    ['mail me@example.com', []],
    ['an @ alone, and @', []],
    ['@ünï/コ.md', ['ünï/コ.md']],
    ['two\n@a.ts\nlines', ['a.ts']],
  ])('%j', (prompt, expected) => expect(first(prompt)).toEqual(expected));

  test('may end with punctuation or a range of lines, and may begin with a slash for the workspace', () => {
    expect(mentionsIn('see @src/a.ts#L3-9, or @/b.ts.')).toEqual([
      ['src/a.ts#L3-9,', 'src/a.ts#L3-9', 'src/a.ts'],
      ['/b.ts.', 'b.ts.', '/b.ts', 'b.ts'],
    ]);
    expect(mentionsIn('@a.ts:12')[0]).toEqual(['a.ts:12', 'a.ts']);
  });

  test('are bounded', () => {
    expect(mentionsIn('@a '.repeat(1_000))).toHaveLength(50);
    expect(mentionsIn(`@${'x'.repeat(5_000)}`)).toEqual([]);
    expect(mentionsIn(`@${'!'.repeat(4_000)}`)[0]?.length).toBeLessThan(10);
    expect(mentionsIn(`${'x'.repeat(200_000)} @a`)).toEqual([]);
    expect(mentionsIn('@a\0b')).toEqual([]);
  });
});
