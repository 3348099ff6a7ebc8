/** Finds the lines of a comment in another version of their file. */

import { type Line, splitLines } from '../../content/lines.ts';
import type { CommentAnchor } from '../../model/comment.ts';

/** From 1. */
export interface LinePlace {
  readonly first: number;
  readonly last: number;
}

/** How many lines around a comment are kept. */
export const CONTEXT_LINES = 3;

/**
 * Returns where the lines are: if there are several such places, the one with the most equal lines around it, then the
 * nearest one.
 * @returns null if the file no longer has them
 */
export function placeIn(content: Buffer, { first, lines, above, below }: CommentAnchor): LinePlace | null {
  const all = splitLines(content).map(withoutEnd);
  const [wanted, before, after] = [lines, above, below].map((text) =>
    splitLines(Buffer.from(text, 'latin1')).map(withoutEnd),
  ) as [Line[], Line[], Line[]];
  let best: { readonly at: number; readonly score: number } | null = null;
  for (let at = 0; at + wanted.length <= all.length; at++) {
    if (!wanted.every((line, index) => all[at + index] === line)) continue;
    const context =
      equalLines(before.toReversed(), (index) => all[at - 1 - index]) +
      equalLines(after, (index) => all[at + wanted.length + index]);
    const score = context * SCORE_OF_LINE - Math.abs(at + 1 - first);
    if (best === null || score > best.score) best = { at, score };
  }
  return best === null ? null : { first: best.at + 1, last: best.at + wanted.length };
}

/** More than any distance. */
const SCORE_OF_LINE = 2 ** 32;

/** Counts the lines that are equal, the nearest first, up to the first one that is not. */
function equalLines(lines: readonly Line[], at: (index: number) => Line | undefined): number {
  const different = lines.findIndex((line, index) => at(index) !== line);
  return different < 0 ? lines.length : different;
}

/** The last line of a file gets a line feed when others are added behind it. */
function withoutEnd(line: Line): Line {
  return line.endsWith('\n') ? line.slice(0, -1) : line;
}
