import { countLines, type LineBound } from '../content/line-diff.ts';
import type { LineRange } from './edits.ts';
import { lineAt, lineCount } from './text-file.ts';

/** Every edit is counted, so it costs less than showing one difference may. */
const BOUND: LineBound = { maxBytes: 4 * 1024 * 1024, maxLines: 50_000, maxSteps: 2 ** 20 };

export interface ChangedLines {
  readonly lines: LineRange | null;
  readonly added: number;
  readonly removed: number;
}

/**
 * What an edit did to the lines of a text. Where a shortest difference would cost too much, all lines between the first
 * and the last one that differ are counted.
 * @param sameStart how many characters at the start are known to be the same; 0 is always right
 * @param sameEnd the same for the end; both together no longer than either text
 */
export function changedLines(before: string, after: string, sameStart = 0, sameEnd = 0): ChangedLines {
  const shorter = Math.min(before.length, after.length);
  let start = sameStart;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  if (start === before.length && start === after.length) return { lines: null, added: 0, removed: 0 };
  start = start === 0 ? 0 : before.lastIndexOf('\n', start - 1) + 1;

  let end = Math.min(sameEnd, shorter - start);
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
  const counts = countLines(Buffer.from(old, 'latin1'), Buffer.from(now, 'latin1'), BOUND);
  return {
    lines: count === 0 ? null : { first, last: first + count - 1 },
    added: counts?.added ?? count,
    removed: counts?.removed ?? lineCount(old),
  };
}

function startsLine(text: string, at: number, start: number): boolean {
  return at === start || text[at - 1] === '\n';
}
