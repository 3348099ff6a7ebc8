/** Which lines between the hunks of a diff are shown. */
import type { DiffFile } from './diff-file.ts';
import type { PatchHunk } from './patch.ts';

export interface OpenedContext {
  /** The version of the file that the lines are of. */
  readonly version: string;
  readonly lines: readonly string[];
  /** By the number of the gap in its file; the one after the last hunk counts as well. */
  readonly shown: Readonly<Record<number, number>>;
}

/** @returns the number of the gap that a line of the text after is in; it is the next one if a hunk has the line */
export function gapWith({ hunks }: DiffFile, line: number): number {
  const next = hunks.findIndex((hunk) => line < startAfter(hunk));
  return next < 0 ? hunks.length : next;
}

/** Whether a line of the text after is shown, in a hunk or in an opened gap. */
export function isShown(file: DiffFile, opened: OpenedContext | undefined, line: number): boolean {
  const { hunks } = file;
  if (hunks.some((hunk) => line >= startAfter(hunk) && line < endAfter(hunk))) return true;
  if (opened === undefined) return false;
  const gap = gapWith(file, line);
  const count = opened.shown[gap] ?? 0;
  const next = hunks[gap];
  // Above a hunk, the lines next to it are opened first; after the last one, those that follow it.
  if (next !== undefined) return line >= startAfter(next) - count;
  const last = hunks.at(-1);
  const first = last === undefined ? 1 : endAfter(last);
  return line < Math.min(first + count, opened.lines.length + addedIn(hunks) + 1);
}

/** A hunk without lines on one side begins after its first line there. */
function startAfter({ after: [first, count] }: PatchHunk): number {
  return count === 0 ? first + 1 : first;
}

function endAfter(hunk: PatchHunk): number {
  return startAfter(hunk) + hunk.after[1];
}

function addedIn(hunks: readonly PatchHunk[]): number {
  return hunks.reduce((sum, { before, after }) => sum + after[1] - before[1], 0);
}
