/** Names the changes and hunks that a rollback of lines reverts. */

import { countChangedLines } from '../content/line-diff.ts';
import type { RecordedChange } from '../model/checkpoint.ts';
import { type Entry, sameEntry } from '../model/entries.ts';
import { type ChangeId, type HunkId, hunkId } from '../model/ids.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import { hunksOf, withoutHunks } from '../timeline/diff/hunks.ts';
import { revertEntry } from './merge-entry.ts';

export interface NamedByLines {
  /** Reverting exactly these has the same result. */
  readonly whole: readonly (ChangeId | HunkId)[];
  /** Of these, only some lines are reverted. */
  readonly inPart: readonly ChangeId[];
}

/** More are not tried one by one. */
const MOST_HUNKS = 200;

/**
 * Tries each hunk, newest first: it counts as reverted if reverting it leads towards the result, and all of them together
 * lead exactly there. Otherwise all changes count as reverted in part, because no id would say the truth.
 * @param changes of the file, newest first
 */
export function namedByLines(
  objects: ObjectBatch,
  changes: readonly RecordedChange[],
  current: Entry,
  result: Entry | null,
): NamedByLines {
  const inPart = { whole: [], inPart: changes.map(({ id }) => id) };
  const parts = changes.map((change) => ({ change, hunks: hunksOf(objects, change) }));
  if (parts.reduce((sum, { hunks }) => sum + (hunks?.length ?? 1), 0) > MOST_HUNKS) return inPart;
  const whole: (ChangeId | HunkId)[] = [];
  let now: Entry | null = current;
  const tries = (left: Entry | null, found: Entry | null): boolean => {
    const reverted = revertEntry(objects, left, found, now, null);
    if (reverted.outcome !== 'done' || distance(objects, reverted.entry, result) > distance(objects, now, result)) {
      return false;
    }
    now = reverted.entry;
    return true;
  };
  for (const { change, hunks } of parts) {
    if (sameEntry(now, result)) break;
    const { after } = change;
    if (hunks === null || after?.kind !== 'file') {
      if (tries(after, change.before)) whole.push(change.id);
      continue;
    }
    const done = hunks.filter((hunk) => {
      const content = withoutHunks(readBlob(objects, after.id), [hunk]);
      return tries(after, { ...after, id: objects.add('blob', content) });
    });
    const isAll = done.length === hunks.length && change.from === null && hasSameMode(change);
    whole.push(...(isAll ? [change.id] : done.map(({ number }) => hunkId(change.id, number))));
  }
  return sameEntry(now, result) ? { whole: whole.toReversed(), inPart: [] } : inPart;
}

function hasSameMode({ before, after }: RecordedChange): boolean {
  return before?.kind === 'file' && after?.kind === 'file' && before.mode === after.mode;
}

/** Number of lines that differ. */
function distance(objects: ObjectBatch, a: Entry | null, b: Entry | null): number {
  if (sameEntry(a, b)) return 0;
  const [old, young] = [a, b].map((entry) =>
    entry?.kind === 'file' ? readBlob(objects, entry.id) : Buffer.alloc(0),
  ) as [Buffer, Buffer];
  const counts = countChangedLines(old, young);
  return counts === null
    ? Number.POSITIVE_INFINITY
    : counts.added + counts.removed + (a === null || b === null ? 1 : 0);
}
