/** The numbered hunks of a change that a hunk on the page shows. The page may show several of them as one. */
import type { PatchHunk } from './patch.ts';

export interface NumberedHunk {
  readonly number: number;
  /** The first line and the number of lines. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** @returns the numbers of the hunks that a hunk on the page overlaps; both are of the same change */
export function numbersOf({ before, after }: PatchHunk, numbered: readonly NumberedHunk[]): readonly number[] {
  return numbered
    .filter((one) => overlaps(after, one.after) || overlaps(before, one.before))
    .map(({ number }) => number);
}

function overlaps(one: readonly number[], other: readonly number[]): boolean {
  const [first = 0, count = 0] = one;
  const [otherFirst = 0, otherCount = 0] = other;
  return count > 0 && otherCount > 0 && first < otherFirst + otherCount && otherFirst < first + count;
}
