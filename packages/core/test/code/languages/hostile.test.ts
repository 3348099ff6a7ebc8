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
  'random bytes': noise(50_000, null),
  'random punctuation': noise(50_000, '()[]{}"\'\n\t ;:,.=abc#/*<>@!`$\\|'),
  binary: Uint8Array.from({ length: 10_000 }, (_, index) => index % 7),
  'open parentheses': text('('.repeat(200_000)),
  'deep nesting': text(`${'('.repeat(50_000)}1${')'.repeat(50_000)}`),
  'open braces': text('{'.repeat(50_000)),
  'long chain': text(`a${'.b'.repeat(100_000)}`),
  'long sum': text(`x = ${'1 + '.repeat(100_000)}1\n`),
  quotes: text('"'.repeat(100_001)),
  'names of Object.prototype': text('constructor = __proto__.toString\ndef hasOwnProperty(): pass\n'),
  'over 5 MB': text('x = 1\n'.repeat(1_000_000)),
};

describe.each(LANGUAGES)('$id', (language) => {
  it.each(Object.entries(files))('%s never throws', async (_, bytes) => {
    const extract = await extractorOf(language);
    const facts = extract(bytes, 'a/file' as TreePath);
    expect(facts.language).toBe(language.id);
  });

  it('says nothing of what is too large or binary', async () => {
    const extract = await extractorOf(language);
    for (const name of ['binary', 'over 5 MB']) {
      const facts = extract(files[name]!, 'a/file' as TreePath);
      expect(facts).toMatchObject({ hasHiddenExports: true, imports: [], exports: [], definitions: [], problems: [] });
    }
  });

  it('reads the next file as if nothing had been', async () => {
    const extract = await extractorOf(language);
    const before = extract(text('x = 1\n'), 'a/file' as TreePath);
    for (const bytes of Object.values(files)) extract(bytes, 'a/file' as TreePath);
    expect(extract(text('x = 1\n'), 'a/file' as TreePath)).toEqual(before);
  });

  it('does not throw without its grammar', async () => {
    const loaded = await language.load(async () => null);
    expect(loaded === null || typeof loaded === 'function').toBe(true);
  });
});
