import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINE_BOUND } from '../../src/content/line-diff.ts';
import { splitLines } from '../../src/content/lines.ts';
import { type MergeResult, mergeThreeWay } from '../../src/content/three-way.ts';
import { grown } from './arbitraries.ts';
import { git, testFolder } from './git.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const merge = (base: string, ours: string, theirs: string) => mergeThreeWay(bytes(base), bytes(ours), bytes(theirs));
const merged = (text: string): MergeResult => ({ ok: true, merged: bytes(text), dropped: [] });

const line = (at: number) => ({ start: at, end: at + 1 });

const folder = testFolder();

/** The result of `git merge-file`; null if it finds conflicts. */
function mergeByGit(base: Buffer, ours: Buffer, theirs: Buffer): Buffer | null {
  for (const [name, content] of Object.entries({ base, ours, theirs })) writeFileSync(join(folder, name), content);
  const { status, stdout } = git(folder, ['merge-file', '-p', 'ours', 'base', 'theirs']);
  if (status === null || status > 127) throw new Error(`git merge-file ended with ${status}`);
  return status === 0 ? stdout : null;
}

/** Compares with git over random edits. It fails if the bytes differ, or if we merge what git does not. */
function compareWithGit(
  variety: number,
  maxLines: number,
  numRuns: number,
): { readonly both: number; readonly gitOnly: number } {
  const figures = { both: 0, gitOnly: 0 };
  fc.assert(
    fc.property(fc.noBias(grown(variety, maxLines, 2)), ({ base, grown: [ours, theirs] }) => {
      const result = mergeThreeWay(base, ours as Buffer, theirs as Buffer);
      const byGit = mergeByGit(base, ours as Buffer, theirs as Buffer);
      if (!result.ok) {
        if (byGit !== null) figures.gitOnly++;
        return;
      }
      // One-sided and identical changes are merged without a line diff; git does the same for text.
      figures.both++;
      expect(byGit === null ? 'git finds a conflict' : byGit.toString('latin1')).toBe(result.merged.toString('latin1'));
    }),
    { numRuns },
  );
  return figures;
}

describe('three-way merge', () => {
  test('one-sided and identical changes are taken, also of binary and huge contents', () => {
    const base = Buffer.from([0, 1, 2]);
    const other = Buffer.from([0, 3]);
    expect(mergeThreeWay(base, other, base)).toEqual({ ok: true, merged: other, dropped: [] });
    expect(mergeThreeWay(base, base, other)).toEqual({ ok: true, merged: other, dropped: [] });
    expect(mergeThreeWay(base, other, Buffer.from(other))).toEqual({ ok: true, merged: other, dropped: [] });
    const huge = Buffer.alloc(LINE_BOUND.maxBytes + 1, 'a');
    expect(mergeThreeWay(huge, base, huge)).toEqual({ ok: true, merged: base, dropped: [] });
  });

  test('changes with an unchanged line between them merge; line endings and invalid UTF-8 are preserved', () => {
    expect(merge('a\r\n\xe9\nb\r\nc', 'A\r\n\xe9\nb\r\nc', 'a\r\n\xe9\nb\r\nC\r\n')).toEqual(
      merged('A\r\n\xe9\nb\r\nC\r\n'),
    );
    expect(merge('1\n2\n3\n', '0\n1\n2\n3\n', '1\n2\n3\n4\n')).toEqual(merged('0\n1\n2\n3\n4\n'));
    expect(merge('1\n2\n3\n4\n', '2\n3\n4\n', '1\n2\n3\n')).toEqual(merged('2\n3\n'));
  });

  test('the same change by both sides is not a conflict, also next to one-sided changes', () => {
    expect(merge('a\nb\nc\nd\ne\n', 'X\nb\nC\nd\ne\n', 'a\nb\nC\nd\nY\n')).toEqual(merged('X\nb\nC\nd\nY\n'));
  });

  test('adjacent changes are a conflict, as in git', () => {
    const [base, ours, theirs] = ['a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nb\nC\nd\n'].map(bytes) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    expect(mergeThreeWay(base, ours, theirs)).toMatchObject({ ok: false, why: 'overlap' });
    expect(mergeByGit(base, ours, theirs)).toBeNull();
  });

  test('a conflict names its lines on every side, and the markers surround the differences', () => {
    const result = merge('top\na\nb\nend\n', 'top\nsame\nours\nend\n', 'TOP\nsame\ntheirs\nend\nmore\n');
    expect(result).toMatchObject({
      ok: false,
      why: 'overlap',
      conflicts: [
        {
          baseStart: 0,
          baseCount: 3,
          oursStart: 0,
          oursCount: 3,
          theirsStart: 0,
          theirsCount: 3,
          isSameLines: true,
          ourLines: [{ start: 1, end: 3 }],
        },
      ],
      withMarkers: bytes('<<<<<<< ours\ntop\nsame\nours\n=======\nTOP\nsame\ntheirs\n>>>>>>> theirs\nend\nmore\n'),
    });
    expect(merge('x\na\ny\n', 'x\n1\nours\n9\ny\n', 'x\n1\ntheirs\n9\ny\n')).toMatchObject({
      ok: false,
      why: 'overlap',
      conflicts: [
        {
          baseStart: 1,
          baseCount: 1,
          oursStart: 2,
          oursCount: 1,
          theirsStart: 2,
          theirsCount: 1,
          isSameLines: true,
          ourLines: [{ start: 1, end: 4 }],
        },
      ],
      withMarkers: bytes('x\n1\n<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n9\ny\n'),
    });
  });

  test('markers are on lines of their own, also after a last line without an ending, and use the line ending of the content', () => {
    const labels = { ours: 'cp_4', theirs: 'now' };
    expect(mergeThreeWay(bytes('a\r\nb'), bytes('a\r\nc'), bytes('a\r\nd'), { labels })).toMatchObject({
      withMarkers: bytes('a\r\n<<<<<<< cp_4\r\nc\r\n=======\r\nd\r\n>>>>>>> now\r\n'),
    });
  });

  test('theirs keeps what ours changed next to a conflict, and names the lines of ours that it drops', () => {
    const theirs = (base: string, ours: string, other: string) => {
      const result = mergeThreeWay(bytes(base), bytes(ours), bytes(other), { prefer: 'theirs' });
      return result.ok ? [result.merged.toString('latin1'), result.dropped] : result.why;
    };
    expect(theirs('1\n2\nA\n4\n5\n', '1\n2\nA\nP\n5\n', '1\n2\n3\n4\n5\n')).toEqual(['1\n2\n3\nP\n5\n', []]);
    expect(theirs('1\nA\nB\n4\n', '1\nP\nB\n4\n', '1\n2\n3\n4\n')).toEqual(['1\n2\n3\n4\n', [line(1)]]);
    // The inserted line is inside the block that goes; the appended one is after it.
    expect(theirs('1\nA\nB\n', '1\nA\nP\nB\nQ\n', '1\n')).toEqual(['1\nQ\n', [line(2)]]);
    expect(theirs('1\n2\n', '1\nP', '1\n2\nT\n')).toEqual(['1\nP\nT\n', []]);
    expect(theirs('1\n2\n', '1\nP\n2\n', '1\nT\n2\n')).toEqual(['1\nT\n2\n', [line(1)]]);
    expect(theirs('1\n2\n', '1\nS\nP\n2\n', '1\nS\nT\n2\n')).toEqual(['1\nS\nT\n2\n', [line(2)]]);
    const adjacent = merge('1\nA\n3\n4\n', '1\nA\nP\n4\n', '1\n2\n3\n4\n');
    expect(adjacent).toMatchObject({ conflicts: [{ isSameLines: false, ourLines: [line(2)] }] });
  });

  test('theirs drops lines of ours only in a block of changed lines in which theirs changed a line, too', () => {
    const changed = fc.record({ ours: fc.boolean(), theirs: fc.boolean() });
    fc.assert(
      fc.property(fc.array(changed, { minLength: 1, maxLength: 12 }), (lines) => {
        const written = (name: string, isChanged: (line: (typeof lines)[number]) => boolean) =>
          lines.map((line, i) => (isChanged(line) ? `${name}${i}\n` : `${i}\n`));
        const ours = written('P', (line) => line.ours);
        const theirs = written('A', (line) => line.theirs);
        const texts = [written('', () => false), ours, theirs].map((text) => bytes(text.join('')));
        const hasBothInBlock = (i: number): boolean => {
          let [first, end] = [i, i];
          while (lines[first - 1]?.ours === true) first--;
          while (lines[end]?.ours === true) end++;
          return lines.slice(first, end).some((line) => line.theirs);
        };
        const isDropped = (i: number): boolean => lines[i]!.ours && hasBothInBlock(i);
        expect(mergeThreeWay(...(texts as [Buffer, Buffer, Buffer]), { prefer: 'theirs' })).toEqual({
          ok: true,
          merged: bytes(lines.map(({ ours: own }, i) => (own && !isDropped(i) ? ours[i] : theirs[i])).join('')),
          dropped: lines.flatMap((_, i) => (isDropped(i) ? [line(i)] : [])),
        });
      }),
      { numRuns: 500 },
    );
  });

  test('both sides created the file: equal contents merge, different ones are one conflict', () => {
    expect(merge('', 'a\n', 'a\n')).toEqual(merged('a\n'));
    expect(merge('', 'a\n', 'b\n')).toMatchObject({ ok: false, conflicts: [{ oursCount: 1, theirsCount: 1 }] });
  });

  test('if it is ambiguous which of equal lines was removed, and the merge depends on it, it is a conflict', () => {
    // Ours changed the second of five equal pairs, theirs removed one pair. Is the changed one now the first or the
    // second?
    const pair = (name: string) => `{\n${name}\n`;
    const five = pair('x').repeat(5);
    const ours = pair('x') + pair('CHANGED') + pair('x').repeat(3);
    expect(merge(five, ours, pair('x').repeat(4))).toMatchObject({ ok: false, why: 'overlap' });
    // With distinguishable pairs there is no ambiguity.
    const reported = ['a', 'b', 'c', 'd', 'e'].map(pair);
    expect(merge(reported.join(''), reported.join('').replace('b', 'CHANGED'), reported.slice(0, 4).join(''))).toEqual(
      merged(reported.slice(0, 4).join('').replace('b', 'CHANGED')),
    );
  });

  test('git merges to the same bytes, or finds a conflict, wherever we merge: many lines repeat', () => {
    const { both } = compareWithGit(4, 25, 150);
    expect(both).toBeGreaterThan(10);
  });

  test('git merges to the same bytes, or finds a conflict, wherever we merge: some lines repeat', () => {
    const { both } = compareWithGit(40, 50, 150);
    expect(both).toBeGreaterThan(15);
  });

  test('where few lines repeat, we merge nearly everything that git merges', () => {
    const { both, gitOnly } = compareWithGit(1_000_000, 200, 150);
    expect(both).toBeGreaterThan(20);
    expect(gitOnly).toBeLessThan(both / 5);
  });

  test('a merge does not depend on which side is called ours', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }).chain((variety) => grown(variety, 20, 2)),
        ({ base, grown: sides }) => {
          const [one, other] = sides as [Buffer, Buffer];
          const [result, swapped] = [mergeThreeWay(base, one, other), mergeThreeWay(base, other, one)];
          if (result.ok) expect(swapped).toEqual(result);
          else expect(swapped).toMatchObject({ ok: false, conflicts: result.conflicts.map(() => ({})) });
        },
      ),
      { numRuns: 500 },
    );
  });

  test('no line of either side is lost: each new line is in the merge, or between the markers', () => {
    fc.assert(
      fc.property(grown(1_000_000, 30, 2), ({ base, grown: sides }) => {
        const [ours, theirs] = sides as [Buffer, Buffer];
        const result = mergeThreeWay(base, ours, theirs);
        const out = new Set(splitLines((result.ok ? result.merged : result.withMarkers) ?? Buffer.alloc(0)));
        const old = new Set(splitLines(base));
        for (const one of [...splitLines(ours), ...splitLines(theirs)]) {
          if (!old.has(one)) expect(out.has(one) || out.has(`${one}\n`)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('with ours in each conflict, the parts of a merge are the merge that prefers ours', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 20 }).chain((variety) => grown(variety, 20, 2)),
        ({ base, grown: sides }) => {
          const [ours, theirs] = sides as [Buffer, Buffer];
          const result = mergeThreeWay(base, ours, theirs);
          if (result.ok || result.parts === null) return;
          const kept = result.parts.map((part) => (part.kind === 'merged' ? part.content : part.ours));
          expect(result.parts.filter(({ kind }) => kind === 'conflict')).toHaveLength(result.conflicts.length);
          expect(mergeThreeWay(base, ours, theirs, { prefer: 'ours' })).toMatchObject({ merged: Buffer.concat(kept) });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('both sides changed content that is not merged by line: a conflict without markers, with the reason', () => {
    const text = bytes('a\nb\n');
    const refused = (why: string) => ({ ok: false, why, conflicts: [], withMarkers: null, parts: null });
    expect(mergeThreeWay(text, bytes('a\0'), bytes('c\n'))).toEqual(refused('binary'));
    expect(mergeThreeWay(bytes('\0'), text, bytes('c\n'))).toEqual(refused('binary'));
    const bounded = (bound: object) =>
      mergeThreeWay(text, bytes('x\nb\ny\n'), bytes('a\nz\n'), { bound: { ...LINE_BOUND, ...bound } });
    expect(bounded({ maxBytes: 5 })).toEqual(refused('too-long'));
    expect(bounded({ maxLines: 4 })).toEqual(refused('too-long'));
    expect(bounded({ maxSteps: 3 })).toEqual(refused('too-different'));
  });

  test('hostile contents are merged within the budget', () => {
    let seed = 5;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const lines = (count: number, line: (i: number) => string | number) =>
      Buffer.from(Array.from({ length: count }, (_, i) => `${line(i)}\n`).join(''));
    const count = 140_000;
    const equal = lines(count, () => '');
    expect(
      mergeThreeWay(
        equal,
        lines(count, (i) => (i === 0 ? 'p' : '')),
        lines(count, (i) => (i === count - 1 ? 'q' : '')),
      ).ok,
    ).toBe(false);
    const coins = () => lines(count, () => random(2));
    expect(mergeThreeWay(coins(), coins(), coins())).toMatchObject({ why: 'too-different' });
    const own = (name: string) => lines(count, (i) => `${name} ${i}`);
    expect(mergeThreeWay(own('a'), own('b'), own('c'))).toMatchObject({
      why: 'overlap',
      conflicts: [{ baseCount: count }],
    });
    const far = mergeThreeWay(
      own('a'),
      Buffer.concat([bytes('first\n'), own('a')]),
      Buffer.concat([own('a'), bytes('last\n')]),
    );
    expect(far.ok && far.merged.length).toBe(own('a').length + 'first\nlast\n'.length);
  });
});
