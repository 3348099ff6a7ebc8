/** The closed list of failures of one edit. The meaning of a code never changes. */

export interface FailureData {
  /** The search text is not in the file. */
  readonly NO_MATCH: {
    /** The most similar places, the best one first; at most three. */
    readonly candidates: readonly MatchCandidate[];
  };
  /** The search text occurs more than once, but must be unique. */
  readonly SEVERAL_MATCHES: {
    readonly count: number;
    /** True if counting stopped at `count`. */
    readonly more: boolean;
    /** The first lines of the first occurrences, counted from 1. */
    readonly lines: readonly number[];
  };
  /** The search text is empty. */
  readonly EMPTY_SEARCH: Record<string, never>;
  /** The edit changes nothing: the old and new text are equal, or the text to insert is empty. */
  readonly SAME_TEXT: Record<string, never>;
  /** The file is not text. `offset` is the first offending byte, if known. */
  readonly NOT_TEXT: { readonly why: 'nul' | 'not-utf8'; readonly offset: number | null };
  /** The file does not exist. */
  readonly NOT_THERE: Record<string, never>;
  /** The file already exists. */
  readonly ALREADY_THERE: Record<string, never>;
  /** The file does not have this line. */
  readonly BAD_LINE: { readonly line: number; readonly lines: number };
  /** The patch is not a unified patch of one text file. `line` is a line of the patch, counted from 1. */
  readonly BAD_PATCH: { readonly line: number };
  /** The patch does not match the file. */
  readonly PATCH_MISMATCH: {
    /** Counted from 1; 0 if the failure is not about a single hunk. */
    readonly hunk: number;
    /** The line of the file, counted from 1. */
    readonly line: number;
    /** Escaped and truncated for display. Null if the patch or the file ends there. */
    readonly expected: string | null;
    readonly found: string | null;
    /** If the hunk matches in several places: the first few, each by its first line. */
    readonly places: readonly number[];
  };
  /** The edit contains a text that a text file cannot contain. `offset` is in UTF-16 units. */
  readonly BAD_STRING: {
    readonly field: string;
    readonly why: 'surrogate' | 'nul';
    readonly offset: number;
  };
  /** The mode is not a number of permission bits, 0..0o7777. */
  readonly BAD_MODE: { readonly mode: number };
  /** The content before or after the edit, or the work for it, exceeds the limit. */
  readonly TOO_LARGE: { readonly limit: number; readonly unit: 'bytes' | 'lines' | 'replacements' };
}

export type EditFailureCode = keyof FailureData;

export type EditFailure = {
  readonly [Code in EditFailureCode]: {
    readonly code: Code;
    readonly message: string;
    readonly data: FailureData[Code];
  };
}[EditFailureCode];

/** A place in the file that is similar to the search text. Texts are escaped and truncated for display. */
export interface MatchCandidate {
  /** Lines of the file, counted from 1. */
  readonly first: number;
  readonly last: number;
  /** The first differing lines, at most three. */
  readonly differences: readonly CandidateDifference[];
}

export interface CandidateDifference {
  /** The line of the file. */
  readonly line: number;
  /** The line of the search text. `found` is the line of the file, or null after its end. */
  readonly expected: string;
  readonly found: string | null;
  /** `unicode`: the same characters in a different Unicode normalisation. */
  readonly why: 'whitespace' | 'case' | 'unicode' | 'text';
}

/** Thrown for an edit that cannot be applied. Callers of this layer never see it. */
export class EditRefusedError extends Error {
  constructor(readonly failure: EditFailure) {
    super(failure.message);
  }
}

export function editRefusal<Code extends EditFailureCode>(
  code: Code,
  message: string,
  data: FailureData[Code],
): EditRefusedError {
  return new EditRefusedError({ code, message, data } as EditFailure);
}
