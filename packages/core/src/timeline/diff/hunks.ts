/** The hunks of a change, numbered as people see them: the places where its text differs, in the order of the file. */

import { diffLines, type Hunk, LINE_BOUND } from '../../content/line-diff.ts';
import { joinLines, type Line, splitLines } from '../../content/lines.ts';
import type { Change } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';

export interface NumberedHunk extends Hunk {
  /** From 1 on; the same for a change for ever. */
  readonly number: number;
}

/**
 * The same hunks as in a patch of the change.
 * @returns null where the change has none to choose from: its contents are no text, too long, gone, or only one side is
 *   a file
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

/** The text after a change with some of its hunks taken back. @param hunks of that very change */
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
