/** Which hunks of recorded changes a hunk on the page is made of. */
import type { Output } from '../api/call.ts';
import type { PatchHunk } from '../diff/patch.ts';

export type NumberedHunk = NonNullable<Output<'diff'>['hunks']>[number];

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
