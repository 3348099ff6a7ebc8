/**
 * Derives the checkpoint record that leaves the machine, without messages and without the contents of private files.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { describeCall } from '../../timeline/capture/describe.ts';
import { redactRecord } from '../../timeline/record/checkpoint-json.ts';

/**
 * @param messages whether to include messages
 * @param isPrivate returns whether a change reveals contents of a private file
 */
export function deriveRecord(
  checkpoint: Checkpoint,
  messages: boolean,
  isPrivate: (change: RecordedChange) => boolean,
): Checkpoint {
  const redaction = { local: true, texts: messages ? null : ('all' as const), contents: false };
  const record = redactRecord(checkpoint, redaction, isPrivate);
  return messages ? record : { ...record, description: withoutMessages(record) };
}

/** Replaces descriptions that quote a prompt or the arguments of a call. */
function withoutMessages({ trigger, tool, changes, totals, description }: Checkpoint): string {
  if (trigger === 'prompt') return 'Prompt';
  if (trigger === 'message') return 'Message';
  if (trigger === 'call' && tool !== null) {
    return changes === null ? `${tool.name} (${totals.files} files)` : describeCall(tool, changes);
  }
  return description;
}
