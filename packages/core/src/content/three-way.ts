/**
 * Merges two contents that have a common base.
 *
 * Which lines a side changed is often ambiguous: if lines repeat, there are several shortest diffs. Choosing one of
 * them could put the other side's change next to the wrong line. So a change here is everything between two lines that
 * every shortest diff keeps (`matchForMerge`). A clean merge therefore has the same bytes, whichever diff is used.
 * Where the diffs disagree, the result is a conflict.
 */

import { LINE_BOUND, type LineBound } from './line-diff.ts';
import { joinLines, type Line, LineNumbers, splitLines } from './lines.ts';
import { matchForMerge } from './matching.ts';
import { type LineSpan, partsOfRegion, type RegionPart, type Sides, sameLines } from './merge-region.ts';
import type { Matches } from './shortest-edits.ts';
import { textOrBinary } from './text-or-binary.ts';

/** Lines that both sides changed differently. Starts are line indices, counted from 0. */
export interface MergeConflict {
  readonly baseStart: number;
  readonly baseCount: number;
  readonly oursStart: number;
  readonly oursCount: number;
  readonly theirsStart: number;
  readonly theirsCount: number;
  /** Whether both sides changed the same lines. Otherwise they changed lines next to each other. */
  readonly isSameLines: boolean;
  /** The lines that ours wrote of these; empty if it only deleted lines. */
  readonly ourLines: readonly LineSpan[];
}

export type MergeResult =
  | {
      readonly ok: true;
      readonly merged: Buffer;
      /** Lines that only ours wrote and that the merge does not have, because `prefer` is `theirs`. */
      readonly dropped: readonly LineSpan[];
    }
  | {
      readonly ok: false;
      readonly why: 'overlap';
      readonly conflicts: readonly MergeConflict[];
      /** The merge with both sides of each conflict between git's conflict markers. */
      readonly withMarkers: Buffer;
      /** The same in pieces, in order. Joined with one side of each conflict, they are a content. */
      readonly parts: readonly MergePart[];
    }
  /** Both sides changed a content that cannot be merged by line, or that would cost too much to compare. */
  | {
      readonly ok: false;
      readonly why: 'binary' | 'too-long' | 'too-different';
      readonly conflicts: readonly [];
      readonly withMarkers: null;
      readonly parts: null;
    };

/** Lines of a merge: those that are decided, or all three sides of a conflict. */
export type MergePart =
  | { readonly kind: 'merged'; readonly content: Buffer }
  | { readonly kind: 'conflict'; readonly base: Buffer; readonly ours: Buffer; readonly theirs: Buffer };

/** The labels after the conflict markers. */
export interface MergeLabels {
  readonly ours: string;
  readonly theirs: string;
}

/**
 * The side that wins where changes do not merge. `ours` keeps all current lines of a conflict. `theirs` takes its own
 * changes, and keeps what ours changed next to them.
 */
export type MergeSide = 'ours' | 'theirs';

export interface MergeOptions {
  /** Default: `ours` and `theirs`. */
  readonly labels?: MergeLabels;
  /** Limits on the work (line-diff.ts). `maxLines` counts the lines of the base and of the longer side. */
  readonly bound?: LineBound;
  /** The side that wins where changes do not merge. Without it, that is a conflict. */
  readonly prefer?: MergeSide | null;
}

/** @param base the common base; empty if there is none */
export function mergeThreeWay(
  base: Buffer,
  ours: Buffer,
  theirs: Buffer,
  { labels = { ours: 'ours', theirs: 'theirs' }, bound = LINE_BOUND, prefer = null }: MergeOptions = {},
): MergeResult {
  if (ours.equals(theirs) || base.equals(theirs)) return { ok: true, merged: ours, dropped: [] };
  if (base.equals(ours)) return { ok: true, merged: theirs, dropped: [] };
  const kinds = [base, ours, theirs].map((content) => textOrBinary(content, bound.maxBytes));
  if (kinds.includes('binary')) return unmergeable('binary');
  if (kinds.includes('too-long')) return unmergeable('too-long');
  const lines = { base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs) };
  if (lines.base.length + Math.max(lines.ours.length, lines.theirs.length) > bound.maxLines)
    return unmergeable('too-long');
  const numbers = new LineNumbers();
  const numbered = { base: numbers.of(lines.base), ours: numbers.of(lines.ours), theirs: numbers.of(lines.theirs) };
  const oursMatches = matchForMerge(numbered.base, numbered.ours, bound.maxSteps);
  const theirsMatches = oursMatches && matchForMerge(numbered.base, numbered.theirs, bound.maxSteps);
  if (oursMatches === null || theirsMatches === null) return unmergeable('too-different');
  const ends = { base: lines.base.length, ours: lines.ours.length, theirs: lines.theirs.length };
  const matches = { ours: oursMatches, theirs: theirsMatches };
  return assemble(lines, changedRegions(oursMatches, theirsMatches, ends), matches, { labels, prefer });
}

function unmergeable(why: 'binary' | 'too-long' | 'too-different'): MergeResult {
  return { ok: false, why, conflicts: [], withMarkers: null, parts: null };
}

/**
 * Returns the regions that a side changed: the lines between two lines that both sides certainly keep. Adjacent changes
 * without such a line between them are one region, as in git.
 */
function changedRegions(oursMatches: Matches, theirsMatches: Matches, ends: Sides<number>): Sides<LineSpan>[] {
  const found: Sides<LineSpan>[] = [];
  let from = { base: 0, ours: 0, theirs: 0 };
  for (let i = 0; i <= ends.base; i++) {
    const kept = i < ends.base ? { base: i, ours: oursMatches[i]!, theirs: theirsMatches[i]! } : ends;
    if (kept.ours < 0 || kept.theirs < 0) continue;
    if (kept.base > from.base || kept.ours > from.ours || kept.theirs > from.theirs) {
      found.push({
        base: { start: from.base, end: kept.base },
        ours: { start: from.ours, end: kept.ours },
        theirs: { start: from.theirs, end: kept.theirs },
      });
    }
    from = { base: kept.base + 1, ours: kept.ours + 1, theirs: kept.theirs + 1 };
  }
  return found;
}

function assemble(
  lines: Sides<readonly Line[]>,
  regions: readonly Sides<LineSpan>[],
  matches: Omit<Sides<Matches>, 'base'>,
  { labels, prefer }: { readonly labels: MergeLabels; readonly prefer: MergeSide | null },
): MergeResult {
  const out: Line[] = [];
  const dropped: LineSpan[] = [];
  const conflicts: MergeConflict[] = [];
  const parts: MergePart[] = [];
  let decided = 0;
  const ending = lines.base.concat(lines.ours).some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n';
  let copied = 0;
  for (const region of regions) {
    const { base, ours, theirs } = region;
    push(out, lines.base, { start: copied, end: base.start });
    copied = base.end;
    if (sameLines(lines.base, base, lines.theirs, theirs) || sameLines(lines.ours, ours, lines.theirs, theirs)) {
      push(out, lines.ours, ours);
    } else if (sameLines(lines.base, base, lines.ours, ours)) {
      push(out, lines.theirs, theirs);
    } else if (prefer === 'ours') {
      push(out, lines.ours, ours);
    } else if (prefer === 'theirs') {
      dropped.push(...pushTheirs(out, lines, partsOfRegion(lines, region, matches), { region, ending }));
    } else {
      const inner = withoutCommonEnds(lines, ours, theirs);
      push(out, lines.ours, { start: ours.start, end: inner.ours.start });
      parts.push({ kind: 'merged', content: joinLines(out.slice(decided)) });
      out.push(`<<<<<<< ${labels.ours}${ending}`);
      push(out, lines.ours, inner.ours, ending);
      out.push(`=======${ending}`);
      push(out, lines.theirs, inner.theirs, ending);
      out.push(`>>>>>>> ${labels.theirs}${ending}`);
      decided = out.length;
      parts.push({
        kind: 'conflict',
        base: joinLines(lines.base.slice(base.start, base.end)),
        ours: joinLines(lines.ours.slice(inner.ours.start, inner.ours.end)),
        theirs: joinLines(lines.theirs.slice(inner.theirs.start, inner.theirs.end)),
      });
      push(out, lines.ours, { start: inner.ours.end, end: ours.end });
      conflicts.push({
        baseStart: base.start,
        baseCount: base.end - base.start,
        oursStart: inner.ours.start,
        oursCount: inner.ours.end - inner.ours.start,
        theirsStart: inner.theirs.start,
        theirsCount: inner.theirs.end - inner.theirs.start,
        ...changedLines(partsOfRegion(lines, region, matches)),
      });
    }
  }
  push(out, lines.base, { start: copied, end: lines.base.length });
  const content = joinLines(out);
  if (conflicts.length === 0) return { ok: true, merged: content, dropped };
  parts.push({ kind: 'merged', content: joinLines(out.slice(decided)) });
  return { ok: false, why: 'overlap', conflicts, withMarkers: content, parts };
}

/** @param ending appended to a last line that has none, so that a marker can follow */
function push(out: Line[], lines: readonly Line[], { start, end }: LineSpan, ending = ''): void {
  for (let i = start; i < end; i++) {
    const line = lines[i]!;
    out.push(line.endsWith('\n') ? line : line + ending);
  }
}

/** Takes the changes of theirs, and those of ours next to them. @returns the lines of ours that are not in the result */
function pushTheirs(
  out: Line[],
  lines: Sides<readonly Line[]>,
  parts: readonly RegionPart[],
  { region, ending }: { readonly region: Sides<LineSpan>; readonly ending: string },
): readonly LineSpan[] {
  const dropped: LineSpan[] = [];
  let copied = region.base.start;
  for (const { spans, changedBy, ourLines } of parts) {
    push(out, lines.base, { start: copied, end: spans.base.start });
    copied = spans.base.end;
    const side = changedBy === 'ours' ? 'ours' : 'theirs';
    const last = out.at(-1);
    // The last line of one side may have no ending, and the other side may have added lines after it.
    const isOpen = last !== undefined && !last.endsWith('\n') && spans[side].end > spans[side].start;
    if (isOpen) out[out.length - 1] = last + ending;
    push(out, lines[side], spans[side]);
    if (changedBy === 'both') dropped.push(...missingLines(lines, ourLines, spans.theirs));
  }
  push(out, lines.base, { start: copied, end: region.base.end });
  return dropped;
}

/** Returns the lines of ours that are not among those of theirs. */
function missingLines(lines: Sides<readonly Line[]>, ours: readonly LineSpan[], theirs: LineSpan): readonly LineSpan[] {
  const left = new Map<Line, number>();
  for (const line of lines.theirs.slice(theirs.start, theirs.end)) left.set(line, (left.get(line) ?? 0) + 1);
  const missing: LineSpan[] = [];
  for (const { start, end } of ours) {
    for (let i = start; i < end; i++) {
      const count = left.get(lines.ours[i]!) ?? 0;
      if (count > 0) left.set(lines.ours[i]!, count - 1);
      else missing.push({ start: i, end: i + 1 });
    }
  }
  return missing;
}

function changedLines(parts: readonly RegionPart[]): Pick<MergeConflict, 'isSameLines' | 'ourLines'> {
  const both = parts.filter(({ changedBy }) => changedBy === 'both');
  const found = both.length > 0 ? both : parts;
  return { isSameLines: both.length > 0, ourLines: found.flatMap(({ ourLines }) => ourLines) };
}

/** Removes the lines that both sides of a conflict start and end with. */
function withoutCommonEnds(
  lines: Sides<readonly Line[]>,
  ours: LineSpan,
  theirs: LineSpan,
): { ours: LineSpan; theirs: LineSpan } {
  const shorter = Math.min(ours.end - ours.start, theirs.end - theirs.start);
  let head = 0;
  while (head < shorter && lines.ours[ours.start + head] === lines.theirs[theirs.start + head]) head++;
  let tail = 0;
  while (tail < shorter - head && lines.ours[ours.end - 1 - tail] === lines.theirs[theirs.end - 1 - tail]) tail++;
  return {
    ours: { start: ours.start + head, end: ours.end - tail },
    theirs: { start: theirs.start + head, end: theirs.end - tail },
  };
}
