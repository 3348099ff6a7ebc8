/**
 * Derives the checkpoint record that leaves the machine, without messages and without the contents of private files.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { describeCall, summarize } from '../../timeline/capture/describe.ts';
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

/** As `describe` writes it. */
const FIRST = /^first checkpoint: \d+ files?, [\d.]+ \w+$/;

/**
 * Replaces descriptions that a caller may have written, or that quote one, a prompt or the arguments of a call. The
 * result depends only on the other fields, so deriving it again changes nothing.
 */
function withoutMessages(record: Checkpoint): string {
  const { trigger, tool, changes, totals, description, undoes, previous } = record;
  if (trigger === 'prompt') return 'Prompt';
  if (trigger === 'message') return 'Message';
  if (trigger === 'call' && tool !== null) {
    return changes === null ? `${tool.name} (${totals.files} files)` : describeCall(tool, changes);
  }
  const summary = changes === null ? `${totals.files} files` : changes.length === 0 ? '' : summarize(changes);
  if (trigger === 'edit') return `Edited ${summary}`.trimEnd();
  if (trigger === 'undo' || trigger === 'redo')
    return `${trigger === 'undo' ? 'Undid' : 'Redid'} ${undoes ?? ''}`.trimEnd();
  if (trigger !== 'manual' || FIRST.test(description)) return description;
  if (previous === null) return 'first checkpoint';
  return summary === '' ? 'no changes' : summary;
}
