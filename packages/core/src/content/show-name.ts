/**
 * Names, messages and contents are untrusted. Printed raw, they could move the cursor, colour the following text,
 * reverse a line, or imitate something else. The functions in this file make them safe to print.
 */
import { bytesFromText, textFromBytes } from '../model/names.ts';
import { escapeBytes } from './c-quote.ts';

/**
 * Characters that must not appear in a line: control characters (C0, DEL, C1), line and paragraph separators, lone
 * surrogates, format characters, and characters that are invisible or change the direction of text. Ranges are used
 * instead of `\p{…}`, so that every version of Node gives the same output.
 */
const UNSAFE =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufeff\\uffa0\\ufff0-\\ufffb' +
  '\\u{110bd}\\u{110cd}\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}';

/** In a message, these only select between two forms of the character before them. */
const VARIATION_SELECTORS = '\\ufe00-\\ufe0f';

const SPACE = ' \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000';

const UNSAFE_IN_NAME = new RegExp(`[${UNSAFE}${VARIATION_SELECTORS}]`, 'gu');
const UNSAFE_IN_TEXT = new RegExp(`[${UNSAFE}]`, 'gu');
const NEEDS_QUOTES = new RegExp(`^"|^[${SPACE}]|[${SPACE}]$|[${UNSAFE}${VARIATION_SELECTORS}]`, 'u');

/** Matches a run of valid UTF-8 in one-byte characters, or (in the group) a single byte that is not valid UTF-8. */
const UTF8_OR_BYTE = new RegExp(
  `(?:${[
    '[\\x00-\\x7f]',
    '[\\xc2-\\xdf][\\x80-\\xbf]',
    '\\xe0[\\xa0-\\xbf][\\x80-\\xbf]',
    '[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}',
    '\\xed[\\x80-\\x9f][\\x80-\\xbf]',
    '\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}',
    '[\\xf1-\\xf3][\\x80-\\xbf]{3}',
    '\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}',
  ].join('|')}){1,4096}|([\\x80-\\xff])`,
  'g',
);

/**
 * Makes a name or path from disk safe to print on one line. Unsafe characters, invalid UTF-8, a space at either end, a
 * leading quote, or an empty name require quotes with C escapes (`"a\\nb"`, bytes in octal). Any other name is returned
 * unchanged. Different names are always shown differently.
 * @param bytes one character per byte (model/names.ts)
 */
export function showName(bytes: string): string {
  const text = textFromBytes(bytes);
  if (text !== null && text !== '' && !NEEDS_QUOTES.test(text)) return text;
  const quoted = eachPart(
    bytes,
    (part) => part.replace(/["\\]/g, escapeBytes).replace(UNSAFE_IN_NAME, (it) => escapeBytes(bytesFromText(it))),
    escapeBytes,
  );
  return `"${quoted}"`;
}

/**
 * Makes a message, branch name or other untrusted text safe to print. Backslashes are not escaped, so two different
 * texts may look the same.
 * @param newlines `keep` keeps line ends (CRLF becomes LF); `escape` puts everything on one line
 */
export function showText(text: string, newlines: 'escape' | 'keep' = 'escape'): string {
  const lines = newlines === 'keep' ? text.split(/\r?\n/) : [text];
  return lines.map((line) => line.replace(UNSAFE_IN_TEXT, escapeCharacter)).join('\n');
}

/**
 * Makes the content of a file safe to print. Line feeds and tabs stay. Unsafe characters, CRs, and bytes that are not
 * valid UTF-8 are escaped.
 * @param bytes one character per byte
 */
export function showContent(bytes: string): string {
  return eachPart(
    bytes,
    (part) => part.replace(UNSAFE_IN_TEXT, (it) => (it === '\n' || it === '\t' ? it : escapeCharacter(it))),
    (byte) => `\\x${byte.charCodeAt(0).toString(16)}`,
  );
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const PAST: readonly (readonly [past: string, plain: string])[] = [
  ['Restored', 'restore'],
  ['Rolled back', 'roll back'],
  ['Undid', 'undo'],
  ['Redid', 'redo'],
];

/** Turns the description of an operation into that of its preview: `Restored cp_12` becomes `would restore cp_12`. */
export function wouldDo(description: string): string {
  const found = PAST.find(([past]) => description.startsWith(`${past} `));
  return found === undefined ? description : `would ${found[1]}${description.slice(found[0].length)}`;
}

function eachPart(bytes: string, showUtf8: (text: string) => string, showByte: (byte: string) => string): string {
  return bytes.replace(UTF8_OR_BYTE, (part, byte: string | undefined) =>
    byte === undefined ? showUtf8(Buffer.from(part, 'latin1').toString('utf8')) : showByte(byte),
  );
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return SHORT_ESCAPES[character] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return `\\u{${code.toString(16)}}`;
}
