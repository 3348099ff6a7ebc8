import { describe, expect, test } from 'vitest';
import { edited, insert, patch, refusal, replace, replaceAll, tolerant, write } from './helpers.ts';

/**
 * Inputs that would take hours if a search restarted at every position, or scanned the file once per position. The
 * proof is that the tests finish; nothing here measures time.
 */
describe('hostile inputs', () => {
  const megabyte = 2 ** 20;
  const line = 'a'.repeat(50 * megabyte);

  test('50 MB in one line', () => {
    expect(edited(`${line}b`, replace('b', 'c'))?.length).toBe(line.length + 1);
    refusal('NO_MATCH', line, replace('b', 'c'));
    // A naive search fails at each position only after a megabyte.
    refusal('NO_MATCH', line, replace(`b${'a'.repeat(megabyte)}`, 'c'));
    refusal('NO_MATCH', line, replace(`${'a'.repeat(megabyte)}b`, 'c'));
    expect(refusal('SEVERAL_MATCHES', line, replace('a'.repeat(megabyte), 'c')).data.more).toBe(true);
    refusal('NO_MATCH', line, tolerant('b', 'c'));
  });

  test('hundreds of thousands of matches in one line', () => {
    const many = `${'ab'.repeat(400_000)}\r\n\n`;
    const made = edited(many, replaceAll('ab', 'x\n'));
    expect(made).toBe(`${'x\r\n'.repeat(400_000)}\r\n\n`);
  });

  test('100,000 equal lines', () => {
    const equal = 'same line\n'.repeat(100_000);
    refusal('NO_MATCH', equal, replace(`${'same line\n'.repeat(50_000)}other\n`, ''));
    refusal('NO_MATCH', equal, tolerant(`${' same line\n'.repeat(50_000)}other\n`, ''));
    refusal('SEVERAL_MATCHES', equal, tolerant('  same line\n'.repeat(50_000), ''));
    refusal('NO_MATCH', equal.replaceAll('\n', '\r\n'), replace(`${'same line\n'.repeat(50_000)}other\n`, ''));
    expect(edited(equal, insert(50_000, 'new'))?.length).toBe(equal.length + 4);
    const old = ' same line\n'.repeat(50_000);
    refusal('PATCH_MISMATCH', equal, patch(`@@ -1,50001 +1,50000 @@\n${old}-other\n`));
    refusal('PATCH_MISMATCH', equal, patch(`@@ -1,50001 +1,50000 @@\n${old}-other\n`, 3));
  });

  test('contents that differ everywhere are counted, but not by a shortest diff', () => {
    const of = (word: string) => Array.from({ length: 200_000 }, (_, i) => `${word} ${i % 7} ${i % 11}\n`).join('');
    expect(edited(of('a'), write(of('b')))).toBe(of('b'));
  });

  test('a patch whose hunks are all misplaced is refused', () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `${i}\n`);
    // Each hunk claims to be one line after the previous one, but is two lines after it.
    const hunks = lines.flatMap((text, i) => (i % 2 === 0 ? [] : [`@@ -${(i + 1) / 2} +1 @@\n-${text}+x\n`]));
    const found = refusal('PATCH_MISMATCH', lines.join(''), patch(hunks.join('')));
    expect(found.message).toContain('Too many hunks');
  });
});
