/** The range of whole lines in which two texts differ. Texts are one-byte strings. */

/** A range of lines, counted from 1, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface ChangedSpan {
  /** The lines from the first to the last difference, in each text. */
  readonly old: string;
  readonly now: string;
  /** The position of `now` in its text; null if `now` is empty. */
  readonly lines: LineRange | null;
}

/** Number of characters compared at a time, as most of the two texts is equal. */
const BLOCK = 256;

/**
 * Returns the changed range, or null if the texts are equal.
 * @param sameStart a number of leading characters known to be equal; 0 is always correct
 * @param sameEnd the same for the end; both together must not exceed the length of either text
 */
export function changedSpan(before: string, after: string, sameStart = 0, sameEnd = 0): ChangedSpan | null {
  const shorter = Math.min(before.length, after.length);
  let start = sameStart;
  while (start + BLOCK <= shorter && before.slice(start, start + BLOCK) === after.slice(start, start + BLOCK)) {
    start += BLOCK;
  }
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start === before.length && start === after.length) return null;
  start = start === 0 ? 0 : before.lastIndexOf('\n', start - 1) + 1;

  let end = Math.min(sameEnd, shorter - start);
  while (end + BLOCK <= shorter - start && sameBlockBefore(before, after, end)) end += BLOCK;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end++;
  }
  if (!startsLine(before, before.length - end, start) || !startsLine(after, after.length - end, start)) {
    const feed = before.indexOf('\n', before.length - end);
    end = feed < 0 ? 0 : before.length - feed - 1;
  }

  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const count = lineCount(now);
  const first = lineAt(before, start) + 1;
  return { old, now, lines: count === 0 ? null : { first, last: first + count - 1 } };
}

/** Returns the number of lines before `at`, which is the index of the line at `at`. */
export function lineAt(body: string, at: number): number {
  let lines = 0;
  for (let feed = body.indexOf('\n'); feed >= 0 && feed < at; feed = body.indexOf('\n', feed + 1)) lines++;
  return lines;
}

/** As `countLines`, for a one-byte string. */
export function lineCount(body: string): number {
  return lineAt(body, body.length) + (body === '' || body.endsWith('\n') ? 0 : 1);
}

/** Returns whether the blocks before an equal end are equal, too. */
function sameBlockBefore(before: string, after: string, end: number): boolean {
  const [a, b] = [before.length - end, after.length - end];
  return before.slice(a - BLOCK, a) === after.slice(b - BLOCK, b);
}

function startsLine(text: string, at: number, start: number): boolean {
  return at === start || text[at - 1] === '\n';
}
