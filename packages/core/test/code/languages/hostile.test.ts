import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/code/languages/table.ts';
import type { TreePath } from '../../../src/model/names.ts';
import { extractorOf } from './summary.ts';

const text = (content: string) => new TextEncoder().encode(content);

/** Repeatable bytes. */
function noise(length: number, alphabet: string | null): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    const value = state >> 12;
    return alphabet === null ? 1 + (value % 255) : alphabet.charCodeAt(value % alphabet.length);
  });
}

const files: Readonly<Record<string, Uint8Array>> = {
  empty: text(''),
  'random bytes': noise(20_000, null),
  'random punctuation': noise(20_000, '()[]{}"\'\n\t ;:,.=abc#/*<>@!`$\\|'),
  binary: Uint8Array.from({ length: 10_000 }, (_, index) => index % 7),
  'open parentheses': text('('.repeat(20_000)),
  'closed parentheses': text(')'.repeat(20_000)),
  'deep nesting': text(`${'('.repeat(20_000)}1${')'.repeat(20_000)}`),
  'open braces': text('{'.repeat(20_000)),
  'long chain': text(`a${'.b'.repeat(20_000)}`),
  'long sum': text(`x = ${'1 + '.repeat(20_000)}1\n`),
  quotes: text('"'.repeat(20_001)),
  comments: text('/* #| '.repeat(5_000)),
  'names of Object.prototype': text('constructor = __proto__.toString\ndef hasOwnProperty(): pass\n'),
  'over 5 MB': text('x = 1\n'.repeat(1_000_000)),
};

describe.each(LANGUAGES)('$id', (language) => {
  it('never throws, and reads the next file as if nothing had been', async () => {
    const extract = await extractorOf(language);
    const before = extract(text('x = 1\n'), 'a/file' as TreePath);
    for (const [name, bytes] of Object.entries(files)) {
      expect(() => extract(bytes, 'a/file' as TreePath), name).not.toThrow();
      expect(extract(text('x = 1\n'), 'a/file' as TreePath), name).toEqual(before);
    }
  });

  it('says nothing of what is too large or binary', async () => {
    const extract = await extractorOf(language);
    for (const name of ['binary', 'over 5 MB']) {
      const facts = extract(files[name]!, 'a/file' as TreePath);
      expect(facts).toMatchObject({ hasHiddenExports: true, imports: [], exports: [], definitions: [], problems: [] });
    }
  });

  it('does not throw without its grammar', async () => {
    const loaded = await language.load(async () => null);
    expect(loaded === null || typeof loaded === 'function').toBe(true);
  });
});
