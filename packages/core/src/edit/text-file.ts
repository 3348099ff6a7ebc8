/** A file as text. All texts here are one-byte strings: UTF-8, one character per byte, as content/lines.ts has them. */

import { isUtf8 } from 'node:buffer';
import { bytesFromText } from '../model/names.ts';
import type { EditBound } from './edits.ts';
import { editRefusal } from './failures.ts';

/** A byte-order mark belongs to the file, not to its first line. */
export interface TextFile {
  readonly bom: '' | typeof BOM;
  readonly body: string;
}

export type LineEnding = '\n' | '\r\n';

/** A byte-order mark in UTF-8. */
export const BOM = '\xef\xbb\xbf';

export function textFile(bytes: string): TextFile {
  return bytes.startsWith(BOM) ? { bom: BOM, body: bytes.slice(BOM.length) } : { bom: '', body: bytes };
}

export function bytesOf(file: TextFile): string {
  return file.bom + file.body;
}

/** Null where the content is no text: it holds a NUL, or is not UTF-8. */
export function readText(content: Buffer): TextFile | null {
  return content.includes(0) || !isUtf8(content) ? null : textFile(content.toString('latin1'));
}

/** @throws EditRefused NOT_TEXT, TOO_LARGE */
export function requireText(content: Buffer, bound: EditBound): TextFile {
  if (content.length > bound.maxBytes) throw tooLargeError('file', bound);
  const file = readText(content);
  if (file !== null) return file;
  const nul = content.indexOf(0);
  if (nul >= 0) {
    throw editRefusal('NOT_TEXT', `The file is binary (a NUL at byte ${nul}). Text edits work on UTF-8 text only.`, {
      why: 'nul',
      offset: nul,
    });
  }
  throw editRefusal(
    'NOT_TEXT',
    'The file is not valid UTF-8, so a text edit could damage it. Convert it to UTF-8, or write its complete content.',
    { why: 'not-utf8', offset: null },
  );
}

/**
 * The bytes of a text that somebody gave.
 * @param field its name in the edit, for the message
 * @throws EditRefused BAD_STRING, TOO_LARGE
 */
export function encodeText(field: string, text: string, bound: EditBound): string {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    throw editRefusal(
      'BAD_STRING',
      `\`${field}\` contains a NUL at position ${nul}, which a text file cannot have. Remove it.`,
      {
        field,
        why: 'nul',
        offset: nul,
      },
    );
  }
  const half = text.search(/\p{Surrogate}/u);
  if (half >= 0) {
    throw editRefusal(
      'BAD_STRING',
      `\`${field}\` contains half of a surrogate pair at position ${half}. Send the complete character.`,
      { field, why: 'surrogate', offset: half },
    );
  }
  if (Buffer.byteLength(text) > bound.maxBytes) throw tooLargeError(`text of \`${field}\``, bound);
  return bytesFromText(text);
}

export function tooLargeError(what: string, bound: EditBound) {
  return editRefusal('TOO_LARGE', `The ${what} exceeds the limit of ${bound.maxBytes} bytes for an edit.`, {
    limit: bound.maxBytes,
    unit: 'bytes',
  });
}

/** The line end of the line at `at`, else of the line before it, else LF. */
export function endingAt(body: string, at: number): LineEnding {
  const next = body.indexOf('\n', at);
  const feed = next >= 0 || at === 0 ? next : body.lastIndexOf('\n', at - 1);
  return feed > 0 && body[feed - 1] === '\r' ? '\r\n' : '\n';
}

/** As `endingAt`, for positions in ascending order; all of them together look at the body once. */
export function endingFinder(body: string): (at: number) => LineEnding {
  let feed = -1;
  let last = -1;
  let done = false;
  return (at) => {
    while (!done && feed < at) {
      last = feed;
      feed = body.indexOf('\n', feed + 1);
      done = feed < 0;
    }
    const chosen = done ? last : feed;
    return chosen > 0 && body[chosen - 1] === '\r' ? '\r\n' : '\n';
  };
}

/** True if the text has line ends and each of them is CRLF. */
export function isAllCrLf(body: string): boolean {
  return body.includes('\n') && !/(?:^|[^\r])\n/.test(body);
}

/** Gives each line feed the given line end; for texts that hold no CR. */
export function withEnding(text: string, ending: LineEnding): string {
  return ending === '\n' ? text : text.replaceAll('\n', ending);
}
