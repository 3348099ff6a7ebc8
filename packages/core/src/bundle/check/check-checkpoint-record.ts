/** Validates the `checkpoint.json` of an untrusted bundle before it is decoded. */

import type { Ports } from '../../io/ports.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { checkpointNumber, type ObjectId } from '../../model/ids.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { checkRecord, decodeRecord } from '../../timeline/record/checkpoint-json.ts';

/**
 * @param platform the platform whose path rules apply
 * @throws FormatProblem
 */
export function checkCheckpointRecord(
  data: Buffer,
  commit: ObjectId,
  snapshot: Snapshot,
  platform: Ports['platform'],
): Checkpoint {
  checkRecord(data, platform);
  const record = decodeRecord(data, commit, snapshot);
  if (record.previous !== null && checkpointNumber(record.previous) >= record.number) {
    throw new FormatProblem('previous is not before it');
  }
  return record;
}
