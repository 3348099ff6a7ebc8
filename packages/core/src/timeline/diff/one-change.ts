/** Finds one change of the timeline, with the contents on both sides. */

import { showName } from '../../content/show-name.ts';
import type { Patch } from '../../content/unified-patch.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { type ChangeId, PURGED, parseChangeId } from '../../model/ids.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { unknownChange } from '../query/match-id.ts';
import type { Timeline } from '../record/timeline.ts';
import { patchOf } from './compare.ts';
import { hunksOf, type NumberedHunk } from './hunks.ts';

export interface FoundChange {
  readonly change: RecordedChange;
  readonly checkpoint: Checkpoint;
}

export interface ChangeDiff extends FoundChange {
  readonly patch: Patch;
  /** Null if there are no separate hunks: the file was created or deleted, is not text, or is too long. */
  readonly hunks: readonly NumberedHunk[] | null;
}

/**
 * Returns the change with the given id.
 * @param given for example `cp_12.3`
 * @throws SavepointError UNKNOWN_CHANGE, STORE_DAMAGED
 */
export function findChange(timeline: Timeline, given: string): FoundChange {
  const id = parseChangeId(given);
  const ref = id === null ? undefined : timeline.list().find(({ number }) => number === id.checkpoint);
  if (id === null) throw unknownChangeError(given, 'The id of a change looks like cp_12.3.');
  if (ref === undefined)
    throw unknownChangeError(given, `There is no cp_${id.checkpoint}: it was dropped, lost its ref, or never existed.`);
  const checkpoint = timeline.read(ref);
  if (checkpoint.changes === null) throw unknownChangeError(given, `${checkpoint.id} has no list of changes.`);
  const change = checkpoint.changes[id.place - 1];
  if (change === undefined)
    throw unknownChangeError(
      given,
      `${checkpoint.id} has ${checkpoint.changes.length} change${checkpoint.changes.length === 1 ? '' : 's'}.`,
      checkpoint.changes.map(({ id: known }) => known),
    );
  return { change, checkpoint };
}

/** @throws SavepointError UNKNOWN_CHANGE; STORE_DAMAGED if one of the contents is missing */
export async function diffOfChange(
  objects: ObjectReader,
  timeline: Timeline,
  given: string,
  pace: Pace,
): Promise<ChangeDiff> {
  const found = findChange(timeline, given);
  for (const [side, entry] of [
    ['before', found.change.before],
    ['after', found.change.after],
  ] as const) {
    if (isContentMissing(objects, entry)) {
      if (entry?.kind !== 'folder' && entry?.id === PURGED) throw purgedError(found.change);
      throw new SavepointError(
        'STORE_DAMAGED',
        `The content ${side} ${found.change.id} is no longer in the store.`,
        { object: entry?.kind === 'folder' ? '' : (entry?.id ?? '') },
        { hint: 'Early versions did not keep the content before the oldest checkpoint that clean-up kept.' },
      );
    }
  }
  return {
    ...found,
    patch: await patchOf(objects, [found.change], pace),
    hunks: hunksOf(objects, found.change),
  };
}

export function isContentMissing(objects: ObjectReader, entry: Entry | null): boolean {
  return entry !== null && entry.kind !== 'folder' && objects.info(entry.id) === null;
}

function purgedError({ id, path }: RecordedChange): SavepointError {
  const message = `The content of ${id} (${showName(path)}) was purged.`;
  return new SavepointError('UNKNOWN_CHANGE', message, { given: id }, { hint: 'The change itself is still listed.' });
}

function unknownChangeError(given: string, why: string, known: readonly ChangeId[] = []): SavepointError {
  return unknownChange(given, `There is no change ${JSON.stringify(given)}. ${why}`, known);
}
