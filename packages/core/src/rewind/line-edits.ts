/** Takes chosen lines of a difference back, and leaves all other lines as they are. */

import { diffLines, LINE_BOUND } from '../content/line-diff.ts';
import { joinLines, type Line, splitLines } from '../content/lines.ts';

/** What happens at one line of the text after. */
interface LineEdit {
  readonly isRemoved: boolean;
  /** Lines of the text before that come back in front of it, and behind it. */
  readonly inFront: readonly Line[];
  readonly behind: readonly Line[];
}

/** By the index of a line of the text after; the number of its lines is a place, too. */
export type LineEdits = ReadonlyMap<number, LineEdit>;

export interface ChosenLines {
  /** Whether a line of the text after is taken back, by its index. */
  readonly isAfter: (index: number) => boolean;
  /**
   * Whether a line of the text before comes back, by its index. Null: those come back whose place the chosen lines took. The
   * first line that was removed at a place belongs to the first one that was added there, and so on; what is left of
   * them belongs to the last one.
   */
  readonly isBefore: ((index: number) => boolean) | null;
}

/** @returns null if the texts cannot be compared by line */
export function lineEdits(before: Buffer, after: Buffer, { isAfter, isBefore }: ChosenLines): LineEdits | null {
  const diff = diffLines(before, after, LINE_BOUND, 0);
  if (diff.kind !== 'lines') return null;
  const old = splitLines(before);
  const edits = new Map<number, { isRemoved: boolean; inFront: Line[]; behind: Line[] }>();
  const at = (index: number) => {
    const known = edits.get(index);
    if (known !== undefined) return known;
    const made = { isRemoved: false, inFront: [], behind: [] };
    edits.set(index, made);
    return made;
  };
  for (const { beforeStart, beforeCount, afterStart, afterCount } of diff.hunks) {
    const takes = (k: number): boolean => k < afterCount && isAfter(afterStart + k);
    for (let k = 0; k < Math.max(beforeCount, afterCount); k++) {
      const brings =
        k < beforeCount && (isBefore === null ? takes(Math.min(k, afterCount - 1)) : isBefore(beforeStart + k));
      if (brings) {
        const line = old[beforeStart + k] as Line;
        if (k < afterCount) at(afterStart + k).inFront.push(line);
        else if (afterCount > 0) at(afterStart + afterCount - 1).behind.push(line);
        else at(afterStart).inFront.push(line);
      }
      if (takes(k)) at(afterStart + k).isRemoved = true;
    }
  }
  return edits;
}

export function withEdits(after: Buffer, edits: LineEdits): Buffer {
  const lines = splitLines(after);
  const out: Line[] = [];
  for (let index = 0; index <= lines.length; index++) {
    const { isRemoved = false, inFront = [], behind = [] } = edits.get(index) ?? {};
    out.push(...inFront);
    const line = lines[index];
    if (line !== undefined && !isRemoved) out.push(line);
    out.push(...behind);
  }
  const last = out.length - 1;
  return joinLines(out.map((line, index) => (index < last && !line.endsWith('\n') ? `${line}\n` : line)));
}

/** @returns the index in `after` of each line of `before` that it still has; null if the texts cannot be compared */
export function keptLines(before: Buffer, after: Buffer): ((index: number) => number | null) | null {
  const diff = diffLines(before, after, LINE_BOUND, 0);
  if (diff.kind !== 'lines') return null;
  return (index) => {
    let shift = 0;
    for (const { beforeStart, beforeCount, afterStart, afterCount } of diff.hunks) {
      if (index < beforeStart) break;
      if (index < beforeStart + beforeCount) return null;
      shift = afterStart + afterCount - beforeStart - beforeCount;
    }
    return index + shift;
  };
}
