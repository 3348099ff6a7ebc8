/**
 * Splits a region that both sides of a merge changed into the smallest parts that can be decided separately: two changes
 * are in one part only if they change the same lines of the base, or insert at the same place.
 */

import type { Line } from './lines.ts';
import type { Matches } from './shortest-edits.ts';

export interface Sides<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/** Line indices from `start` up to, but not including, `end`. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

export interface RegionPart {
  readonly spans: Sides<LineSpan>;
  /** `both`: differently. */
  readonly changedBy: 'ours' | 'theirs' | 'both';
  /** The lines that ours wrote; empty if it only deleted lines. */
  readonly ourLines: readonly LineSpan[];
}

/**
 * @param matches of the base with each side: only lines that every shortest diff keeps
 * @returns the parts in order. Neither side changed the lines between them
 */
export function partsOfRegion(
  lines: Sides<readonly Line[]>,
  region: Sides<LineSpan>,
  matches: Omit<Sides<Matches>, 'base'>,
): readonly RegionPart[] {
  const edits = [...editsOf('ours', lines, region, matches.ours), ...editsOf('theirs', lines, region, matches.theirs)];
  const parts: RegionPart[] = [];
  let from = startsOf(region);
  for (const group of groupsOf(edits)) {
    const base = { start: group[0]!.base.start, end: Math.max(...group.map((edit) => edit.base.end)) };
    const spanOf = (side: Edit['by']): LineSpan => {
      const start = from[side] + base.start - from.base;
      const grown = group.reduce(
        (sum, edit) => (edit.by === side ? sum + lengthOf(edit.side) - lengthOf(edit.base) : sum),
        0,
      );
      return { start, end: start + lengthOf(base) + grown };
    };
    const spans = { base, ours: spanOf('ours'), theirs: spanOf('theirs') };
    const ours = group.filter(({ by }) => by === 'ours');
    const isEqual = sameLines(lines.ours, spans.ours, lines.theirs, spans.theirs);
    const changedBy = ours.length === group.length ? 'ours' : ours.length === 0 || isEqual ? 'theirs' : 'both';
    const ourLines = ours.map(({ side }) => side).filter((span) => lengthOf(span) > 0);
    parts.push({ spans, changedBy, ourLines });
    from = { base: base.end, ours: spans.ours.end, theirs: spans.theirs.end };
  }
  return parts;
}

export function sameLines(a: readonly Line[], inA: LineSpan, b: readonly Line[], inB: LineSpan): boolean {
  if (lengthOf(inA) !== lengthOf(inB)) return false;
  for (let i = inA.start; i < inA.end; i++) if (a[i] !== b[i - inA.start + inB.start]) return false;
  return true;
}

/** Lines of the base that one side replaced. */
interface Edit {
  readonly by: 'ours' | 'theirs';
  readonly base: LineSpan;
  readonly side: LineSpan;
}

function editsOf(
  by: Edit['by'],
  lines: Sides<readonly Line[]>,
  { base, [by]: side }: Sides<LineSpan>,
  matches: Matches,
): readonly Edit[] {
  const edits: Edit[] = [];
  let from = { base: base.start, side: side.start };
  for (let i = base.start; i <= base.end; i++) {
    const match = i < base.end ? matches[i]! : side.end;
    if (match < 0) continue;
    const edit = { by, base: { start: from.base, end: i }, side: { start: from.side, end: match } };
    if (!sameLines(lines.base, edit.base, lines[by], edit.side)) edits.push(edit);
    from = { base: i + 1, side: match + 1 };
  }
  return edits;
}

function groupsOf(edits: readonly Edit[]): readonly (readonly Edit[])[] {
  const groups: Edit[][] = [];
  let span: LineSpan | null = null;
  for (const edit of [...edits].sort((a, b) => a.base.start - b.base.start || a.base.end - b.base.end)) {
    if (span !== null && overlap(span, edit.base)) {
      groups.at(-1)!.push(edit);
      span = { start: span.start, end: Math.max(span.end, edit.base.end) };
    } else {
      groups.push([edit]);
      span = edit.base;
    }
  }
  return groups;
}

/** An insertion at the edge of other changed lines has its own place. */
function overlap(a: LineSpan, b: LineSpan): boolean {
  if (lengthOf(a) === 0 && lengthOf(b) === 0) return a.start === b.start;
  return Math.max(a.start, b.start) < Math.min(a.end, b.end) || isInside(a, b) || isInside(b, a);
}

function isInside(insertion: LineSpan, { start, end }: LineSpan): boolean {
  return lengthOf(insertion) === 0 && start < insertion.start && insertion.start < end;
}

function lengthOf({ start, end }: LineSpan): number {
  return end - start;
}

function startsOf({ base, ours, theirs }: Sides<LineSpan>): Sides<number> {
  return { base: base.start, ours: ours.start, theirs: theirs.start };
}
