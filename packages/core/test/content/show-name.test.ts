import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showContent, showName, showText } from '../../src/content/show-name.ts';
import { bytesFromText } from '../../src/model/names.ts';

/** Written a second time with Unicode categories, so that a mistake in the ranges of the source shows. */
const FORBIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u2065\u3164\uffa0]|\u034f|\u17b4|\u17b5|[\u180b-\u180f]/u;

/** Byte strings with many awkward ones: control characters, UTF-8 of C1, bidi and zero-width characters, torn UTF-8. */
const awkward = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 5 }).map(bytesFromText),
  fc.array(fc.nat({ max: 255 }), { maxLength: 5 }).map((bytes) => String.fromCharCode(...bytes)),
  fc
    .constantFrom(
      ...'\u0085\u009b\u200b\u200d\u200e\u200f\u202a\u202e\u2066\u2069\ufeff\u00ad\u2028é€😀'.split(/(?:)/u),
    )
    .map(bytesFromText),
  fc.constantFrom(
    ' ',
    '"',
    '\\',
    '\\n',
    '\n',
    '\x1b[31m',
    '\x7f',
    'a',
    '/',
    '\xe2\x80',
    '\xc0\xaf',
    '\xed\xa0\x80',
    '101',
    '\\303',
  ),
);
const names = fc
  .array(awkward, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''))
  .filter((name) => name !== '');

/** How a reader decodes the displayed name. */
function readBack(shown: string): string {
  if (!shown.startsWith('"')) return bytesFromText(shown);
  const short: Record<string, string> = {
    a: '\x07',
    b: '\b',
    t: '\t',
    n: '\n',
    v: '\v',
    f: '\f',
    r: '\r',
    '"': '"',
    '\\': '\\',
  };
  return shown
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)|([^\\]+)/gu, (_, escaped: string | undefined, plain: string | undefined) =>
      plain !== undefined
        ? bytesFromText(plain)
        : (short[escaped as string] ?? String.fromCharCode(Number.parseInt(escaped as string, 8))),
    );
}

describe('showName', () => {
  test('ordinary names are shown unchanged', () => {
    for (const name of ['src/a.ts', 'héllo wörld.md', 'a"b', 'C:\\x', '日本.txt', '😀', "it's", 'a  b', '-rf', '$(x)'])
      expect(showName(bytesFromText(name))).toBe(name);
  });

  test('misleading names are quoted and escaped', () => {
    expect(showName('a\nb')).toBe('"a\\nb"');
    expect(showName('\x1b[31mred')).toBe('"\\033[31mred"');
    expect(showName('caf\xe9')).toBe('"caf\\351"');
    expect(showName(bytesFromText('é\u202egpj.exe'))).toBe('"é\\342\\200\\256gpj.exe"');
    expect(showName(bytesFromText('a\u200bb'))).toBe('"a\\342\\200\\213b"');
    expect(showName(bytesFromText('a\u0085b'))).toBe('"a\\302\\205b"');
    expect(showName(' a')).toBe('" a"');
    expect(showName('a ')).toBe('"a "');
    expect(showName(bytesFromText('a\u00a0'))).toBe('"a\u00a0"');
    expect(showName('"a"')).toBe('"\\"a\\""');
    expect(showName('\t"\\')).toBe('"\\t\\"\\\\"');
    expect(showName('')).toBe('""');
  });

  test('never shows a forbidden character, and the name can be read back, so no two names look the same', () => {
    fc.assert(
      fc.property(names, (name) => {
        const shown = showName(name);
        expect(shown).not.toMatch(FORBIDDEN);
        expect(shown.trim()).toBe(shown);
        expect(readBack(shown)).toBe(name);
      }),
      { numRuns: 5000 },
    );
  });

  test('shows no Unicode control, format or line separator character', () => {
    for (let code = 0x80; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      if (!FORBIDDEN.test(character)) continue;
      const shown = showName(bytesFromText(`a${character}b`));
      if (shown.includes(character) || showText(character).includes(character))
        throw new Error(`U+${code.toString(16)} is shown`);
    }
  });

  test('a very long name of any bytes is shown', () => {
    const long = '\xc3\xa9\x80'.repeat(300_000);
    expect(showName(long).length).toBe(300_000 * 5 + 2);
    expect(showName('\xc3\xa9'.repeat(2_000_000)).length).toBe(2_000_000);
    expect(showContent(`${'\xc3\xa9'.repeat(2_000_000)}\xff`).length).toBe(2_000_004);
  });
});

describe('showText', () => {
  test('escapes misleading characters, and leaves the rest', () => {
    expect(showText('fix: a\x1b[2Jb\u202ec\u009bd')).toBe('fix: a\\x1b[2Jb\\u{202e}c\\u{9b}d');
    expect(showText('done ✔\ufe0f – “ok” \\ 日本')).toBe('done ✔\ufe0f – “ok” \\ 日本');
    expect(showText('half \ud83d')).toBe('half \\u{d83d}');
  });

  test('joins lines into one, or keeps them', () => {
    expect(showText('a\nb\r\nc\rd\te')).toBe('a\\nb\\r\\nc\\rd\\te');
    expect(showText('a\nb\r\nc\rd\te', 'keep')).toBe('a\nb\nc\\rd\\te');
  });

  test('shows no forbidden character except line feeds that are kept', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('escape', 'keep'), (text, newlines) => {
        const shown = showText(text, newlines as 'escape' | 'keep');
        expect(newlines === 'keep' ? shown.replaceAll('\n', '') : shown).not.toMatch(FORBIDDEN);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('showContent', () => {
  test('keeps line feeds and tabs; escapes CR, control characters and invalid UTF-8', () => {
    expect(showContent('a\tb\r\n\x1b]0;x\x07\xe9\xc3\xa9\xe2\x80\x8b\n')).toBe(
      'a\tb\\r\n\\x1b]0;x\\x07\\xe9é\\u{200b}\n',
    );
  });

  test('never shows a forbidden character', () => {
    fc.assert(
      fc.property(names, (bytes) => {
        expect(showContent(bytes).replace(/[\n\t]/g, '')).not.toMatch(FORBIDDEN);
      }),
      { numRuns: 2000 },
    );
  });
});
