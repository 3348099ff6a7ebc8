/** `checkpoint.json` of somebody else's bundle, before it is read as a checkpoint's story. */

import type { Ports } from '../../io/ports.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { checkpointNumber, type ObjectId } from '../../model/ids.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { checkRecord, decodeRecord } from '../../timeline/record/checkpoint-json.ts';

/**
 * @param platform whose rules paths have to follow
 * @throws FormatProblem
 */
export function checkCheckpointRecord(
  data: Buffer,
  commit: ObjectId,
  snapshot: Snapshot,
  platform: Ports['platform'],
): Checkpoint {
  checkRecord(data, platform);
  const story = decodeRecord(data, commit, snapshot);
  if (story.previous !== null && checkpointNumber(story.previous) >= story.number) {
    throw new FormatProblem('previous is not before it');
  }
  return story;
}
