/** What an edit of a text makes, as the edits of this room hand it on. */

/** A new body, and how much of the old one is known to stand at its start and its end. */
export interface NewBody {
  readonly body: string;
  readonly sameStart: number;
  readonly sameEnd: number;
  readonly replacements: number | null;
  readonly notes: readonly string[];
}

/** A piece of the body, from `from` to before `to`, and what comes in its place. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
}

/** What is searched for, and what comes in its place. */
export interface Search {
  readonly old: string;
  readonly now: string;
  /** Every place is meant; else there is to be one. */
  readonly replaceAll: boolean;
  /** At most so many places are found. */
  readonly limit: number;
}

export const CRLF_KEPT = 'CRLF line endings kept.';

/** Where something is put in, in ascending order, and what to say about it. */
export interface ReplacementList {
  readonly replacements: readonly Replacement[];
  readonly notes: readonly string[];
}
