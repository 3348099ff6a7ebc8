/** The edits that a caller can request for one file, and their results. Data only; apply-edits.ts applies them. */

import type { LineRange } from '../content/changed-span.ts';
import type { TreePath } from '../model/names.ts';
import type { EditFailure } from './failures.ts';

/** One edit of one file. Texts are ordinary strings. Lines are counted from 1 and end with a line feed. */
export type Edit =
  | Replace
  | Insert
  | Write
  | ApplyPatch
  /** The file must not exist. `mode` is the permission bits. If it is null, the caller of this layer chooses them. */
  | { readonly op: 'create'; readonly content: string; readonly mode: number | null }
  | { readonly op: 'delete' }
  /** The caller must check whether `to` already exists. An edit knows only its own file. */
  | { readonly op: 'rename'; readonly to: TreePath }
  | { readonly op: 'mode'; readonly mode: number };

/** Replaces `old` with `new`. */
export interface Replace {
  readonly op: 'replace';
  readonly old: string;
  readonly new: string;
  /** False: `old` must occur exactly once. Overlapping occurrences count separately. */
  readonly replaceAll: boolean;
  /** If there is no exact match, ignore differences in spaces and tabs around whole lines (tolerant.ts). */
  readonly tolerant: boolean;
}

/** Inserts whole lines after line `line`; 0 is the top. A missing line ending is added if other lines follow. */
export interface Insert {
  readonly op: 'insert';
  readonly line: number;
  readonly text: string;
}

/**
 * Replaces the whole content. Unless `exact` is set, CRLF line endings and the byte-order mark of the old file are
 * kept.
 */
export interface Write {
  readonly op: 'write';
  readonly content: string;
  readonly exact: boolean;
}

/** A unified patch of this file. `fuzz`: how many context lines at the ends of a hunk may differ. */
export interface ApplyPatch {
  readonly op: 'patch';
  readonly patch: string;
  readonly fuzz: number;
}

export interface FileState {
  readonly path: TreePath;
  /** Null: the file does not exist. */
  readonly content: Buffer | null;
  /** Permission bits. Null if there is no file, or if the caller chooses them. */
  readonly mode: number | null;
}

export interface AppliedEdit {
  readonly index: number;
  readonly op: Edit['op'];
  readonly outcome: 'applied';
  /** The number of replaced occurrences. Null for edits other than `replace`. */
  readonly replacements: number | null;
  /**
   * The range from the first to the last changed line, in the text after this edit. Null if lines were only removed, if
   * nothing changed, or if the content is not text.
   */
  readonly lines: LineRange | null;
  /** Same as `countLines` of the content before and after this edit. Null if either is not text. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Notes for the caller, in plain words. */
  readonly notes: readonly string[];
}

export interface FailedEdit {
  readonly index: number;
  readonly op: Edit['op'];
  readonly outcome: 'failed';
  readonly failure: EditFailure;
}

/** Not tried, because an earlier edit of the same file failed. */
export interface SkippedEdit {
  readonly index: number;
  readonly op: Edit['op'];
  readonly outcome: 'skipped';
}

/** `index` is the position of the edit in the list of the file, from 0. */
export type EditStatus = AppliedEdit | FailedEdit | SkippedEdit;

export type FileEditResult =
  | { readonly ok: true; readonly after: FileState; readonly statuses: readonly AppliedEdit[] }
  | { readonly ok: false; readonly statuses: readonly EditStatus[] };

/** Limits for one edit. */
export interface EditBound {
  /** Length of the content before and after a text edit, in bytes. */
  readonly maxBytes: number;
  /** Occurrences that one `replaceAll` may change. */
  readonly maxReplacements: number;
  /** Lines of a file if lines are compared: patches and tolerant search. */
  readonly maxLines: number;
}

export const EDIT_BOUND: EditBound = { maxBytes: 64 * 1024 * 1024, maxReplacements: 1_000_000, maxLines: 2_000_000 };
