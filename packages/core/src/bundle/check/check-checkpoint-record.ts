/** Validates and decodes the `checkpoint.json` of an untrusted bundle. */

import type { Ports } from '../../io/ports.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { checkpointNumber, type ObjectId } from '../../model/ids.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { checkRecord, decodeRecord } from '../../timeline/record/checkpoint-json.ts';

/**
 * Returns the checkpoint. Its record contains neither the commit nor the snapshot, so the caller passes both.
 * @param platform the platform whose rules paths must follow
 * @throws FormatProblem if the record is invalid
 */
export function checkCheckpointRecord(
  data: Buffer,
  commit: ObjectId,
  snapshot: Snapshot,
  platform: Ports['platform'],
): Checkpoint {
  checkRecord(data, platform);
  const checkpoint = decodeRecord(data, commit, snapshot);
  if (checkpoint.previous !== null && checkpointNumber(checkpoint.previous) >= checkpoint.number) {
    throw new FormatProblem('previous is not before it');
  }
  return checkpoint;
}
