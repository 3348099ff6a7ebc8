import { changedSpan, type LineRange, lineCount } from '../content/changed-span.ts';
import { countChangedLines, type LineBound } from '../content/line-diff.ts';

/** Lower than the limits for showing a diff, because every edit is counted. */
const BOUND: LineBound = { maxBytes: 4 * 1024 * 1024, maxLines: 50_000, maxSteps: 2 ** 20 };

export interface ChangedLines {
  readonly lines: LineRange | null;
  readonly added: number;
  readonly removed: number;
}

/**
 * Counts the lines that an edit changed. If a shortest diff would cost too much, counts all lines between the first and
 * the last difference. `sameStart` and `sameEnd` are as in `changedSpan`.
 */
export function changedLines(before: string, after: string, sameStart = 0, sameEnd = 0): ChangedLines {
  const span = changedSpan(before, after, sameStart, sameEnd);
  if (span === null) return { lines: null, added: 0, removed: 0 };
  const { old, now, lines } = span;
  const counts = countChangedLines(Buffer.from(old, 'latin1'), Buffer.from(now, 'latin1'), BOUND);
  return { lines, added: counts?.added ?? lineCount(now), removed: counts?.removed ?? lineCount(old) };
}
