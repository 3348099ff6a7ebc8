import { expect, it } from 'vitest';
import type { DiffFile } from '../web/diff/diff-file.ts';
import { gapWith } from '../web/diff/hidden-lines.ts';
import { patchHunks } from '../web/diff/patch.ts';
import { type DiffRow, diffRows, type RowOptions } from '../web/diff/rows.ts';
import { withoutWhitespace } from '../web/diff/whitespace.ts';
import { changedRanges } from '../web/diff/words.ts';

/** How the page of Studio reads patches and lays out the rows of a diff. */

const HEAD = 'diff --git a/notes.txt b/notes.txt\nindex 1..2 100644\n--- a/notes.txt\n+++ b/notes.txt\n';
const PATCH = `${HEAD}@@ -2,3 +2,4 @@\n two\n-three\n+THREE\n+more\n four\n@@ -20,2 +21,1 @@ inside\n twenty\n-end\n\\ No newline at end of file\n`;

it('reads hunks with the numbers of their lines on both sides', () => {
  const hunks = patchHunks(PATCH).get('notes.txt') ?? [];
  expect(hunks.map(({ before, after }) => [before, after])).toEqual([
    [
      [2, 3],
      [2, 4],
    ],
    [
      [20, 2],
      [21, 1],
    ],
  ]);
  expect(hunks[0]?.lines.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
    ['same', 2, 2, 'two'],
    ['removed', 3, null, 'three'],
    ['added', null, 3, 'THREE'],
    ['added', null, 4, 'more'],
    ['same', 4, 5, 'four'],
  ]);
  expect(hunks[1]?.lines.at(-1)).toMatchObject({ text: 'end', isCutOff: true });
});

it('keeps lines that look like the head of a patch inside of a hunk', () => {
  const text = `${HEAD}@@ -1,2 +1,3 @@\n a\n+diff --git is a line here\n+@@ -1 +1 @@\n-b\n`;
  expect(
    patchHunks(text)
      .get('notes.txt')?.[0]
      ?.lines.map((line) => line.text),
  ).toEqual(['a', 'diff --git is a line here', '@@ -1 +1 @@', 'b']);
});

it('finds files by names with spaces, quotes, and bytes that are not text', () => {
  const patch = [
    'diff --git a/a b/c d.txt b/a b/c d.txt\n@@ -1 +1 @@\n-a\n+b\n',
    'diff --git "a/caf\\303\\251\\"\\n.txt" "b/caf\\303\\251\\"\\n.txt"\n@@ -1 +1 @@\n-a\n+b\n',
    'diff --git "a/bad\\377" "b/bad\\377"\n@@ -1 +1 @@\n-a\n+b\n',
  ].join('');
  expect([...patchHunks(patch).keys()]).toEqual(['a b/c d.txt', 'café"\n.txt', 'b64:YmFk/w==']);
});

it('marks the words that differ, and none if the lines have little in common', () => {
  expect(changedRanges('const a = call(one, 2);', 'const a = call(two, 2);')).toEqual([[[15, 18]], [[15, 18]]]);
  expect(changedRanges('import x from "y";', 'return 1;')).toBeNull();
});

it('hides changes of white space, and keeps the rest of their hunk', () => {
  const patch = `${HEAD}@@ -1,4 +1,5 @@\n a\n-b = 1\n-  old\n+\tb  =1\n+\n+  new\n c\n@@ -20,2 +21,2 @@\n-end\n-last\n+end \n+ last\n`;
  const shown = withoutWhitespace(patchHunks(patch).get('notes.txt') ?? []);
  expect(shown.map(({ before, after }) => [before, after])).toEqual([
    [
      [1, 4],
      [1, 5],
    ],
  ]);
  expect(shown[0]?.lines.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
    ['same', 1, 1, 'a'],
    ['same', 2, 2, '\tb  =1'],
    ['removed', 3, null, '  old'],
    ['added', null, 3, ''],
    ['added', null, 4, '  new'],
    ['same', 4, 5, 'c'],
  ]);
});

it('opens hidden lines next to the hunk below them, and after the last one', () => {
  const file = fileOf(PATCH);
  const lines = Array.from({ length: 24 }, (_, index) => `line ${index + 1}`);
  const closed = rows(file, {});
  expect(closed.map(shown)).toEqual(['file', 'gap 1', '2', '3', 'new', 'new', '4', 'gap 15', '20', '21', 'gap ?']);
  const opened = new Map([[file.key, { version: 'x', lines, shown: { 1: 2, 2: 100 } }]]);
  expect(rows(file, { opened }).map(shown)).toEqual([
    'file',
    'gap 1',
    '2',
    '3',
    'new',
    'new',
    '4',
    'gap 13',
    '18',
    '19',
    '20',
    '21',
    '22',
    '23',
    '24',
  ]);
});

it('puts what a check says below its line, and the rest at the top of the file', () => {
  const file = fileOf(PATCH);
  const findings = new Map([
    [
      file.key,
      new Map([
        [4, [{ kind: 'check' as const, text: 'wrong' }]],
        [15, [{ kind: 'breaks' as const, text: 'hidden' }]],
        [500, [{ kind: 'breaks' as const, text: 'elsewhere' }]],
      ]),
    ],
  ]);
  expect(rows(file, { findings }).map(shown).slice(0, 8)).toEqual([
    'file',
    'line 15: hidden',
    'line 500: elsewhere',
    'gap 1',
    '2',
    '3',
    'new',
    'new',
  ]);
  expect(rows(file, { findings }).map(shown)[8]).toBe('wrong');
  // Once hidden lines are opened, what is said about them is there.
  const context = { version: 'x', lines: Array.from({ length: 21 }, String), shown: { [gapWith(file, 15)]: 10 } };
  const opened = rows(file, { findings, opened: new Map([[file.key, context]]) });
  expect(opened.map(shown).slice(0, 3)).toEqual(['file', 'line 500: elsewhere', 'gap 1']);
  const at = opened.findIndex((row) => shown(row) === 'hidden');
  expect(opened[at - 1]).toMatchObject({ kind: 'line', line: { after: 15 } });
});

function rows(file: DiffFile, options: Partial<RowOptions>): readonly DiffRow[] {
  const all = {
    isSideBySide: false,
    closed: new Set<string>(),
    opened: new Map(),
    hasActs: () => false,
    findings: new Map(),
    threads: new Map(),
    formBelow: null,
  };
  return diffRows([file], { ...all, ...options });
}

function shown(row: DiffRow): string {
  switch (row.kind) {
    case 'gap':
      return `gap ${row.count ?? '?'}`;
    case 'line':
      return String(row.line.before ?? 'new');
    case 'finding':
      return `${row.line === null ? '' : `line ${row.line}: `}${row.finding.text}`;
    default:
      return row.kind;
  }
}

function fileOf(patch: string): DiffFile {
  const [[key, hunks] = ['', []]] = [...patchHunks(patch)];
  const entry = { kind: 'file', mode: '0644', id: 'x' } as const;
  const change = {
    path: key,
    from: null,
    operation: 'write',
    before: entry,
    after: entry,
    added: 2,
    removed: 2,
  } as const;
  const unknown = { beforeUncaptured: null, afterUncaptured: null, beforeSize: 1, afterSize: 1 } as const;
  return {
    key,
    change: { ...change, ...unknown },
    title: key,
    from: null,
    hunks,
    notes: [],
    isImage: false,
    isLeftOut: false,
  };
}
