/** The comments of a diff, by file and by the line that they are shown below. */
import type { Output } from '../api/call.ts';
import { grouped } from '../data/grouped.ts';
import { nameKey } from '../data/names.ts';
import type { DiffFile } from '../diff/diff-file.ts';

export type Comment = Output<'commentList'>['comments'][number];

export type ThreadsByFile = ReadonlyMap<string, readonly Comment[]>;

export function threadsByFile(comments: readonly Comment[]): ThreadsByFile {
  return grouped(comments, ({ path }) => nameKey(path));
}

/** @returns those below a line: its number on a side, from 1 */
export function commentsAt(
  comments: readonly Comment[],
  side: Comment['side'],
  line: number | null,
): readonly Comment[] {
  return line === null ? [] : comments.filter((one) => one.side === side && one.place?.last === line);
}

/** Those whose lines are gone, or are in no part of the diff: they are shown at the top of the file. */
export function unplacedComments(comments: readonly Comment[], { hunks }: DiffFile): readonly Comment[] {
  return comments.filter(({ place, side }) => {
    if (place === null) return true;
    return !hunks.some((hunk) => place.last >= hunk[side][0] && place.last < hunk[side][0] + hunk[side][1]);
  });
}
