/**
 * What a file tool reports to write, from its arguments and its result. It is evidence of who made a change, so whatever
 * is not understood completely is left out.
 */

import type { GivenWrite } from '@savepoint/core';
import { type Fields, field, fieldsOf, textIn } from './fields.ts';
import { isBlank, isPatchEnd, type PatchHeader, patchHeader } from './patch-header.ts';

/** What a tool writes to one path, as the agent reports it. */
export interface WrittenText extends Omit<GivenWrite, 'path'> {
  readonly path: string;
}

type TextReplacement = Exclude<GivenWrite['result'], string | null>[number];

const WHOLE_TEXT = ['content', 'file_text', 'contents'] as const;
const OLD = ['old_string', 'old_str', 'oldString', 'old_text'] as const;
const NEW = ['new_string', 'new_str', 'newString', 'new_text'] as const;

/** `originalFileContents`: of MultiEdit in early versions of Claude Code. */
const ORIGINAL = ['originalFile', 'originalFileContents', 'original_file'] as const;

const ALL = ['replace_all', 'replaceAll', 'allow_multiple'] as const;

/** @returns null if the report is not understood */
export function writtenText(path: string, input: Fields, response: Fields): WrittenText | null {
  const written = textWritten(path, input, response);
  // Claude Code and Gemini CLI.
  const isChanged = field(response, 'userModified') === true || field(input, 'modified_by_user') === true;
  return written !== null && isChanged ? { ...written, changedByUser: true } : written;
}

/**
 * A patch in the format of Codex: `*** Update File: …`, `@@`, and lines that begin with a space, `-` or `+`.
 * @returns null if a line has another meaning, or if it moves a file
 */
export function writtenByPatch(patch: string): readonly WrittenText[] | null {
  const sections: { readonly header: PatchHeader; readonly lines: string[] }[] = [];
  let hasEnded = false;
  for (const line of patch.replaceAll('\r\n', '\n').split('\n')) {
    const header = patchHeader(line);
    if (header?.kind === 'Move' || (header !== null && hasEnded)) return null;
    // It may be a line of context.
    if (header !== null && line.startsWith(' ') && sections.at(-1)?.header.kind === 'Update') return null;
    if (header !== null) sections.push({ header, lines: [] });
    else if (isPatchEnd(line)) hasEnded = true;
    else if (!hasEnded) sections.at(-1)?.lines.push(line);
  }
  const files: WrittenText[] = [];
  for (const { header, lines } of sections) {
    const result = resultOfSection(header, lines.at(-1) === '' ? lines.slice(0, -1) : lines);
    if (result === undefined) return null;
    files.push({ path: header.path, result });
  }
  return new Set(files.map(({ path }) => path)).size === files.length && files.length > 0 ? files : null;
}

/** Whether the result of a tool says that it failed, or that what it was to write waits for a review. */
export function hasFailed(response: Fields): boolean {
  const status = textIn(response, 'resultType');
  return (
    field(response, 'success') === false ||
    (field(response, 'error') != null && field(response, 'error') !== '') ||
    field(response, 'staged') === true ||
    (status !== null && status !== 'success')
  );
}

/** @returns undefined if the lines are not understood */
function resultOfSection({ kind }: PatchHeader, lines: readonly string[]): WrittenText['result'] | undefined {
  if (kind === 'Update') return hunksOf(lines) ?? undefined;
  if (kind === 'Delete') return lines.every(isBlank) ? null : undefined;
  return lines.every((line) => line.startsWith('+') || line === '') ? textOf(lines, '+') : undefined;
}

function textWritten(path: string, input: Fields, response: Fields): WrittenText | null {
  const shown = fieldsOf(field(response, 'returnDisplay'));
  const whole = anyText(shown, 'newContent');
  if (whole !== null) {
    const found = field(shown, 'isNewFile') === true ? null : anyText(shown, 'originalContent');
    return { path, result: whole, ...(found === null && field(shown, 'isNewFile') !== true ? {} : { found }) };
  }
  const updated = anyText(response, 'updated_file');
  if (updated !== null) return { path, result: updated, ...foundIn(response, false) };
  // The user may have changed what the tool was to write.
  const isResult = textIn(response, 'filePath') !== null;
  const result = (isResult ? resultIn(response) : null) ?? resultIn(input);
  if (result === null) return null;
  const isNew = textIn(response, 'type') === 'create' || (Array.isArray(result) && result[0]?.old === '');
  return { path, result, ...foundIn(response, isNew) };
}

/** @param isNew whether the tool created the file. Otherwise null means that the original is too large to report. */
function foundIn(response: Fields, isNew: boolean): Pick<WrittenText, 'found'> {
  const original = ORIGINAL.map((key) => field(response, key)).find((value) => value !== undefined);
  return typeof original === 'string' || (original === null && isNew) ? { found: original } : {};
}

function resultIn(input: Fields): WrittenText['result'] {
  const whole = anyText(input, ...WHOLE_TEXT);
  if (whole !== null) return whole;
  const edits = field(input, 'edits');
  const each = Array.isArray(edits) ? edits.map(fieldsOf) : [input];
  const found = each.map(replacementIn);
  if (found.length > 0 && found.every((one) => one !== null)) return found;
  const diff = textIn(input, 'diff');
  const blocks = diff === null ? null : replacedBlocks(diff);
  if (blocks !== null) return blocks;
  // Some tools name the whole text of a new file like the new text of an edit.
  return textIn(input, 'command') === 'create' ? anyText(input, ...NEW) : null;
}

function replacementIn(edit: Fields): TextReplacement | null {
  const [old, replacement] = [anyText(edit, ...OLD), anyText(edit, ...NEW)];
  if (old === null || replacement === null) return null;
  return { old, new: replacement, all: ALL.some((key) => field(edit, key) === true) };
}

/** Cline's `------- SEARCH`, `=======`, `+++++++ REPLACE`, with the lines between them. */
function replacedBlocks(diff: string): readonly TextReplacement[] | null {
  const blocks: TextReplacement[] = [];
  let old: string | null = null;
  let replacement: string | null = null;
  for (const line of diff.replaceAll('\r\n', '\n').split('\n')) {
    if (/^(?:-{3,}|<{3,}) SEARCH>?$/.test(line)) [old, replacement] = ['', null];
    else if (old !== null && replacement === null && /^={3,}$/.test(line)) replacement = '';
    else if (old !== null && replacement !== null && /^(?:\+{3,}|>{3,}) REPLACE>?$/.test(line)) {
      blocks.push({ old, new: replacement, all: false });
      [old, replacement] = [null, null];
    } else if (replacement !== null) replacement += `${line}\n`;
    else if (old !== null) old += `${line}\n`;
  }
  return blocks.length > 0 && old === null ? blocks : null;
}

/** Each hunk replaces its old lines, which include the context. */
function hunksOf(lines: readonly string[]): readonly TextReplacement[] | null {
  const hunks: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('@@')) hunks.push([]);
    else if (line.startsWith('*** End of File')) continue;
    else if (hunks.length === 0) hunks.push([line]);
    else hunks.at(-1)?.push(line);
  }
  const filled = hunks.filter((hunk) => hunk.length > 0);
  const isReadable = filled.every((hunk) => hunk.every((line) => line === '' || /^[ +-]/.test(line)));
  if (!isReadable || filled.length === 0) return null;
  return filled.map((hunk) => ({ old: textOf(hunk, '-'), new: textOf(hunk, '+'), all: false }));
}

/** The lines of one side of a hunk. An empty line is an empty line of context. */
function textOf(hunk: readonly string[], side: '+' | '-'): string {
  return hunk
    .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(side))
    .map((line) => `${line.slice(1)}\n`)
    .join('');
}

/** Unlike `textIn`, also returns an empty text. */
function anyText(fields: Fields, ...keys: readonly string[]): string | null {
  const found = keys.map((key) => field(fields, key)).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : null;
}
