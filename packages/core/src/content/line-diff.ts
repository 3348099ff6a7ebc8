import { countLines, type Line, LineNumbers, splitLines } from './lines.ts';
import { matchForDisplay } from './matching.ts';
import type { Matches } from './shortest-edits.ts';
import { TEXT_MAX_BYTES, textOrBinary } from './text-or-binary.ts';

/** Limits for comparing two contents. With the defaults, a comparison takes at most about a second. */
export interface LineBound {
  /** Length of each content, in bytes. */
  readonly maxBytes: number;
  /** Lines of both contents together, without the equal lines at the start and the end. */
  readonly maxLines: number;
  /** Points of the edit grid that are visited (shortest-edits.ts). */
  readonly maxSteps: number;
}

export const LINE_BOUND: LineBound = { maxBytes: TEXT_MAX_BYTES, maxLines: 300_000, maxSteps: 2 ** 24 };

const LF = 0x0a;
/** Number of bytes compared at a time, as most of the two contents is equal. */
const BLOCK = 256;

/** A group of changes with the lines around them. */
export interface Hunk {
  /** Number of lines of `before` in front of the hunk, which is the index of its first line. */
  readonly beforeStart: number;
  readonly beforeCount: number;
  readonly afterStart: number;
  readonly afterCount: number;
  /** Each is ` `, `-` or `+`, followed by the line with its line ending, one character per byte. */
  readonly lines: readonly string[];
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export interface LineDiff extends LineCounts {
  readonly kind: 'lines';
  readonly hunks: readonly Hunk[];
  /** True if a shortest diff would exceed the limits. This diff is correct too, but may be longer. */
  readonly coarse: boolean;
}

/** The result for contents that cannot be compared by line. */
export interface NoLineDiff {
  readonly kind: 'binary' | 'too-long';
}

/**
 * Compares two contents by line; there are no hunks if they are equal. Applying the hunks to `before` gives `after`,
 * byte for byte.
 * @param context number of unchanged lines to show around a change
 */
export function diffLines(
  before: Buffer,
  after: Buffer,
  bound: LineBound = LINE_BOUND,
  context = 3,
): LineDiff | NoLineDiff {
  const compared = compareLines(before, after, bound, context);
  return compared.kind === 'lines'
    ? { kind: 'lines', ...counts(compared), hunks: hunks(compared, context), coarse: compared.coarse }
    : compared;
}

/**
 * Counts the added and removed lines that `diffLines` would show. `git diff --numstat` reports the same counts, or both
 * higher by the same number: it ignores some matches of very frequent lines, even with `--minimal`.
 * @returns null if the contents cannot be compared by line
 */
export function countChangedLines(before: Buffer, after: Buffer, bound: LineBound = LINE_BOUND): LineCounts | null {
  const compared = compareLines(before, after, bound, 0);
  return compared.kind === 'lines' ? counts(compared) : null;
}

interface ComparedLines {
  readonly kind: 'lines';
  /** Number of lines before `before` and `after`, the same on both sides. */
  readonly skipped: number;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
  readonly matches: Matches;
  readonly coarse: boolean;
}

/** Compares the part between the equal start and the equal end, and returns it with `context` lines of both. */
function compareLines(before: Buffer, after: Buffer, bound: LineBound, context: number): ComparedLines | NoLineDiff {
  const kinds = [textOrBinary(before, bound.maxBytes), textOrBinary(after, bound.maxBytes)];
  if (kinds.includes('binary')) return { kind: 'binary' };
  if (kinds.includes('too-long')) return { kind: 'too-long' };
  const start = sameStart(before, after);
  const end = sameEnd(before, after, start);
  const changedBefore = before.subarray(start, before.length - end);
  const changedAfter = after.subarray(start, after.length - end);
  if (countLines(changedBefore) + countLines(changedAfter) > bound.maxLines) return { kind: 'too-long' };
  const lead = lastLines(before.subarray(0, start), context);
  const trail = firstLines(before.subarray(before.length - end), context);
  const linesBefore = splitLines(changedBefore);
  const linesAfter = splitLines(changedAfter);
  const numbers = new LineNumbers();
  const { matches, coarse } = matchForDisplay(numbers.of(linesBefore), numbers.of(linesAfter), bound.maxSteps);
  return {
    kind: 'lines',
    skipped: countLines(before.subarray(0, start)) - lead.length,
    before: [lead, linesBefore, trail].flat(),
    after: [lead, linesAfter, trail].flat(),
    matches: Int32Array.from([
      ...lead.keys(),
      ...matches.map((match) => (match < 0 ? match : lead.length + match)),
      ...trail.map((_, i) => lead.length + linesAfter.length + i),
    ]),
    coarse,
  };
}

/** Returns the length of the whole lines, in bytes, that both contents start with. */
function sameStart(before: Buffer, after: Buffer): number {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at + BLOCK <= shorter && before.compare(after, at, at + BLOCK, at, at + BLOCK) === 0) at += BLOCK;
  while (at < shorter && before[at] === after[at]) at++;
  if (at === 0 || before.length + after.length === 2 * at) return at;
  return before.lastIndexOf(LF, at - 1) + 1;
}

/** Returns the length of the whole lines, in bytes, that both contents end with, after the equal start. */
function sameEnd(before: Buffer, after: Buffer, start: number): number {
  const shorter = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length + BLOCK <= shorter && sameBlockBefore(before, after, length)) length += BLOCK;
  while (length < shorter && before[before.length - 1 - length] === after[after.length - 1 - length]) length++;
  // Whole lines on both sides start after a line feed in the equal end.
  const feed = before.indexOf(LF, before.length - length);
  return feed < 0 ? 0 : before.length - feed - 1;
}

/** Returns whether the blocks before an equal end are equal, too. */
function sameBlockBefore(before: Buffer, after: Buffer, end: number): boolean {
  const [a, b] = [before.length - end, after.length - end];
  return before.compare(after, b - BLOCK, b, a - BLOCK, a) === 0;
}

function lastLines(content: Buffer, count: number): Line[] {
  let from = content.length;
  for (let i = 0; i < count && from > 0; i++) from = from === 1 ? 0 : content.lastIndexOf(LF, from - 2) + 1;
  return splitLines(content.subarray(from));
}

function firstLines(content: Buffer, count: number): Line[] {
  let end = 0;
  for (let i = 0; i < count && end < content.length; i++) end = content.indexOf(LF, end) + 1 || content.length;
  return splitLines(content.subarray(0, end));
}

function counts({ before, after, matches }: ComparedLines): LineCounts {
  const kept = matches.reduce((sum, match) => sum + (match >= 0 ? 1 : 0), 0);
  return { added: after.length - kept, removed: before.length - kept };
}

/** A change without context: lines `x..xEnd` of `before` became lines `y..yEnd` of `after`. */
interface ChangedRange {
  readonly x: number;
  readonly xEnd: number;
  readonly y: number;
  readonly yEnd: number;
}

function changedRanges(matches: Matches, height: number): ChangedRange[] {
  const found: ChangedRange[] = [];
  let x = 0;
  let y = 0;
  for (let at = 0; at <= matches.length; at++) {
    const match = at < matches.length ? matches[at]! : height;
    if (match < 0) continue;
    if (at > x || match > y) found.push({ x, xEnd: at, y, yEnd: match });
    x = at + 1;
    y = match + 1;
  }
  return found;
}

function hunks(compared: ComparedLines, context: number): Hunk[] {
  const { before, after, matches, skipped } = compared;
  const groups: ChangedRange[][] = [];
  for (const change of changedRanges(matches, after.length)) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && change.x - last.xEnd <= 2 * context) group.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => {
    const first = group[0]!;
    const last = group.at(-1)!;
    const lead = Math.min(context, first.x);
    const trail = Math.min(context, before.length - last.xEnd);
    const lines: string[] = [];
    let x = first.x - lead;
    for (const change of group) {
      for (; x < change.x; x++) lines.push(` ${before[x]}`);
      for (; x < change.xEnd; x++) lines.push(`-${before[x]}`);
      for (let y = change.y; y < change.yEnd; y++) lines.push(`+${after[y]}`);
    }
    for (const end = x + trail; x < end; x++) lines.push(` ${before[x]}`);
    return {
      beforeStart: skipped + first.x - lead,
      beforeCount: x - (first.x - lead),
      afterStart: skipped + first.y - lead,
      afterCount: last.yEnd + trail - (first.y - lead),
      lines,
    };
  });
}
