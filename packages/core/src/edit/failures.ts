/** The closed list of what can be wrong with one edit. The codes never change meaning. */

export interface FailureData {
  /** The search text stands nowhere in the file. */
  readonly NO_MATCH: {
    /** The places that are most like it, the best one first; at most three. */
    readonly candidates: readonly MatchCandidate[];
  };
  /** The search text stands in several places and one was asked for. */
  readonly SEVERAL_MATCHES: {
    readonly count: number;
    /** True where counting stopped at `count`. */
    readonly more: boolean;
    /** The lines where the first of them begin, counted from 1. */
    readonly lines: readonly number[];
  };
  /** The search text is empty. */
  readonly EMPTY_SEARCH: Record<string, never>;
  /** The edit asks for what is there already: old and new are equal, or there is nothing to insert. */
  readonly SAME_TEXT: Record<string, never>;
  /** The file is not text; `offset` is the first byte that says so, where it is known. */
  readonly NOT_TEXT: { readonly why: 'nul' | 'not-utf8'; readonly offset: number | null };
  /** There is no such file. */
  readonly NOT_THERE: Record<string, never>;
  /** The file exists and must not. */
  readonly ALREADY_THERE: Record<string, never>;
  /** The file has no such line. */
  readonly BAD_LINE: { readonly line: number; readonly lines: number };
  /** The patch is not a unified patch of one text file; `line` is a line of the patch, counted from 1. */
  readonly BAD_PATCH: { readonly line: number };
  /** The patch does not fit the file. */
  readonly PATCH_MISMATCH: {
    /** Counted from 1; 0 for what concerns no single hunk. */
    readonly hunk: number;
    /** The line of the file, counted from 1. */
    readonly line: number;
    /** Shown safely and bounded; null where the patch or the file ends. */
    readonly expected: string | null;
    readonly found: string | null;
    /** Where else the hunk would fit, if in several places: first lines, the first few. */
    readonly places: readonly number[];
  };
  /** A text of the edit cannot stand in a text file; `offset` in UTF-16 units. */
  readonly BAD_STRING: {
    readonly field: string;
    readonly why: 'surrogate' | 'nul';
    readonly offset: number;
  };
  /** The mode is no number of permission bits, 0..0o7777. */
  readonly BAD_MODE: { readonly mode: number };
  /** The content, before or after the edit, or the work for it, is over the bound. */
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

/** A place of the file that is like the search text. Texts are safe to print and bounded. */
export interface MatchCandidate {
  /** Lines of the file, counted from 1. */
  readonly first: number;
  readonly last: number;
  /** The first lines that differ, at most three. */
  readonly differences: readonly CandidateDifference[];
}

export interface CandidateDifference {
  /** The line of the file. */
  readonly line: number;
  /** The line of the search text; `found` is the file's, null where it ends. */
  readonly expected: string;
  readonly found: string | null;
  /** `unicode`: the same signs, encoded in another way. */
  readonly why: 'whitespace' | 'case' | 'unicode' | 'text';
}

/** Leaves an edit that cannot be done; never leaves the room. */
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
