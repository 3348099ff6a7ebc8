/**
 * Search that ignores spaces and tabs at both ends of each line. It compares whole lines. So the search text must
 * consist of whole lines, at least one of them not blank. It is tried only if there is no exact match.
 *
 * The replacement is indented like the file: if the search text's indentation maps to a different one in the file, the
 * new text is mapped the same way. Lines that both texts share at their start and end stay as they are in the file.
 */

import { lineCount } from '../content/changed-span.ts';
import type { EditBound } from './edits.ts';
import { editRefusal } from './failures.ts';
import { findSequenceOccurrences } from './find.ts';
import { Indentation } from './indentation.ts';
import { CRLF_KEPT, type Replacement, type ReplacementList, type Search } from './new-body.ts';
import { endingFinder } from './text-file.ts';

const NO_MATCH: ReplacementList = { replacements: [], notes: [] };

/** @throws EditRefusedError TOO_LARGE */
export function findTolerant(body: string, { old, now, replaceAll, limit }: Search, bound: EditBound): ReplacementList {
  if (lineCount(body) > bound.maxLines || lineCount(old) > bound.maxLines) {
    throw editRefusal(
      'TOO_LARGE',
      `The file has more than ${bound.maxLines} lines, too many for tolerant search. Use the exact text.`,
      { limit: bound.maxLines, unit: 'lines' },
    );
  }
  const wanted = linesOf(old);
  if (wanted.every(({ core }) => core === '')) return NO_MATCH;
  const lines = linesOf(body);
  const numbers = new Map<string, number>();
  const numbersOf = (some: readonly TextLine[]) =>
    Int32Array.from(some, ({ core }) => {
      const number = numbers.get(core) ?? numbers.size;
      numbers.set(core, number);
      return number;
    });
  // If the search text ends with a line ending, it does not match a last line without one.
  const ends = body.endsWith('\n') || !old.endsWith('\n') ? lines.length : lines.length - 1;
  const searched = numbersOf(lines.slice(0, ends));
  const found = findSequenceOccurrences(searched, numbersOf(wanted), !replaceAll, limit);
  const endingOf = endingFinder(body);
  const change = lineChangeOf(old, now);
  // Ambiguous matches are only reported, and may overlap. Otherwise each line is in at most one match.
  const isAmbiguous = found.length > 1 && !replaceAll;
  if (!isAmbiguous && found.length * change.added.length > bound.maxLines) {
    throw editRefusal('TOO_LARGE', `The edit would insert more than ${bound.maxLines} lines. Split it.`, {
      limit: bound.maxLines,
      unit: 'lines',
    });
  }
  let kept = false;
  const places = found.map((index): Replacement => {
    const { at } = lines[index]!;
    if (isAmbiguous) return { from: at, to: at, replacement: '' };
    const ending = endingOf(at);
    kept ||= !change.literal && now.includes('\n') && ending === '\r\n';
    return replacementFor(lines.slice(index, index + wanted.length), wanted, change, ending);
  });
  const notes = found.length === 0 ? [] : ['Matched by lines, ignoring spaces and tabs around them.'];
  return { replacements: places, notes: kept ? [...notes, CRLF_KEPT] : notes };
}

/** The difference between the old and new text: the lines between their common start and end. */
interface LineChange {
  /** The numbers of lines shared at the start and at the end. */
  readonly start: number;
  readonly end: number;
  readonly added: readonly string[];
  /** Whether the old text ends in the middle of a line. */
  readonly endsMidLine: boolean;
  /** Whether the new text contains a CR. If so, its line endings are taken literally. */
  readonly literal: boolean;
}

function lineChangeOf(old: string, now: string): LineChange {
  const oldLines = linesWithEndings(old);
  const newLines = linesWithEndings(now);
  const shorter = Math.min(oldLines.length, newLines.length);
  let start = 0;
  while (start < shorter && oldLines[start] === newLines[start]) start++;
  let end = 0;
  while (end < shorter - start && oldLines.at(-1 - end) === newLines.at(-1 - end)) end++;
  const added = newLines.slice(start, newLines.length - end);
  return { start, end, added, endsMidLine: !old.endsWith('\n'), literal: now.includes('\r') };
}

interface TextLine {
  readonly at: number;
  readonly indent: string;
  /** Without spaces and tabs at its ends. */
  readonly core: string;
  /** The offsets of the line ending and of the next line. */
  readonly end: number;
  readonly next: number;
}

function linesOf(text: string): TextLine[] {
  const lines: TextLine[] = [];
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at);
    const next = feed < 0 ? text.length : feed + 1;
    const end = feed < 0 ? next : feed > at && text[feed - 1] === '\r' ? feed - 1 : feed;
    let first = at;
    while (first < end && isBlank(text.charCodeAt(first))) first++;
    let last = end;
    while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
    lines.push({ at, indent: text.slice(at, first), core: text.slice(first, last), end, next });
    at = next;
  }
  return lines;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function replacementFor(
  matched: readonly TextLine[],
  wanted: readonly TextLine[],
  { start, end, added, endsMidLine, literal }: LineChange,
  ending: string,
): Replacement {
  // The replaced lines show best how their replacements are indented.
  const pairs = wanted.map((line, i) => ({ line, given: line.indent, file: matched[i]!.indent }));
  const orderedPairs = [
    ...pairs.slice(start, pairs.length - end),
    ...pairs.slice(0, start),
    ...pairs.slice(pairs.length - end),
  ];
  const indentation = new Indentation(orderedPairs.filter(({ line }) => line.core !== ''));
  const shown = added.map((line) => {
    const text = line.endsWith('\n') ? line.slice(0, -1) : line;
    const indent = /^[ \t]*/.exec(text)?.[0] ?? '';
    const indented = indent.length === text.length ? text : indentation.inFile(indent) + text.slice(indent.length);
    return line.endsWith('\n') ? indented + (literal ? '\n' : ending) : indented;
  });
  const from = start < matched.length ? matched[start]!.at : matched.at(-1)!.next;
  const last = matched[matched.length - 1 - end];
  if (last === undefined || last.at < from) return { from, to: from, replacement: shown.join('') };
  return { from, to: end === 0 && endsMidLine ? last.end : last.next, replacement: shown.join('') };
}

function linesWithEndings(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
