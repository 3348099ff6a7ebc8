/**
 * Derives the checkpoint record that leaves the machine, without messages and without the contents of private files.
 */

import type { Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { describeWithoutMessages, describeWithoutTexts } from '../../timeline/capture/describe.ts';
import { redactRecord } from '../../timeline/record/checkpoint-json.ts';

/** Which texts by users and agents leave the machine. */
export interface TextOptions {
  /** Includes the messages of users and agents, the arguments of tool calls, and descriptions. */
  readonly messages: boolean;
  /**
   * Includes descriptions, but neither prompts nor arguments. Early versions always did. A bundle that git is to add to
   * one of theirs needs it, because the ids of the commits depend on it.
   */
  readonly descriptions: boolean;
}

/** @param isPrivate returns whether a change reveals contents of a private file */
export function deriveRecord(
  checkpoint: Checkpoint,
  { messages, descriptions }: TextOptions,
  isPrivate: (change: RecordedChange) => boolean,
): Checkpoint {
  const redaction = { local: true, texts: messages ? null : ('all' as const), contents: false };
  const record = redactRecord(checkpoint, redaction, isPrivate);
  if (messages) return record;
  return { ...record, description: descriptions ? describeWithoutMessages(record) : describeWithoutTexts(record) };
}
