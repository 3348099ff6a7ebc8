/** A checkpoint's story as it leaves the machine: without what was said, and without what private files held. */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { describeCall } from '../../timeline/capture/describe.ts';
import { redactRecord } from '../../timeline/record/checkpoint-json.ts';

/**
 * @param messages what was said goes along
 * @param isPrivate of a change: whether it tells what a private file held
 */
export function deriveRecord(
  checkpoint: Checkpoint,
  messages: boolean,
  isPrivate: (change: RecordedChange) => boolean,
): Checkpoint {
  const cut = { local: true, said: messages ? null : ('all' as const), contents: false };
  const story = redactRecord(checkpoint, cut, isPrivate);
  return messages ? story : { ...story, description: withoutMessages(story) };
}

/** Descriptions that were made of a prompt or of a call's arguments. */
function withoutMessages({ trigger, tool, changes, totals, description }: Checkpoint): string {
  if (trigger === 'prompt') return 'Prompt';
  if (trigger === 'message') return 'Message';
  if (trigger === 'call' && tool !== null) {
    return changes === null ? `${tool.name} (${totals.files} files)` : describeCall(tool, changes);
  }
  return description;
}
