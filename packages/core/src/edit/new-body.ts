/** The result of a text edit, as passed within this layer. */

/** A new body, and the lengths of its start and end that are known to equal the old body. */
export interface NewBody {
  readonly body: string;
  readonly sameStart: number;
  readonly sameEnd: number;
  readonly replacements: number | null;
  readonly notes: readonly string[];
}

/** Replaces the body from `from` up to, but not including, `to`. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly replacement: string;
}

/** The search text and its replacement. */
export interface Search {
  readonly old: string;
  readonly now: string;
  /** Replace all occurrences. Otherwise exactly one is expected. */
  readonly replaceAll: boolean;
  /** The maximum number of occurrences to find. */
  readonly limit: number;
}

export const CRLF_KEPT = 'CRLF line endings kept.';

/** Replacements in ascending order, with notes for the caller. */
export interface ReplacementList {
  readonly replacements: readonly Replacement[];
  readonly notes: readonly string[];
}
