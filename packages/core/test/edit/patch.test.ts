import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PatchSide, unifiedPatch } from '../../src/content/unified-patch.ts';
import type { ObjectId } from '../../src/model/ids.ts';
import { done, edited, PATH, patch, refusal } from './helpers.ts';

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

function side(text: string | null, mode = 0o644): PatchSide | null {
  if (text === null) return null;
  const content = Buffer.from(text);
  const id = createHash('sha1').update(content).digest('hex') as ObjectId;
  return { kind: 'file', mode, id, size: content.length, read: () => content };
}

/** A patch in our own output format. */
const patchOf = (before: string | null, after: string | null): string =>
  unifiedPatch([{ path: PATH, before: side(before), after: side(after) }]).text.toString();

/** Two texts, the second derived from the first. Lines repeat, or do not if `unique`. */
function grown(ending: fc.Arbitrary<string>, unique: boolean): fc.Arbitrary<readonly [string, string]> {
  const line = unique ? fc.nat() : fc.nat({ max: 6 });
  const change = fc.record({ at: fc.nat(), remove: fc.nat({ max: 3 }), add: fc.array(line, { maxLength: 3 }) });
  return fc
    .tuple(
      fc.array(line, { maxLength: 60 }),
      fc.array(change, { minLength: 1, maxLength: 5 }),
      fc.array(ending, { minLength: 1, maxLength: 7 }),
      fc.constantFrom('', '', 'open', 'é'),
      fc.boolean(),
    )
    .map(([lines, changes, endings, last, mark]) => {
      const show = (numbers: readonly (readonly [number, number])[], end: string) =>
        (mark ? '\ufeff' : '') + numbers.map(([n, i]) => `line ${n}${endings[i % endings.length]}`).join('') + end;
      const before = lines.map((n, i) => [n, i] as const);
      const after = [...before];
      for (const { at, remove, add } of changes) {
        after.splice(at % (after.length + 1), remove, ...add.map((n) => [n, at] as const));
      }
      return [show(before, last), show(after, changes.length % 2 === 0 ? last : '')] as const;
    });
}

describe('patches that we print', () => {
  test(`apply back exactly (seed ${SEED})`, () => {
    fc.assert(
      fc.property(grown(fc.constantFrom('\n', '\n', '\r\n', '\r', '\n-'), false), ([before, after]) => {
        if (before === after) return;
        const made = done(before, [patch(patchOf(before, after))]);
        expect(made.text).toBe(after);
        expect(made.last.notes).toEqual([]);
        expect(edited(after, patch(patchOf(after, before)))).toBe(before);
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  test(`apply to a file that grew elsewhere, and to one with other line ends (seed ${SEED})`, () => {
    fc.assert(
      fc.property(grown(fc.constant('\n'), true), fc.nat({ max: 5 }), ([before, after], more) => {
        // A hunk without old lines only has its position, and a byte-order mark is only at the start of a file.
        if (before === after || !before.startsWith('line')) return;
        const top = 'top\n'.repeat(more);
        const text = patchOf(before, after);
        const { text: made, last } = done(top + before, [patch(text)]);
        expect(made).toBe(top + after);
        expect(last.notes.length > 0).toBe(more > 0);
        const crlf = (some: string) => some.replaceAll('\n', '\r\n');
        expect(edited(crlf(before), patch(text))).toBe(crlf(after));
        expect(edited(before, patch(crlf(text)))).toBe(after);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  test('of new and deleted files', () => {
    expect(edited(null, patch(patchOf(null, 'a\nb')))).toBe('a\nb');
    expect(edited(null, patch(patchOf(null, '')))).toBe('');
    expect(edited('a\nb', patch(patchOf('a\nb', null)))).toBe(null);
    expect(edited('', patch(patchOf('', null)))).toBe(null);
    expect(edited('\ufeffa\r\n', patch(patchOf('\ufeffa\r\n', null)))).toBe(null);
    const executable = unifiedPatch([{ path: PATH, before: null, after: side('a\n', 0o755) }]).text.toString();
    expect(done(null, [patch(executable)]).mode).toBe(0o755);
    refusal('ALREADY_THERE', 'a\n', patch(patchOf(null, 'a\n')));
    refusal('PATCH_MISMATCH', 'a\nb\n', patch(patchOf('a\n', null)));
    refusal('PATCH_MISMATCH', 'b\n', patch(patchOf('a\n', null)));
  });
});

describe('a patch written by a model', () => {
  const hunk = '@@ -2,3 +2,3 @@\n b\n-c\n+x\n d\n';
  const text = 'a\nb\nc\nd\ne\n';

  test('needs no header, and an empty line may have lost its space', () => {
    expect(edited(text, patch(hunk))).toBe('a\nb\nx\nd\ne\n');
    expect(edited(text, patch(`--- old.txt\n+++ new.txt\n${hunk}\n\n`))).toBe('a\nb\nx\nd\ne\n');
    expect(edited('a\n\nb\n', patch('@@ -1,3 +1,3 @@ name\n a\n\n-b\n+c'))).toBe('a\n\nc\n');
    expect(edited(text, patch(`# note\n${hunk}-- \n2.43.0\n`))).toBe('a\nb\nx\nd\ne\n');
    expect(edited('a\n-- b\n', patch('@@ -1,2 +1 @@\n a\n--- b\n'))).toBe('a\n');
  });

  test('is applied where it says if it matches there, otherwise at the only place where it matches', () => {
    expect(edited('c\nc\nc\n', patch('@@ -2 +2 @@\n-c\n+x\n'))).toBe('c\nx\nc\n');
    const { text: moved, last } = done(`y\ny\n${text}`, [patch(hunk)]);
    expect(moved).toBe('y\ny\na\nb\nx\nd\ne\n');
    expect(last.notes).toEqual(['Hunk 1 applied 2 lines below the stated line.']);
    expect(refusal('PATCH_MISMATCH', 'y\nc\ny\nc\n', patch('@@ -1 +1 @@\n-c\n+x\n')).data).toMatchObject({
      hunk: 1,
      places: [2, 4],
    });
    // If one hunk was moved, the search for later hunks starts at the same distance.
    expect(edited('y\na\nc\nz\nc\n', patch('@@ -1 +1 @@\n-a\n+x\n@@ -4 +4 @@\n-c\n+w\n'))).toBe('y\nx\nc\nz\nw\n');
    // Not before the previous hunk.
    refusal('PATCH_MISMATCH', 'a\nb\nc\n', patch('@@ -2 +2 @@\n-b\n+x\n@@ -3 +3 @@\n-a\n+y\n'));
  });

  test('names the line that does not match', () => {
    const { data, message } = refusal('PATCH_MISMATCH', 'a\nb\nC\nd\ne\n', patch(hunk));
    expect(data).toEqual({ hunk: 1, line: 3, expected: 'c', found: 'C', places: [] });
    expect(message).toContain('`c` in line 3');
    expect(refusal('PATCH_MISMATCH', 'a\nb\n', patch(hunk)).data).toMatchObject({ line: 3, found: null });
    expect(refusal('PATCH_MISMATCH', 'a\nb\nc\nd', patch(hunk)).message).toContain('Only the line endings differ');
    expect(refusal('PATCH_MISMATCH', '', patch(hunk)).data).toMatchObject({ found: null });
  });

  test('with fuzz, context at the ends may differ and is kept', () => {
    const seven = '@@ -1,7 +1,7 @@\n 1\n 2\n 3\n-4\n+x\n 5\n 6\n 7\n';
    refusal('PATCH_MISMATCH', 'A\n2\n3\n4\n5\n6\n7\n', patch(seven));
    const one = done('A\n2\n3\n4\n5\n6\nG\n', [patch(seven, 1)]);
    expect(one.text).toBe('A\n2\n3\nx\n5\n6\nG\n');
    expect(one.last.notes).toEqual(['Hunk 1 applied without a line of context at its ends.']);
    refusal('PATCH_MISMATCH', 'A\nB\n3\n4\n5\n6\n7\n', patch(seven, 1));
    expect(edited('A\nB\nC\n4\n5\n6\n7\n', patch(seven, 3))).toBe('A\nB\nC\nx\n5\n6\n7\n');
    // The longer side is shortened first: two lines of trailing and none of leading context become one and none.
    expect(edited('4\n5\nF\n', patch('@@ -1,3 +1,3 @@\n-4\n+x\n 5\n 6\n', 1))).toBe('x\n5\nF\n');
    // Never by position alone.
    refusal('PATCH_MISMATCH', 'A\nB\n', patch('@@ -1,2 +1,3 @@\n a\n+x\n b\n', 5));
    for (const fuzz of [-1, 0.5, Number.NaN]) refusal('BAD_PATCH', text, patch(hunk, fuzz));
  });

  test('uses the line endings of the file, unless it contains CR itself', () => {
    const { text: made, last } = done('a\r\nb\r\n', [patch('@@ -1,2 +1,3 @@\n a\n+x\n b\n')]);
    expect(made).toBe('a\r\nx\r\nb\r\n');
    expect(last.notes).toEqual(['CRLF line endings kept.']);
    expect(edited('a\r\nb\r\n', patch('@@ -1,2 +1,3 @@\n a\r\n+x\n b\r\n'))).toBe('a\r\nx\nb\r\n');
    refusal('PATCH_MISMATCH', 'a\nb\n', patch('@@ -1,2 +1,3 @@\n a\r\n+x\n b\r\n'));
    expect(edited('\ufeffa\r\n', patch('@@ -1 +1 @@\n-a\n+b\n'))).toBe('\ufeffb\r\n');
  });

  test('a line without a line feed is allowed only at the end', () => {
    expect(edited('a\nb', patch('@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+b\n'))).toBe('a\nb\n');
    expect(edited('a\nb\n', patch('@@ -2 +2 @@\n-b\n+b\n\\ No newline at end of file\n'))).toBe('a\nb');
    refusal('PATCH_MISMATCH', 'a\nb\n', patch('@@ -1 +1 @@\n-a\n+x\n\\ No newline at end of file\n'));
    refusal('PATCH_MISMATCH', 'a', patch('@@ -1,0 +2 @@\n+x\n'));
    refusal('BAD_PATCH', 'a\n', patch('@@ -1 +1,2 @@\n-a\n+x\n\\ No newline at end of file\n+y\n'));
    refusal('BAD_PATCH', 'a\n', patch('@@ -1 +1 @@\n\\ No newline at end of file\n-a\n+x\n'));
  });

  test.each([
    ['', 1],
    ['--- a\n+++ b\n', 3],
    ['--- a\n@@ -1 +1 @@\n-a\n+b\n', 1],
    ['```diff\n@@ -1 +1 @@\n-a\n+b\n```\n', 1],
    ['@@ -1 +1 @@\n-a\n+b\n```\n', 4],
    ['@@ -1 +1 @@\n-a\n', 1],
    ['@@ -1 +1 @@\n-a\n+b\n+c\n', 4],
    ['@@ -1 +1 @@\n-a\n-b\n+c\n', 3],
    ['@@ -1,2 +1,2 @@\n-a\n*b\n', 3],
    ['@@ -1,2 +1,2 @@\n-a\n+b\n@@ -3 +3 @@\n-c\n+d\n', 4],
    ['@@ -0 +1 @@\n-a\n+b\n', 1],
    ['@@ -0,0 +0,0 @@\n', 1],
    ['@@ ... @@\n-a\n+b\n', 1],
    ['@@ -1,99999999999 +1 @@\n-a\n+b\n', 1],
    ['@@ -3 +3 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n', 4],
    ['@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -2 +2 @@\n-b\n+c\n', 5],
    ['@@ -1 +1 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-a\n+b\n', 4],
    ['diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/b b/b\n', 7],
    ['diff --git a/a b/a\ndiff --git a/b b/b\n', 2],
    ['--- a/a\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n', 1],
    ['old mode 100644\nnew mode 100755\n', 1],
    ['similarity index 90%\nrename from a\nrename to b\n', 1],
    ['new file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+a\n', 1],
    ['--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n', 1],
    ['new file mode 100644\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+a\n', 1],
    ['new file mode 100644\ndeleted file mode 100644\n', 2],
    ['--- /dev/null\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n', 1],
    ['Binary files a/a and b/a differ\n', 1],
    ['GIT binary patch\nliteral 1\n', 1],
    ['@@ -cut- 3 of 9 lines are shown @@\n', 1],
  ])('that is invalid is refused with its line: %j', (given, line) => {
    expect(refusal('BAD_PATCH', 'a\n', patch(given)).data).toEqual({ line });
  });
});
