/** What a caller may ask of one file, and the answer. Data only; apply-edits.ts does it. */

import type { LineRange } from '../content/changed-span.ts';
import type { TreePath } from '../model/names.ts';
import type { EditFailure } from './failures.ts';

/** One edit of one file. Texts are ordinary strings; lines are counted from 1 and end with a line feed. */
export type Edit =
  | Replace
  | Insert
  | Write
  | ApplyPatch
  /** The file must not exist. `mode` are permission bits; null leaves them to the caller of the room. */
  | { readonly op: 'create'; readonly content: string; readonly mode: number | null }
  | { readonly op: 'delete' }
  /** Whether something stands at `to` is for the caller to look at: an edit knows its own file only. */
  | { readonly op: 'rename'; readonly to: TreePath }
  | { readonly op: 'mode'; readonly mode: number };

/** Puts `new` where `old` stands. */
export interface Replace {
  readonly op: 'replace';
  readonly old: string;
  readonly new: string;
  /** False: `old` must stand in one place only; places that overlap count as several. */
  readonly replaceAll: boolean;
  /** Where `old` is not found as it is, spaces and tabs around whole lines may differ (tolerant.ts). */
  readonly tolerant: boolean;
}

/** Puts whole lines behind the first `line` lines; 0 is the top. A missing line end is added where lines follow. */
export interface Insert {
  readonly op: 'insert';
  readonly line: number;
  readonly text: string;
}

/** The whole content. `exact` keeps neither CRLF line ends nor a byte-order mark of what was there. */
export interface Write {
  readonly op: 'write';
  readonly content: string;
  readonly exact: boolean;
}

/** A unified patch of this one file. `fuzz`: how many lines of context at a hunk's ends may differ. */
export interface ApplyPatch {
  readonly op: 'patch';
  readonly patch: string;
  readonly fuzz: number;
}

export interface FileState {
  readonly path: TreePath;
  /** Null: there is no such file. */
  readonly content: Buffer | null;
  /** Permission bits; null where there is no file, or where they are left to the caller. */
  readonly mode: number | null;
}

export interface AppliedEdit {
  readonly index: number;
  readonly op: Edit['op'];
  readonly outcome: 'applied';
  /** Places where `replace` put something in; null for other edits. */
  readonly replacements: number | null;
  /**
   * From the first to the last line of the text after this edit that differ from the text before it; null where
   * lines were only removed, nothing changed, or the content is no text.
   */
  readonly lines: LineRange | null;
  /** As `countLines` of the content before and after this edit; null where either is no text. */
  readonly added: number | null;
  readonly removed: number | null;
  /** What a reader of the answer should know, in plain words. */
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

/** `index` counts the edits of the file from 0. */
export type EditStatus = AppliedEdit | FailedEdit | SkippedEdit;

export type FileEditResult =
  | { readonly ok: true; readonly after: FileState; readonly statuses: readonly AppliedEdit[] }
  | { readonly ok: false; readonly statuses: readonly EditStatus[] };

/** What an edit may cost. */
export interface EditBound {
  /** Length of a content before and after a text edit, in bytes. */
  readonly maxBytes: number;
  /** Places that one `replaceAll` may change. */
  readonly maxReplacements: number;
  /** Lines of a file where lines are compared: patches and tolerant search. */
  readonly maxLines: number;
}

export const EDIT_BOUND: EditBound = { maxBytes: 64 * 1024 * 1024, maxReplacements: 1_000_000, maxLines: 2_000_000 };
