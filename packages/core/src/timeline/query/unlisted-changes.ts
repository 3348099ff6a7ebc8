/** The changes of a checkpoint that has too many to list. Their number is recorded, and not the author of each. */

import {
  type Author,
  type Authorship,
  type Checkpoint,
  isOperation,
  OUTSIDE,
  type RecordedChange,
} from '../../model/checkpoint.ts';
import type { OnDamage } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { isImplied, operationOf } from '../diff/changes.ts';
import { differences, type PathDifference } from '../diff/snapshot-diff.ts';

/** A moved file is one that was deleted and one that was created: to find moves takes much longer. */
export type UnlistedChange = Pick<RecordedChange, 'path' | 'from' | 'operation' | 'by' | 'before' | 'after'>;

/**
 * Returns the paths that differ from the state before.
 * @param previous undefined if it is not known; then there are none
 * @param onDamage receives each error of a damaged folder. Default: the error is thrown
 */
export function* unlistedChanges(
  objects: ObjectReader,
  previous: Checkpoint | undefined,
  checkpoint: Checkpoint,
  onDamage: OnDamage | null = null,
): Generator<UnlistedChange> {
  if (previous === undefined) return;
  const by = unlistedAuthors(checkpoint);
  const changeOf = ({ path, before, after }: PathDifference): UnlistedChange => {
    const operation = operationOf(before.entry, after.entry);
    return { path, from: null, operation, by, before: before.entry, after: after.entry };
  };
  let last: PathDifference | null = null;
  for (const difference of differences(objects, previous.snapshot, checkpoint.snapshot, onDamage)) {
    if (last !== null && !isImplied(last, difference)) yield changeOf(last);
    last = difference;
  }
  if (last !== null) yield changeOf(last);
}

/** Returns how many there are; 0 if the changes are listed, and for a first checkpoint. */
export function unlistedCount({ changes, previous, totals }: Checkpoint): number {
  return changes === null && previous !== null ? totals.files : 0;
}

/** Returns the possible authors of each of them. */
export function unlistedAuthors({ trigger, actor, session, toolCall, tool }: Checkpoint): Authorship {
  const author: Author = { actor, session, call: toolCall, tool: tool?.name ?? null };
  const outside: Author = { actor: OUTSIDE, session: null, call: null, tool: null };
  if (isOperation(trigger)) return { authors: [author], grade: 'sure', evidence: 'operation' };
  if (trigger === 'call') return { authors: [author, outside], grade: 'open', evidence: 'call' };
  // Which calls were open is not recorded.
  return { authors: [outside], grade: 'likely', evidence: 'beyond' };
}
