import { describe, expect, test } from 'vitest';
import { carried, decisionsOf, openIn, type TextDraft } from '../web/conflicts/drafts.ts';
import { beginning } from '../web/conflicts/result.ts';
import { type ConflictFile, textSides } from '../web/conflicts/sides.ts';

/** What a person decides about conflicts, and what the operation gets of it. */

const blob = (letter: string) => ({ kind: 'file' as const, mode: '0644', id: letter.repeat(40) });
const file: ConflictFile = {
  key: 'a.txt',
  path: 'a.txt',
  why: '',
  entries: { base: blob('a'), ours: blob('b'), theirs: blob('c') },
  version: '1',
};

function whole(ours: string, more = '', ending = '\n') {
  const conflict = { kind: 'conflict' as const, base: `b${ending}`, ours: `${ours}${ending}`, theirs: `t${ending}` };
  const parts = [
    { kind: 'merged' as const, content: `top${ending}` },
    conflict,
    { kind: 'merged' as const, content: more },
  ];
  const sideOf = (lines: string): string => `top${ending}${lines}${more}`;
  const [base, mine, other] = [conflict.base, conflict.ours, conflict.theirs].map(sideOf) as [string, string, string];
  return { path: 'a.txt', base, ours: mine, theirs: other, parts };
}

const sidesOf = (...given: Parameters<typeof whole>) => textSides(whole(...given)) ?? expect.fail('not text');

function draftOf(sides: ReturnType<typeof sidesOf>, choice: 'ours' | 'edited', lines: string): TextDraft {
  const from = beginning(sides.parts).regions[0]?.from ?? expect.fail('no conflict');
  const text = beginning(sides.parts).text.replace('o\n', lines);
  const regions = [{ from, to: from + lines.length, choice }];
  return { kind: 'text', text, regions, parts: sides.parts, ending: sides.ending, version: '1' };
}

describe('decisions', () => {
  test('keep the line endings of the file', () => {
    const sides = sidesOf('o', '', '\r\n');
    expect(beginning(sides.parts).text).toBe('top\no\n');
    const drafts = new Map([['a.txt', draftOf(sides, 'edited', 'both\n')]]);
    expect(decisionsOf([file], drafts)).toEqual({
      ours: [],
      theirs: [],
      resolutions: [{ path: 'a.txt', content: 'top\r\nboth\r\n', ours: 'b'.repeat(40) }],
    });
    // With other endings as well, each stays where it is.
    expect(sidesOf('o\r', '\r\n').parts[1]).toMatchObject({ ours: 'o\r\n' });
  });

  test('that take only current lines are no content of a person', () => {
    const drafts = new Map([['a.txt', draftOf(sidesOf('o'), 'ours', 'o\n')]]);
    expect(decisionsOf([file], drafts)).toEqual({ ours: ['a.txt'], theirs: [], resolutions: [] });
  });

  test('are kept if the file changed elsewhere, and are open again where its conflict is another one', () => {
    const draft = draftOf(sidesOf('o'), 'edited', 'both\n');
    const moved = carried(draft, sidesOf('o', 'more\n'), '2');
    expect(moved).toMatchObject({ text: 'top\nboth\nmore\n', isCarried: true });
    expect(openIn({ ...file, version: '2' }, draft)).toBe(1);
    expect(openIn({ ...file, version: '2' }, moved ?? undefined)).toBe(0);
    const other = carried(draft, sidesOf('other'), '2');
    expect(other).toMatchObject({ text: 'top\nother\n', regions: [{ choice: null }] });
    // Lines that were edited outside of the conflicts have no place in another merge.
    const edited = { ...draft, text: `${draft.text}by hand\n` };
    expect(carried(edited, sidesOf('o', 'more\n'), '2')).toBeNull();
  });

  test('are made by side if a content is not text, or is missing', () => {
    expect(textSides({ ...whole('o'), parts: null })).toBeNull();
    expect(textSides({ ...whole('o'), ours: { b64: '/w==' } })).toBeNull();
    const drafts = new Map([['a.txt', { kind: 'side', side: 'theirs', version: '1' } as const]]);
    expect(decisionsOf([file], drafts)).toEqual({ ours: [], theirs: ['a.txt'], resolutions: [] });
  });
});
