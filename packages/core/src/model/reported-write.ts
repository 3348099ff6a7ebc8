/** What a file tool of an agent reports to write. Texts are as agents report them: decoded from UTF-8. */

import type { JsonName, TreePath } from './names.ts';

/** Replaces `old` by `new`: its only occurrence, or every one. If `old` is empty, the file must be empty or missing. */
export interface TextReplacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** What a tool writes to one path. */
export interface ReportedWrite {
  readonly path: TreePath;
  /** The text that the tool found there; null: no file. Absent: it does not report it. */
  readonly found?: string | null;
  /** The whole new text, the replacements in their order, or null for a deleted file. */
  readonly result: string | readonly TextReplacement[] | null;
  /** The user changed what the tool was to write before it did, so some of the lines are theirs. */
  readonly changedByUser?: boolean;
}

/** What a tool writes to one path, as callers of the library give it. */
export interface GivenWrite extends Omit<ReportedWrite, 'path'> {
  readonly path: JsonName;
}

/** The text after replacing; null if a replacement does not match, or matches in several places. */
export function replaceText(text: string, replacements: readonly TextReplacement[]): string | null {
  let result = text;
  for (const { old, new: replacement, all } of replacements) {
    if (old === '') {
      if (result !== '') return null;
      result = replacement;
      continue;
    }
    const parts = result.split(old);
    if (parts.length < 2 || (parts.length > 2 && !all)) return null;
    result = parts.join(replacement);
  }
  return result;
}

/** The text before replacing, if it follows from the result; null otherwise. */
export function textBeforeReplacing(result: string, replacements: readonly TextReplacement[]): string | null {
  if (replacements.some(({ all, old, new: replacement }) => all || old === '' || replacement === '')) return null;
  // A text that is still to be replaced: nothing was replaced yet, or somebody undid it.
  if (replacements.some(({ old, new: replacement }) => !replacement.includes(old) && result.includes(old))) return null;
  const inverse = [...replacements].reverse().map((one) => ({ old: one.new, new: one.old, all: false }));
  const before = replaceText(result, inverse);
  return before !== null && replaceText(before, replacements) === result ? before : null;
}
