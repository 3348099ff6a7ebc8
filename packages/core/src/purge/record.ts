/** Removes the content of some paths from a checkpoint record. */

import type { Checkpoint, RecordedChange } from '../model/checkpoint.ts';
import type { Entry } from '../model/entries.ts';
import { PURGED } from '../model/ids.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import { redactRecord } from '../timeline/record/checkpoint-json.ts';
import type { Secrets } from './secrets.ts';

/** @returns the same checkpoint object if its record does not mention the content */
export function recordWithout(checkpoint: Checkpoint, paths: readonly TreePath[], secrets: Secrets): Checkpoint {
  const isSelected = (path: TreePath | null): boolean => path !== null && paths.some((each) => isWithin(path, each));
  const mentionsPurged = (change: RecordedChange): boolean =>
    (isSelected(change.path) || isSelected(change.from)) && !(isPurged(change.before) && isPurged(change.after));
  const contents = checkpoint.changes?.some(mentionsPurged) ?? false;
  return redactRecord(
    checkpoint,
    { local: false, texts: (text) => secrets.isMentionedIn(text), contents },
    mentionsPurged,
  );
}

function isPurged(entry: Entry | null): boolean {
  return entry === null || entry.kind === 'folder' || entry.id === PURGED;
}
