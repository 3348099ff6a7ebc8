/** Which parts of a changed line are new, word by word. */
import type { PatchHunk, PatchLine } from './patch.ts';
import { sidesOf } from './sides.ts';

/** Half-open, in letters. */
export type Range = readonly [start: number, end: number];

/** A longer line is shown as changed as a whole. */
const MOST_WORDS = 400;
/** Lines with less in common are different lines, and marks would only be noise. */
const LEAST_SHARED = 0.4;

interface Pair {
  readonly removed: PatchLine;
  readonly added: PatchLine;
}

const pairs = new WeakMap<PatchHunk, ReadonlyMap<PatchLine, Pair>>();
const known = new WeakMap<Pair, ReturnType<typeof changedRanges>>();
const NONE: readonly Range[] = [];

/** Two lines are compared when one of them is shown. */
export function wordRanges(hunk: PatchHunk, line: PatchLine): readonly Range[] {
  const pair = pairsOf(hunk).get(line);
  if (pair === undefined) return NONE;
  let ranges = known.get(pair);
  if (ranges === undefined) {
    ranges = changedRanges(pair.removed.text, pair.added.text);
    known.set(pair, ranges);
  }
  if (ranges === null) return NONE;
  return line === pair.removed ? ranges[0] : ranges[1];
}

/** @returns null if the lines have too little in common */
export function changedRanges(
  before: string,
  after: string,
): readonly [before: readonly Range[], after: readonly Range[]] | null {
  const [old, young] = [wordsOf(before), wordsOf(after)];
  if (old.length > MOST_WORDS || young.length > MOST_WORDS) return null;
  const shared = longestShared(old, young);
  const letters = shared.reduce((sum, [at]) => sum + (old[at] ?? '').trim().length, 0);
  const longest = Math.max(before.replaceAll(/\s/g, '').length, after.replaceAll(/\s/g, '').length);
  if (longest === 0 || letters / longest < LEAST_SHARED) return null;
  return [
    rangesWithout(
      old,
      shared.map(([at]) => at),
    ),
    rangesWithout(
      young,
      shared.map(([, at]) => at),
    ),
  ];
}

/** The longest common subsequence, as pairs of places. */
export function longestShared(
  old: readonly string[],
  young: readonly string[],
): readonly (readonly [number, number])[] {
  const width = young.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let one = old.length - 1; one >= 0; one -= 1) {
    for (let other = young.length - 1; other >= 0; other -= 1) {
      lengths[one * width + other] =
        old[one] === young[other]
          ? (lengths[(one + 1) * width + other + 1] ?? 0) + 1
          : Math.max(lengths[(one + 1) * width + other] ?? 0, lengths[one * width + other + 1] ?? 0);
    }
  }
  const found: [number, number][] = [];
  for (let [one, other] = [0, 0]; one < old.length && other < young.length; ) {
    if (old[one] === young[other]) {
      found.push([one, other]);
      one += 1;
      other += 1;
    } else if ((lengths[(one + 1) * width + other] ?? 0) >= (lengths[one * width + other + 1] ?? 0)) one += 1;
    else other += 1;
  }
  return found;
}

function pairsOf(hunk: PatchHunk): ReadonlyMap<PatchLine, Pair> {
  const kept = pairs.get(hunk);
  if (kept !== undefined) return kept;
  const found = new Map<PatchLine, Pair>();
  for (const [removed, added] of sidesOf(hunk.lines)) {
    if (removed === null || added === null || removed === added) continue;
    const pair = { removed, added };
    found.set(removed, pair).set(added, pair);
  }
  pairs.set(hunk, found);
  return found;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_$]+|\s+|[^\p{L}\p{N}_$\s]/gu) ?? [];
}

function rangesWithout(words: readonly string[], shared: readonly number[]): readonly Range[] {
  const isShared = new Set(shared);
  const ranges: [number, number][] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    const last = ranges.at(-1);
    if (!isShared.has(index)) {
      if (last?.[1] === at) last[1] = at + word.length;
      else ranges.push([at, at + word.length]);
    }
    at += word.length;
  }
  return ranges;
}
