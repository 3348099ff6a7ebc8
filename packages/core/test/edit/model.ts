/** A slow but simple model of edits on ordinary strings, for comparison in tests. */

import type { Edit } from '../../src/edit/edits.ts';
import type { EditFailureCode } from '../../src/edit/failures.ts';

export interface ModelFile {
  /** The content with its byte-order mark; null if there is no file. */
  readonly text: string | null;
  readonly mode: number | null;
  readonly path: string;
}

export type ModelStep =
  | { readonly file: ModelFile; readonly replacements: number | null }
  | { readonly code: EditFailureCode };

const MARK = '\ufeff';

export function modelStep(file: ModelFile, edit: Exclude<Edit, { op: 'patch' }>): ModelStep {
  const there = file.text !== null;
  if (edit.op === 'create' ? there : !there && edit.op !== 'write')
    return { code: there ? 'ALREADY_THERE' : 'NOT_THERE' };
  const whole = file.text ?? '';
  const sought = edit.op === 'replace' && edit.old.startsWith(MARK);
  const mark = whole.startsWith(MARK) && !sought ? MARK : '';
  const body = whole.slice(mark.length);
  const to = (text: string, replacements: number | null = null): ModelStep => ({
    file: { ...file, text },
    replacements,
  });
  switch (edit.op) {
    case 'create':
      return isBad(edit.content)
        ? { code: 'BAD_STRING' }
        : { file: { ...file, text: edit.content, mode: edit.mode }, replacements: null };
    case 'delete':
      return { file: { ...file, text: null, mode: null }, replacements: null };
    case 'rename':
      return edit.to === file.path
        ? { code: 'ALREADY_THERE' }
        : { file: { ...file, path: edit.to }, replacements: null };
    case 'mode':
      return { file: { ...file, mode: edit.mode }, replacements: null };
    case 'write': {
      if (isBad(edit.content)) return { code: 'BAD_STRING' };
      if (edit.exact || !there) return to(edit.content);
      const ends = body.match(/\r?\n/g) ?? [];
      const crlf = ends.length > 0 && ends.every((end) => end === '\r\n') && !edit.content.includes('\r');
      const content = crlf ? edit.content.split('\n').join('\r\n') : edit.content;
      return to(content.startsWith(MARK) ? content : mark + content);
    }
    case 'insert': {
      if (isBad(edit.text)) return { code: 'BAD_STRING' };
      if (edit.text === '') return { code: 'SAME_TEXT' };
      const lines = linesOf(body);
      if (edit.line > countedLines(body).length) return { code: 'BAD_LINE' };
      const ending = endOf(lines, Math.max(0, edit.line - 1));
      const text = edit.text.includes('\r') ? edit.text : edit.text.split('\n').join(ending);
      if (body === '') return to(mark + text);
      const complete = text.endsWith('\n') ? text : text + ending;
      const all = [...lines.slice(0, edit.line), complete, ...lines.slice(edit.line)];
      const before = lines[edit.line - 1];
      if (before !== undefined && !before.endsWith('\n')) {
        // The file still has no final line end: it moves before the new text.
        all[edit.line - 1] = before + ending;
        all[edit.line] = text.replace(/\r?\n$/, '');
      }
      return to(mark + all.join(''));
    }
    case 'replace': {
      const { old, replaceAll } = edit;
      if (isBad(old) || isBad(edit.new)) return { code: 'BAD_STRING' };
      if (old === '') return { code: 'EMPTY_SEARCH' };
      if (old === edit.new) return { code: 'SAME_TEXT' };
      // If the search text contains CR, CR and LF are separate units. Otherwise a whole line end is one unit.
      const units = (old.includes('\r') ? body.match(/[\s\S]/g) : body.match(/\r\n|[\s\S]/g)) ?? [];
      const fits = (at: number) =>
        at + old.length <= units.length &&
        [...Array(old.length).keys()].every((i) => units[at + i]?.replace('\r\n', '\n') === old[i]);
      const all = units.map((_, at) => at).filter(fits);
      if (all.length === 0) return { code: 'NO_MATCH' };
      if (all.length > 1 && !replaceAll) return { code: 'SEVERAL_MATCHES' };
      const literal = old.includes('\r') || edit.new.includes('\r');
      const lines = linesOf(body);
      let text = '';
      let replacements = 0;
      for (let at = 0; at < units.length; ) {
        if (!fits(at)) {
          text += units[at++];
          continue;
        }
        const start = units.slice(0, at).join('').length;
        const ending = endOf(lines, lineOf(lines, start));
        text += literal ? edit.new : putIn(units.slice(at, at + old.length), old, edit.new, ending);
        replacements++;
        at += old.length;
      }
      return to(mark + text, replacements);
    }
  }
}

/** Replaces the text, but keeps the file's version of the common start and end. */
function putIn(there: readonly string[], old: string, now: string, ending: string): string {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const middle = now
    .slice(start, now.length - end)
    .split('\n')
    .join(ending);
  return there.slice(0, start).join('') + middle + there.slice(there.length - end).join('');
}

function isBad(text: string): boolean {
  return text.includes('\0') || Buffer.from(text).toString() !== text;
}

export function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

/** Lines as they are counted: an empty text has none. */
export function countedLines(text: string): string[] {
  return linesOf(text).filter((line) => line !== '');
}

function lineOf(lines: readonly string[], at: number): number {
  return lines.findIndex((_, i) => lines.slice(0, i + 1).join('').length > at);
}

function endOf(lines: readonly string[], index: number): string {
  const own = (lines[index] ?? '').endsWith('\n') ? lines[index] : lines[index - 1];
  return own?.endsWith('\r\n') ? '\r\n' : '\n';
}

/** Lines added and removed by a shortest difference, and the range of lines that differ. */
export function modelChange(before: string, after: string) {
  const [a, b] = [countedLines(before), countedLines(after)];
  const longest = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const [row, next] = [longest[i] as number[], longest[i + 1] as number[]];
      row[j] = a[i] === b[j] ? 1 + (next[j + 1] as number) : Math.max(next[j] as number, row[j + 1] as number);
    }
  }
  const kept = longest[0]?.[0] ?? 0;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return {
    added: b.length - kept,
    removed: a.length - kept,
    lines: b.length - end > start ? { first: start + 1, last: b.length - end } : null,
  };
}
