import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth, fitEnd, fitStart } from '../../src/content/display-width.ts';
import { describeChanges, type StatRow, statLines, statTotals } from '../../src/content/stat-line.ts';
import { bytesFromText, type TreePath } from '../../src/model/names.ts';
import { git, testFolder } from './git.ts';

const row = (path: string, added: number, removed: number): StatRow => ({
  path: bytesFromText(path) as TreePath,
  counts: { added, removed },
  before: 1,
  after: 1,
});
const binary = (path: string, before: number | null, after: number | null): StatRow => ({
  path: bytesFromText(path) as TreePath,
  counts: null,
  before,
  after,
});

const rows: fc.Arbitrary<StatRow[]> = fc.array(
  fc.record({
    path: fc
      .oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
        fc.constantFrom('src/a.ts', '日本語/ファイル', `z${'\u0301'.repeat(500)}`),
      )
      .map((path) => bytesFromText(path) as TreePath),
    counts: fc.option(fc.record({ added: fc.nat({ max: 100_000 }), removed: fc.nat({ max: 100_000 }) })),
    before: fc.option(fc.nat()),
    after: fc.option(fc.nat()),
  }),
  { maxLength: 8 },
);

describe('stat lines', () => {
  test('align names, figures and graph', () => {
    expect(
      statLines(
        [row('src/a.ts', 9, 3), row('docs/long-name.md', 1, 0), binary('x.png', null, 512), row('e', 0, 0)],
        80,
      ),
    ).toEqual([
      'src/a.ts          | 12 +++++++++---',
      'docs/long-name.md |  1 +',
      'x.png             | 0 -> 512 bytes',
      'e                 |  0',
    ]);
  });

  test('scale the graph to the width: the largest change fills it, and no change vanishes', () => {
    const lines = statLines([row('big', 9000, 999), row('one', 1, 0), row('both', 1, 1)], 40);
    expect(lines.map((line) => line.length)).toEqual([40, 13, 14]);
    expect(lines[0]).toMatch(/^big {2}\| 9999 \+{25}-{3}$/);
    expect(lines[2]).toBe('both |    2 +-');
  });

  test('shorten long names at the front, where they differ least', () => {
    expect(statLines([row('packages/core/src/content/stat-line.ts', 1, 1)], 30)).toEqual([
      '…content/stat-line.ts | 2 +-',
    ]);
  });

  test('a name of a combining mark alone takes a column', () => {
    const path = '\xe1\xb3\xa2' as TreePath;
    const [line = ''] = statLines([{ path, counts: { added: 0, removed: 14 }, before: null, after: null }], 0);
    expect(displayWidth(line)).toBeLessThanOrEqual(20);
  });

  test('no line is wider than asked, nor longer than twice that, whatever the names', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 200 }), (some, width) => {
        const lines = statLines(some, width);
        expect(lines.length).toBe(some.length);
        for (const line of lines) {
          expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(width, 20));
          expect([...line].length).toBeLessThanOrEqual(3 * Math.max(width, 20));
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('stat totals', () => {
  test('use the wording of git', () => {
    const folder = testFolder();
    const contents = ['', 'a\n', 'a\nb\n', 'c\n', 'a\nb\nc\n'];
    for (const [i, before] of contents.entries()) {
      for (const [j, after] of contents.entries()) {
        if (i === j) continue;
        const side = (name: string, content: string) => {
          mkdirSync(join(folder, `${i}${j}`, name), { recursive: true });
          writeFileSync(join(folder, `${i}${j}`, name, 'x'), content);
          writeFileSync(join(folder, `${i}${j}`, name, 'y'), `${name}\0`);
        };
        side('before', before);
        side('after', after);
        const args = ['diff', '--no-index', '--shortstat', 'before', 'after'];
        const byGit = git(join(folder, `${i}${j}`), args)
          .stdout.toString()
          .trim();
        const figures = /(?:(\d+) ins)?[^\d]*(?:(\d+) del)?[^\d]*$/.exec(byGit.replace(/^.*?changed/, '')) ?? [];
        const counted = row('x', Number(figures[1] ?? 0), Number(figures[2] ?? 0));
        expect(statTotals([counted, binary('y', 1, 1)])).toBe(byGit);
      }
    }
    expect(statTotals([binary('y', 1, 1)])).toBe('1 file changed, 0 insertions(+), 0 deletions(-)');
    expect(statTotals([])).toBe('0 files changed');
    expect(statTotals([row('a', 10, 3), row('b', 2, 1), row('c', 0, 0)])).toBe(
      '3 files changed, 12 insertions(+), 4 deletions(-)',
    );
  });
});

describe('a description of changes', () => {
  test('gives figures and as many paths as fit', () => {
    expect(describeChanges([row('src/a.ts', 10, 3), row('src/b.ts', 2, 1)])).toBe(
      '2 files, +12 −4: src/a.ts, src/b.ts',
    );
    expect(describeChanges([row('src/a.ts', 12, 4)])).toBe('1 file, +12 −4: src/a.ts');
    expect(describeChanges([binary('logo.png', 3, 4)])).toBe('1 file: logo.png');
    expect(describeChanges([])).toBe('no changes');
    const many = Array.from({ length: 40 }, (_, i) => row(`src/file-number-${i}.ts`, 1, 0));
    expect(describeChanges(many)).toBe(
      '40 files, +40 −0: src/file-number-0.ts, src/file-number-1.ts, src/file-number-2.ts, …',
    );
  });

  test('says in how many files the lines are counted, if they are many', () => {
    const files = Array.from({ length: 101 }, (_, i) => (i < 30 ? row(`${i}.ts`, 1, 2) : binary(`${i}.ts`, 1, 2)));
    expect(describeChanges(files)).toMatch(/^101 files, \+30 −60 in 30 of them: 0\.ts, /);
    expect(describeChanges(files.slice(0, 31))).toMatch(/^31 files, \+30 −60: 0\.ts, /);
  });

  test('escapes names', () => {
    expect(describeChanges([row('a\nb', 1, 0)])).toBe('1 file, +1 −0: "a\\nb"');
  });

  test('cuts a first path that does not fit at its front', () => {
    expect(describeChanges([row(`${'deep/'.repeat(40)}end.ts`, 1, 0), row('bcd', 1, 0)])).toMatch(
      /^2 files, \+2 −0: ….*\/end\.ts, …$/,
    );
  });

  test('is never longer than 100 characters, nor more than one line', () => {
    fc.assert(
      fc.property(rows, (some) => {
        const text = describeChanges(some);
        expect([...text].length).toBeLessThanOrEqual(100);
        expect(text).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('fitting into columns', () => {
  test('counts wide characters as two columns and combining marks as none', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('😀')).toBe(2);
  });

  test('keeps the end or the start', () => {
    expect(fitEnd('abcdef', 4)).toBe('…def');
    expect(fitStart('abcdef', 4)).toBe('abc…');
    expect(fitEnd('abcd', 4)).toBe('abcd');
    expect(fitEnd('日本語', 4)).toBe('…語');
  });
});
