/** Runs of lines that are followed from one version of a file to an older one. */

import type { Hunk } from '../../content/line-diff.ts';

/** Lines `at..at + count` of a version are the lines `line..line + count` of the file that is asked about. From 0. */
export interface Segment {
  readonly at: number;
  readonly count: number;
  readonly line: number;
}

/** Where two versions differ, in order, without context. */
export type LineHunks = readonly Pick<Hunk, 'beforeStart' | 'beforeCount' | 'afterStart' | 'afterCount'>[];

export interface SplitSegments {
  /** Lines that the older version has, too, at their place in it. */
  readonly kept: readonly Segment[];
  /** Lines that only the newer version has, at their place in it. */
  readonly changed: readonly Segment[];
}

/** @param segments of the newer version */
export function splitAtHunks(segments: readonly Segment[], hunks: LineHunks): SplitSegments {
  const kept: Segment[] = [];
  const changed: Segment[] = [];
  for (const { at, count, line } of segments) {
    const end = at + count;
    const add = (to: Segment[], from: number, until: number, shift: number): void => {
      if (until > from) to.push({ at: from + shift, count: until - from, line: line + from - at });
    };
    let next = firstEndingAfter(hunks, at);
    for (let from = at; from < end; ) {
      const hunk = hunks[next];
      const start = Math.min(end, Math.max(from, hunk?.afterStart ?? end));
      add(kept, from, start, shiftAfter(hunks[next - 1]));
      const stop = hunk === undefined ? end : Math.min(end, hunk.afterStart + hunk.afterCount);
      add(changed, start, stop, 0);
      from = Math.max(start, stop);
      next++;
    }
  }
  return { kept, changed };
}

/** Joins segments that continue each other. */
export function joinSegments(segments: readonly Segment[]): readonly Segment[] {
  const joined: Segment[] = [];
  for (const segment of [...segments].sort((a, b) => a.line - b.line)) {
    const last = joined.at(-1);
    if (last !== undefined && last.line + last.count === segment.line && last.at + last.count === segment.at) {
      joined[joined.length - 1] = { ...last, count: last.count + segment.count };
    } else joined.push(segment);
  }
  return joined;
}

function firstEndingAfter(hunks: LineHunks, at: number): number {
  let low = 0;
  let high = hunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { afterStart, afterCount } = hunks[middle]!;
    if (afterStart + afterCount > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns how far the lines after a hunk, up to the next one, are moved in the older version. */
function shiftAfter(hunk: LineHunks[number] | undefined): number {
  return hunk === undefined ? 0 : hunk.beforeStart + hunk.beforeCount - hunk.afterStart - hunk.afterCount;
}
