/** What a row of an agent's transcript says, independent of the agent. Transcripts are untrusted. */

import type { Fields } from '../fields.ts';

export type Role = 'user' | 'assistant' | 'tool';

/** A message as the model gets it. An agent may write it in several rows, one for each of its parts. */
export interface MessageRow {
  readonly kind: 'message';
  /** Rows with the same id, one after the other, are one message. */
  readonly id: string;
  readonly role: Role;
  /** Null if it has no text: a call of a tool, or its result. */
  readonly text: string | null;
}

export type TranscriptRow =
  | MessageRow
  /**
   * The id of this row, for an agent that keeps abandoned branches. It comes before its message. `after`: the row that it
   * continues; null: the one before it in the file.
   */
  | { readonly kind: 'node'; readonly id: string; readonly after: string | null }
  /** The conversation now consists of these messages. */
  | { readonly kind: 'replaced'; readonly messages: readonly MessageRow[] }
  /** The user went back: this message and all after it are gone. */
  | { readonly kind: 'cut'; readonly from: string }
  | {
      readonly kind: 'about';
      readonly model?: string | null;
      /** What the model has read for its last answer, in tokens. */
      readonly contextSize?: number | null;
      /** The agent's version. */
      readonly version?: string | null;
    };

/** One object in each line, as JSON. Returns nothing for rows that say nothing. */
export type RowFormat = (row: Fields) => readonly TranscriptRow[];

/** The format of one agent's transcripts: rows, or one JSON document that the agent writes again and again. */
export type TranscriptFormat = RowFormat | { readonly document: RowFormat };
