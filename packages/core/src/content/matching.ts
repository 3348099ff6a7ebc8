import type { NumberedLines } from './lines.ts';
import { type Budget, certainMatches, type Matches, shortestMatches } from './shortest-edits.ts';

/**
 * Which lines of `before` are which lines of `after`, for showing.
 * @param steps the work that may be spent, in points of the grid (shortest-edits.ts)
 * @returns `coarse` where a shortest answer would cost more: then lines that are unique on both sides hold the rest
 *   in place, and what lies between two of them is compared for itself, or given as replaced
 */
export function matchForDisplay(
  before: NumberedLines,
  after: NumberedLines,
  steps: number,
): { readonly matches: Matches; readonly coarse: boolean } {
  const common = commonLines(before, after);
  const shortest = shortestMatches(common.before, common.after, { steps });
  const matches = shortest ?? matchBetweenUnique(common.before, common.after, steps);
  return { matches: common.spread(matches), coarse: shortest === null };
}

/**
 * The lines of `before` that stay in `after`, whichever of the shortest ways one takes: what a merge may rely on.
 * @param steps the work that may be spent, in points of the grid (shortest-edits.ts)
 * @returns null if it would cost more
 */
export function matchForMerge(before: NumberedLines, after: NumberedLines, steps: number): Matches | null {
  const common = commonLines(before, after);
  const matches = certainMatches(common.before, common.after, { steps });
  return matches === null ? null : common.spread(matches);
}

/** A line that only one side has is removed or added in every way; without such lines the search is small. */
function commonLines(before: NumberedLines, after: NumberedLines) {
  const inBefore = new Set(before);
  const inAfter = new Set(after);
  const keptBefore = indices(before, (line) => inAfter.has(line));
  const keptAfter = indices(after, (line) => inBefore.has(line));
  return {
    before: keptBefore.map((i) => before[i]!),
    after: keptAfter.map((i) => after[i]!),
    spread(matches: Matches): Matches {
      const all = new Int32Array(before.length).fill(-1);
      matches.forEach((match, i) => {
        if (match >= 0) all[keptBefore[i]!] = keptAfter[match]!;
      });
      return all;
    },
  };
}

function indices(lines: NumberedLines, keep: (line: number) => boolean): Int32Array {
  const found = new Int32Array(lines.length);
  let count = 0;
  lines.forEach((line, i) => {
    if (keep(line)) found[count++] = i;
  });
  return found.slice(0, count);
}

/** A gap of thirty lines never costs more, so that any number of such gaps costs forty steps a line. */
const SMALL_GAP_STEPS = 1024;

function matchBetweenUnique(before: NumberedLines, after: NumberedLines, steps: number): Matches {
  const matches = new Int32Array(before.length).fill(-1);
  const anchors = uniqueInOrder(before, after);
  if (anchors.length === 0) return matches;
  const perLine = steps / (before.length + after.length);
  let x = 0;
  let y = 0;
  const end = { x: before.length, y: after.length };
  for (const anchor of [...anchors, end]) {
    const gapBefore = before.subarray(x, anchor.x);
    const gapAfter = after.subarray(y, anchor.y);
    const budget: Budget = { steps: SMALL_GAP_STEPS + perLine * (gapBefore.length + gapAfter.length) };
    const from = { x, y };
    shortestMatches(gapBefore, gapAfter, budget)?.forEach((match, i) => {
      if (match >= 0) matches[from.x + i] = from.y + match;
    });
    if (anchor !== end) matches[anchor.x] = anchor.y;
    x = anchor.x + 1;
    y = anchor.y + 1;
  }
  return matches;
}

/** The longest series, in order on both sides, of lines that each side has exactly once. */
function uniqueInOrder(before: NumberedLines, after: NumberedLines): { readonly x: number; readonly y: number }[] {
  const inBefore = uniquePositions(before);
  const inAfter = uniquePositions(after);
  interface Link {
    readonly x: number;
    readonly y: number;
    readonly previous: Link | null;
  }
  // `ends[n]` ends the series of n + 1 lines whose last `y` is the smallest known.
  const ends: Link[] = [];
  for (const [line, x] of inBefore) {
    const y = inAfter.get(line);
    if (y === undefined) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]!.y < y) low = middle + 1;
      else high = middle;
    }
    ends[low] = { x, y, previous: ends[low - 1] ?? null };
  }
  const series: Link[] = [];
  for (let link = ends.at(-1) ?? null; link !== null; link = link.previous) series.push(link);
  return series.reverse();
}

/** By line, in order of place. */
function uniquePositions(lines: NumberedLines): Map<number, number> {
  const places = new Map<number, number>();
  const repeated = new Set<number>();
  lines.forEach((line, i) => {
    if (places.has(line)) repeated.add(line);
    else places.set(line, i);
  });
  for (const line of repeated) places.delete(line);
  return places;
}
