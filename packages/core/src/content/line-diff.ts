import { countLines, type Line, LineNumbers, splitLines } from './lines.ts';
import { matchForDisplay } from './matching.ts';
import type { Matches } from './shortest-edits.ts';
import { TEXT_MAX_BYTES, textOrBinary } from './text-or-binary.ts';

/** What comparing two contents may cost at most. The defaults keep it within about a second. */
export interface LineBound {
  /** Length of each content. */
  readonly maxBytes: number;
  /** Lines of both contents together, less those that are the same at the start and the end. */
  readonly maxLines: number;
  /** Points of the edit grid that are looked at (shortest-edits.ts). */
  readonly maxSteps: number;
}

export const LINE_BOUND: LineBound = { maxBytes: TEXT_MAX_BYTES, maxLines: 300_000, maxSteps: 2 ** 24 };

const LF = 0x0a;
/** Bytes compared at once: most of two contents is the same. */
const BLOCK = 256;

/** A run of changes with the lines around it. */
export interface Hunk {
  /** Lines of `before` in front of the hunk, so the index of its first one. */
  readonly beforeStart: number;
  readonly beforeCount: number;
  readonly afterStart: number;
  readonly afterCount: number;
  /** Each is ` `, `-` or `+` and then the line with its own ending, one character per byte. */
  readonly lines: readonly string[];
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export interface LineDiff extends LineCounts {
  readonly kind: 'lines';
  readonly hunks: readonly Hunk[];
  /** True where a shortest diff would cost more than the bound: this one is right too, but may be longer. */
  readonly coarse: boolean;
}

/** Contents that are not compared by line. */
export interface NoLineDiff {
  readonly kind: 'binary' | 'too-long';
}

/**
 * The difference of two contents by line; no hunks where they are equal. Applied to `before`, the hunks give `after`,
 * byte for byte.
 * @param context how many unchanged lines to show around a change
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
 * How many lines were added and removed, as `diffLines` shows them. `git diff --numstat` says the same, or more on both
 * sides by the same number: it gives up some matches of very frequent lines, with `--minimal` too.
 * @returns null where the contents are not compared by line
 */
export function countChangedLines(before: Buffer, after: Buffer, bound: LineBound = LINE_BOUND): LineCounts | null {
  const compared = compareLines(before, after, bound, 0);
  return compared.kind === 'lines' ? counts(compared) : null;
}

interface ComparedLines {
  readonly kind: 'lines';
  /** Lines in front of `before` and `after`, the same on both sides. */
  readonly skipped: number;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
  readonly matches: Matches;
  readonly coarse: boolean;
}

/** Compares what lies between the same start and the same end, and gives it with `context` lines of both. */
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

/** The bytes of whole lines that both contents start with. */
function sameStart(before: Buffer, after: Buffer): number {
  const shorter = Math.min(before.length, after.length);
  let at = 0;
  while (at + BLOCK <= shorter && before.compare(after, at, at + BLOCK, at, at + BLOCK) === 0) at += BLOCK;
  while (at < shorter && before[at] === after[at]) at++;
  if (at === 0 || before.length + after.length === 2 * at) return at;
  return before.lastIndexOf(LF, at - 1) + 1;
}

/** The bytes of whole lines that both contents end with, behind the same start. */
function sameEnd(before: Buffer, after: Buffer, start: number): number {
  const shorter = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length + BLOCK <= shorter && sameBlockBefore(before, after, length)) length += BLOCK;
  while (length < shorter && before[before.length - 1 - length] === after[after.length - 1 - length]) length++;
  // What follows a line feed of the same end is whole lines on both sides.
  const feed = before.indexOf(LF, before.length - length);
  return feed < 0 ? 0 : before.length - feed - 1;
}

/** Whether the last bytes in front of the same end are the same. */
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
