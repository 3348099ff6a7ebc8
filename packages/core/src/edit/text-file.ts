/** A file as text. All texts here are one-byte strings: UTF-8 with one character per byte, as in content/lines.ts. */

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

/** The UTF-8 byte-order mark. */
export const BOM = '\xef\xbb\xbf';

export function textFile(bytes: string): TextFile {
  return bytes.startsWith(BOM) ? { bom: BOM, body: bytes.slice(BOM.length) } : { bom: '', body: bytes };
}

export function bytesOf(file: TextFile): string {
  return file.bom + file.body;
}

/** Null if the content is not text: it contains a NUL or is not UTF-8. */
export function readText(content: Buffer): TextFile | null {
  return content.includes(0) || !isUtf8(content) ? null : textFile(content.toString('latin1'));
}

/** @throws EditRefusedError NOT_TEXT, TOO_LARGE */
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
 * Encodes a text from the caller as UTF-8 bytes.
 * @param field the name of the field in the edit, for the message
 * @throws EditRefusedError BAD_STRING, TOO_LARGE
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

/** The line ending of the line at `at`, else of the line before it, else LF. */
export function endingAt(body: string, at: number): LineEnding {
  const next = body.indexOf('\n', at);
  const feed = next >= 0 || at === 0 ? next : body.lastIndexOf('\n', at - 1);
  return feed > 0 && body[feed - 1] === '\r' ? '\r\n' : '\n';
}

/** Like `endingAt`, for positions in ascending order. Scans the body only once for all of them. */
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

/** Whether the text has line endings and all of them are CRLF. */
export function isAllCrLf(body: string): boolean {
  return body.includes('\n') && !/(?:^|[^\r])\n/.test(body);
}

/** Converts the line endings of a text that contains no CR. */
export function withEnding(text: string, ending: LineEnding): string {
  return ending === '\n' ? text : text.replaceAll('\n', ending);
}
