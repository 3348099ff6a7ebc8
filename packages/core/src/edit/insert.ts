import { lineCount } from '../content/changed-span.ts';
import type { EditBound, Insert } from './edits.ts';
import { editRefusal } from './failures.ts';
import { CRLF_KEPT, type NewBody } from './new-body.ts';
import { encodeText, endingAt, tooLargeError, withEnding } from './text-file.ts';

/**
 * Inserts whole lines after the first `line` lines. They get the line ending of the line above, or at the top that of
 * the first line. A missing newline at the end of the file stays missing, unless the file was empty.
 * @throws EditRefusedError
 */
export function insertInto(body: string, edit: Insert, bound: EditBound): NewBody {
  const insertion = encodeText('text', edit.text, bound);
  if (insertion === '') {
    throw editRefusal('SAME_TEXT', 'The text to insert is empty. For an empty line, use a line feed.', {});
  }
  const lines = lineCount(body);
  if (!Number.isSafeInteger(edit.line) || edit.line < 0 || edit.line > lines) {
    throw editRefusal(
      'BAD_LINE',
      `Cannot insert after line ${edit.line}: the file has ${lines} ${lines === 1 ? 'line' : 'lines'}. ` +
        `Use a number from 0 (top) to ${lines} (end).`,
      { line: edit.line, lines },
    );
  }
  const at = startOfLine(body, edit.line);
  const ending = endingAt(body, startOfLine(body, Math.max(0, edit.line - 1)));
  const literal = insertion.includes('\r');
  const text = literal ? insertion : withEnding(insertion, ending);
  const put = wholeLines(text, body, at, ending);
  if (body.length + put.length > bound.maxBytes) throw tooLargeError('result', bound);
  return {
    body: body.slice(0, at) + put + body.slice(at),
    sameStart: at,
    sameEnd: body.length - at,
    replacements: null,
    notes: !literal && ending === '\r\n' ? [CRLF_KEPT] : [],
  };
}

function wholeLines(text: string, body: string, at: number, ending: string): string {
  if (body === '') return text;
  if (at === body.length && !body.endsWith('\n')) return ending + text.replace(/\r?\n$/, '');
  return text.endsWith('\n') ? text : text + ending;
}

/** Returns the offset of the line with this index, or the end of the text if there is no such line. */
function startOfLine(body: string, index: number): number {
  let at = 0;
  for (let passed = 0; passed < index; passed++) {
    const feed = body.indexOf('\n', at);
    if (feed < 0) return body.length;
    at = feed + 1;
  }
  return at;
}
