import type { NumberedLines } from './lines.ts';
import { type Budget, certainMatches, type Matches, shortestMatches } from './shortest-edits.ts';

/**
 * Matches the lines of `before` with lines of `after`, for display.
 * @param steps the work budget, in points of the edit grid (shortest-edits.ts)
 * @returns `coarse` if a shortest diff would exceed the budget. In that case, lines that are unique on both sides are
 *   anchors. Each gap between two anchors is compared separately, or shown as replaced.
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
 * Returns the lines of `before` that every shortest diff keeps in `after`: a merge can rely on them.
 * @param steps the work budget, in points of the edit grid (shortest-edits.ts)
 * @returns null if it would exceed the budget
 */
export function matchForMerge(before: NumberedLines, after: NumberedLines, steps: number): Matches | null {
  const common = commonLines(before, after);
  const matches = certainMatches(common.before, common.after, { steps });
  return matches === null ? null : common.spread(matches);
}

/** Keeps only lines that both sides have: every diff removes or adds the others, so the search can skip them. */
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

/** Minimum budget of a gap. Thirty lines never cost more, so any number of such gaps costs forty steps per line. */
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

/** Returns the longest sequence, in order on both sides, of lines that occur exactly once on each side. */
function uniqueInOrder(before: NumberedLines, after: NumberedLines): { readonly x: number; readonly y: number }[] {
  const inBefore = uniquePositions(before);
  const inAfter = uniquePositions(after);
  interface Link {
    readonly x: number;
    readonly y: number;
    readonly previous: Link | null;
  }
  // `ends[n]` ends the sequence of n + 1 lines whose last `y` is the smallest known.
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

/** Maps each line that occurs once to its index, in order. */
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
