import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countChangedLines,
  diffLines,
  type Hunk,
  LINE_BOUND,
  type LineCounts,
  type LineDiff,
} from '../../src/content/line-diff.ts';
import { splitLines } from '../../src/content/lines.ts';
import { content, grown } from './arbitraries.ts';
import { git, testFolder } from './git.ts';

function lineDiff(before: Buffer, after: Buffer, bound = LINE_BOUND, context = 3): LineDiff {
  const diff = diffLines(before, after, bound, context);
  if (diff.kind !== 'lines') throw new Error(`not compared by line: ${diff.kind}`);
  return diff;
}

/** Applies hunks strictly: every old line must be present, and every number must be right. */
function apply(before: Buffer, hunks: readonly Hunk[]): Buffer {
  const from = splitLines(before);
  const to: string[] = [];
  let x = 0;
  for (const hunk of hunks) {
    while (x < hunk.beforeStart) to.push(from[x++] as string);
    if (to.length !== hunk.afterStart) throw new Error(`hunk at ${to.length} of after, not ${hunk.afterStart}`);
    for (const signed of hunk.lines) {
      const [sign, line] = [signed[0], signed.slice(1)];
      if (sign !== '+' && from[x++] !== line) throw new Error(`line ${x} is not ${line}`);
      if (sign !== '-') to.push(line);
    }
    expect([x, to.length]).toEqual([hunk.beforeStart + hunk.beforeCount, hunk.afterStart + hunk.afterCount]);
  }
  return Buffer.from(to.concat(from.slice(x)).join(''), 'latin1');
}

const pairs = fc.oneof(
  fc.integer({ min: 1, max: 8 }).chain((variety) => fc.tuple(content(variety), content(variety))),
  fc
    .integer({ min: 1, max: 40 })
    .chain((variety) => grown(variety, 40, 1).map((it) => [it.base, it.grown[0] as Buffer])),
);

const folder = testFolder();

/** Line counts of `git diff --numstat` for each pair, in one run. */
function gitCounts(pairs: readonly [Buffer, Buffer][]): LineCounts[] {
  for (const [place, side] of ['before', 'after'].entries()) {
    rmSync(join(folder, side), { recursive: true, force: true });
    mkdirSync(join(folder, side));
    for (const [i, pair] of pairs.entries()) writeFileSync(join(folder, side, `f${i}`), pair[place] as Buffer);
  }
  const args = ['diff', '--no-index', '--numstat', '--minimal', '--no-renames', '-z', 'before', 'after'];
  const fields = git(folder, args).stdout.toString('latin1').split('\0');
  const byName = new Map<string, LineCounts>();
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [added, removed] = (fields[i] as string).split('\t');
    byName.set((fields[i + 1] as string).replace('before/', ''), { added: Number(added), removed: Number(removed) });
  }
  expect(byName.size).toBeGreaterThan(pairs.length / 2);
  return pairs.map((_, i) => byName.get(`f${i}`) ?? { added: 0, removed: 0 });
}

describe('line diff', () => {
  test('the hunks, applied to before, give after byte for byte', () => {
    fc.assert(
      fc.property(pairs, fc.nat({ max: 4 }), ([before, after], context) => {
        const { hunks, coarse } = lineDiff(before as Buffer, after as Buffer, LINE_BOUND, context);
        expect(apply(before as Buffer, hunks)).toEqual(after);
        expect(coarse).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('over the budget, the hunks still give after, and the diff is marked as coarse', () => {
    const distinct = fc.uniqueArray(fc.nat({ max: 60 }), { minLength: 10, maxLength: 40 });
    let coarse = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          pairs,
          fc.tuple(distinct, distinct).map((pair) => pair.map(numbered)),
        ),
        ([before, after]) => {
          const diff = lineDiff(before as Buffer, after as Buffer, { ...LINE_BOUND, maxSteps: 60 });
          if (diff.coarse) coarse++;
          expect(apply(before as Buffer, diff.hunks)).toEqual(after);
          const { added, removed } = diff;
          expect(countChangedLines(before as Buffer, after as Buffer, { ...LINE_BOUND, maxSteps: 60 })).toEqual({
            added,
            removed,
          });
        },
      ),
      { numRuns: 500 },
    );
    expect(coarse).toBeGreaterThan(20);
  });

  test('over the budget, lines that are unique on both sides still anchor the diff', () => {
    const lines = Array.from({ length: 300 }, (_, i) => [`unique ${i}`, '{', '}']).flat();
    const before = Buffer.from(`first\n${lines.join('\n')}\nlast\n`);
    const changed = lines.map((line, i) => (i % 9 === 4 ? `new ${i}` : line));
    const after = Buffer.from(`FIRST\n${changed.join('\n')}\nLAST\n`);
    const diff = lineDiff(before, after, { ...LINE_BOUND, maxSteps: 5000 });
    expect(diff.coarse).toBe(true);
    expect({ added: diff.added, removed: diff.removed }).toEqual({ added: 102, removed: 102 });
    expect(apply(before, diff.hunks)).toEqual(after);
  });

  test('the counts are those of the hunks, and never more than those of git', () => {
    const cases = fc.sample(pairs, { numRuns: 400, seed: 1 }) as [Buffer, Buffer][];
    const byGit = gitCounts(cases);
    let equal = 0;
    for (const [i, [before, after]] of cases.entries()) {
      const { added, removed, hunks } = lineDiff(before, after);
      const shown = hunks.flatMap((hunk) => hunk.lines);
      expect(shown.filter((line) => line.startsWith('+')).length).toBe(added);
      expect(shown.filter((line) => line.startsWith('-')).length).toBe(removed);
      expect(countChangedLines(before, after)).toEqual({ added, removed });
      const git = byGit[i] as LineCounts;
      expect(added - removed).toBe(git.added - git.removed);
      // git does not match some very frequent lines, even with --minimal.
      expect(added, `case ${i}: ${JSON.stringify([before, after].map(String))}`).toBeLessThanOrEqual(git.added);
      if (added === git.added) equal++;
    }
    expect(equal / cases.length).toBeGreaterThan(0.8);
  });

  test('the counts are those of git where few lines repeat', () => {
    const fewRepeat = grown(1_000_000, 60, 1).map((it) => [it.base, it.grown[0]] as [Buffer, Buffer]);
    const cases = fc.sample(fewRepeat, { numRuns: 400, seed: 1 });
    expect(cases.map(([before, after]) => countChangedLines(before, after))).toEqual(gitCounts(cases));
  });

  test('a hunk has up to three lines of context, and adjacent changes share one', () => {
    const before = numbered(Array.from({ length: 40 }, (_, i) => i));
    const after = numbered(Array.from({ length: 40 }, (_, i) => (i === 10 || i === 17 || i === 30 ? -i : i)));
    const { hunks } = lineDiff(before, after);
    expect(hunks.map(({ lines, ...range }) => ({ ...range, lines: lines.length }))).toEqual([
      { beforeStart: 7, beforeCount: 14, afterStart: 7, afterCount: 14, lines: 16 },
      { beforeStart: 27, beforeCount: 7, afterStart: 27, afterCount: 7, lines: 8 },
    ]);
    expect(lineDiff(before, after, LINE_BOUND, 0).hunks.length).toBe(3);
  });

  test('a last line with and without a line feed are different lines', () => {
    expect(lineDiff(Buffer.from('a\nb'), Buffer.from('a\nb\n')).hunks).toEqual([
      { beforeStart: 0, beforeCount: 2, afterStart: 0, afterCount: 2, lines: [' a\n', '-b', '+b\n'] },
    ]);
  });

  test('equal contents have no hunks; a new or removed file is one hunk with all lines', () => {
    const some = Buffer.from('a\r\nb');
    expect(lineDiff(some, Buffer.from(some))).toMatchObject({ hunks: [], added: 0, removed: 0 });
    expect(lineDiff(Buffer.alloc(0), some)).toMatchObject({ added: 2, removed: 0 });
    expect(lineDiff(some, Buffer.alloc(0))).toMatchObject({ added: 0, removed: 2 });
  });

  test('binary contents, and contents that are too long or have too many lines, are reported and not counted', () => {
    const text = Buffer.from('a\nb\nc\n');
    expect(diffLines(text, Buffer.from('a\0'))).toEqual({ kind: 'binary' });
    expect(diffLines(text, Buffer.from('x'), { ...LINE_BOUND, maxBytes: 5 })).toEqual({ kind: 'too-long' });
    expect(diffLines(text, Buffer.from('x'), { ...LINE_BOUND, maxLines: 3 })).toEqual({ kind: 'too-long' });
    expect(countChangedLines(text, Buffer.from('a\0'))).toBeNull();
    expect(countChangedLines(text, Buffer.from('x'), { ...LINE_BOUND, maxLines: 3 })).toBeNull();
    expect(countChangedLines(text, Buffer.from('a\nb\nd\n'), { ...LINE_BOUND, maxLines: 2 })).toEqual({
      added: 1,
      removed: 1,
    });
  });

  test('hostile contents are diffed within the budget', () => {
    let seed = 3;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const lines = (count: number, line: (i: number) => string | number) =>
      Buffer.from(`${Array.from({ length: count }, (_, i) => line(i)).join('\n')}\n`);
    const hostile: Record<string, [Buffer, Buffer]> = {
      'a megabyte of different lines': [
        lines(40_000, (i) => `before ${i}, somewhat`),
        lines(40_000, (i) => `after ${i}, longer`),
      ],
      'two lines in random order': [lines(140_000, () => random(2)), lines(140_000, () => random(2))],
      'one line very often': [lines(140_000, (i) => (i === 0 ? 'p' : '')), lines(120_000, (i) => (i === 0 ? 'q' : ''))],
      'a short period': [lines(140_000, (i) => i % 7), lines(140_000, (i) => (i + (i >> 13)) % 7)],
      'the same lines shuffled': [lines(140_000, (i) => i), lines(140_000, (i) => (i * 7919) % 140_000)],
      'one long line': [Buffer.alloc(8_000_000, 'a'), Buffer.alloc(8_000_000, 'b')],
    };
    for (const [name, [before, after]] of Object.entries(hostile)) {
      const diff = lineDiff(before, after);
      expect(apply(before, diff.hunks).equals(after), name).toBe(true);
    }
  });
});

function numbered(lines: readonly number[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
