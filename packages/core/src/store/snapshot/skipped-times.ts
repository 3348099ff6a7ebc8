/**
 * Compares snapshots apart from the times of skipped files. Earlier versions did not record these times, and bundles do
 * not contain them, so a snapshot may lack them.
 */

import type { Snapshot } from '../../model/entries.ts';
import { EMPTY_TREE, type ObjectId } from '../../model/ids.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { NOTE_NAME, noteWithoutTimes } from './side.ts';
import { readBlob, readTree } from './snapshot.ts';

/** Returns whether two snapshots differ at most in the times of skipped files. */
export function isSameWithoutTimes(reader: ObjectReader, a: Snapshot, b: Snapshot): boolean {
  return a.files === b.files && isSameSide(reader, a.side, b.side, () => true);
}

/** Returns whether the newer snapshot only adds times that the older one lacks. */
export function onlyAddsTimes(reader: ObjectReader, older: Snapshot, newer: Snapshot): boolean {
  return (
    older.files === newer.files &&
    isSameSide(reader, older.side, newer.side, (was, now) => was.every((t) => now.includes(t)))
  );
}

/** Gets the times of one folder on both sides, as texts. */
type CompareTimes = (older: readonly string[], newer: readonly string[]) => boolean;

function isSameSide(reader: ObjectReader, older: ObjectId, newer: ObjectId, compare: CompareTimes): boolean {
  if (older === newer) return true;
  if (older === EMPTY_TREE || newer === EMPTY_TREE) return false;
  const [was, now] = [readTree(reader, older), readTree(reader, newer)];
  return (
    was.length === now.length &&
    was.every(({ name, id }, at) => {
      const other = now[at];
      if (other === undefined || other.name !== name) return false;
      if (other.id === id) return true;
      if (name !== NOTE_NAME) return isSameSide(reader, id, other.id, compare);
      const [a, b] = [noteWithoutTimes(readBlob(reader, id)), noteWithoutTimes(readBlob(reader, other.id))];
      return a.rest === b.rest && compare(a.times, b.times);
    })
  );
}
