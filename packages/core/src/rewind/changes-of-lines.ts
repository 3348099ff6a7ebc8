/** Finds the changes of a file that made chosen lines what they are. */

import { diffLines, LINE_BOUND } from '../content/line-diff.ts';
import { type Line, splitLines } from '../content/lines.ts';
import type { RecordedChange } from '../model/checkpoint.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import type { LineEdits } from './line-edits.ts';

/**
 * Follows the lines back: at each change that wrote some of them, also the lines that it replaced. A change that only
 * removed lines counts if some of them come back.
 * @param changes of the file, newest first
 * @returns those that made what the edits take back
 */
export function changesOfLines(
  objects: ObjectReader,
  changes: readonly RecordedChange[],
  edits: LineEdits,
): readonly RecordedChange[] {
  const back = new Set<Line>([...edits.values()].flatMap(({ inFront, behind }) => [...inFront, ...behind]));
  let followed = new Set([...edits].flatMap(([index, { isRemoved }]) => (isRemoved ? [index] : [])));
  return changes.filter(({ before, after }) => {
    if (after?.kind !== 'file' || before?.kind !== 'file') return followed.size > 0 || back.size > 0;
    const old = readBlob(objects, before.id);
    const diff = diffLines(old, readBlob(objects, after.id), LINE_BOUND, 0);
    if (diff.kind !== 'lines') return true;
    const lines = splitLines(old);
    const next = new Set<number>();
    let isPart = false;
    for (const { beforeStart, beforeCount, afterStart, afterCount } of diff.hunks) {
      const has = [...followed].some((line) => line >= afterStart && line < afterStart + afterCount);
      const comesBack = lines.slice(beforeStart, beforeStart + beforeCount).some((line) => back.has(line));
      if (!has && !(afterCount === 0 && comesBack)) continue;
      isPart = true;
      for (let line = beforeStart; line < beforeStart + beforeCount; line++) next.add(line);
    }
    for (const line of followed) {
      let shift = 0;
      let isKept = true;
      for (const { beforeStart, beforeCount, afterStart, afterCount } of diff.hunks) {
        if (line < afterStart) break;
        isKept = line >= afterStart + afterCount;
        if (!isKept) break;
        shift = beforeStart + beforeCount - afterStart - afterCount;
      }
      if (isKept) next.add(line + shift);
    }
    followed = next;
    return isPart;
  });
}
