/** The numbered hunks of a change: the places where its text differs, in file order. */

import { diffLines, type Hunk, LINE_BOUND } from '../../content/line-diff.ts';
import { joinLines, type Line, splitLines } from '../../content/lines.ts';
import type { Change } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';

export interface NumberedHunk extends Hunk {
  /** Starts at 1 and never changes for a given change. */
  readonly number: number;
}

/**
 * Returns the same hunks as a patch of the change.
 * @returns null if the change has no separate hunks: its contents are not text, too long or missing, or
 *   only one side is a file
 */
export function hunksOf(
  reader: ObjectReader,
  change: Pick<Change, 'before' | 'after'>,
): readonly NumberedHunk[] | null {
  const before = textOf(reader, change.before);
  const after = textOf(reader, change.after);
  if (before === null || after === null) return null;
  const diff = diffLines(before, after);
  return diff.kind === 'lines' ? diff.hunks.map((hunk, index) => ({ ...hunk, number: index + 1 })) : null;
}

/** Returns the text after a change with some of its hunks reverted. @param hunks hunks of this change */
export function withoutHunks(after: Buffer, hunks: readonly Hunk[]): Buffer {
  const lines = splitLines(after);
  const out: Line[] = [];
  let copied = 0;
  for (const { afterStart, afterCount, lines: shown } of hunks) {
    for (; copied < afterStart; copied++) out.push(lines[copied]!);
    for (const line of shown) if (!line.startsWith('+')) out.push(line.slice(1));
    copied = afterStart + afterCount;
  }
  for (; copied < lines.length; copied++) out.push(lines[copied]!);
  return joinLines(out);
}

function textOf(reader: ObjectReader, entry: Entry | null): Buffer | null {
  if (entry?.kind !== 'file') return null;
  const size = reader.info(entry.id)?.size ?? null;
  return size === null || size > LINE_BOUND.maxBytes ? null : readBlob(reader, entry.id);
}
