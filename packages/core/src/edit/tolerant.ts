/**
 * Search that passes over spaces and tabs at both ends of each line. It compares whole lines, so the search text has to
 * be whole lines, and at least one of them has to hold something else. It is tried only where the text as it is stands
 * nowhere.
 *
 * What is put in is indented like the file: where the search text's indentation stands for another one in the file, so
 * it does in the new text. Lines that the search text and the new text share at their ends stay as they are in the file.
 */

import { lineCount } from '../content/changed-span.ts';
import type { EditBound } from './edits.ts';
import { editRefusal } from './failures.ts';
import { findSequenceOccurrences } from './find.ts';
import { Indentation } from './indentation.ts';
import { CRLF_KEPT, type Replacement, type ReplacementList, type Search } from './new-body.ts';
import { endingFinder } from './text-file.ts';

const NO_MATCH: ReplacementList = { replacements: [], notes: [] };

/** @throws EditRefused TOO_LARGE */
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
  // A search text that ends with a line end does not fit the end of a file that has none there.
  const ends = body.endsWith('\n') || !old.endsWith('\n') ? lines.length : lines.length - 1;
  const searched = numbersOf(lines.slice(0, ends));
  const found = findSequenceOccurrences(searched, numbersOf(wanted), !replaceAll, limit);
  const endingOf = endingFinder(body);
  const change = lineChangeOf(old, now);
  // Several places where one is wanted are only told, and may overlap; otherwise each line is in one place at most.
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

/** What the new text changes in the old one: lines between those that both share at their ends. */
interface LineChange {
  /** Lines shared at the start and at the end. */
  readonly start: number;
  readonly end: number;
  readonly added: readonly string[];
  /** True where the old text ends in the middle of a line. */
  readonly endsMidLine: boolean;
  /** True where the new text holds a CR: its line ends are meant as they are. */
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
  const put = newLines.slice(start, newLines.length - end);
  return { start, end, added: put, endsMidLine: !old.endsWith('\n'), literal: now.includes('\r') };
}

interface TextLine {
  readonly at: number;
  readonly indent: string;
  /** Without spaces and tabs at its ends. */
  readonly core: string;
  /** Where the line end begins, and where the next line does. */
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
  { start, end, added: put, endsMidLine: open, literal }: LineChange,
  ending: string,
): Replacement {
  // Lines that are replaced tell best how those in their place are indented.
  const pairs = wanted.map((line, i) => ({ line, given: line.indent, file: matched[i]!.indent }));
  const orderedPairs = [
    ...pairs.slice(start, pairs.length - end),
    ...pairs.slice(0, start),
    ...pairs.slice(pairs.length - end),
  ];
  const indentation = new Indentation(orderedPairs.filter(({ line }) => line.core !== ''));
  const shown = put.map((line) => {
    const text = line.endsWith('\n') ? line.slice(0, -1) : line;
    const indent = /^[ \t]*/.exec(text)?.[0] ?? '';
    const indented = indent.length === text.length ? text : indentation.inFile(indent) + text.slice(indent.length);
    return line.endsWith('\n') ? indented + (literal ? '\n' : ending) : indented;
  });
  const from = start < matched.length ? matched[start]!.at : matched.at(-1)!.next;
  const last = matched[matched.length - 1 - end];
  if (last === undefined || last.at < from) return { from, to: from, replacement: shown.join('') };
  return { from, to: end === 0 && open ? last.end : last.next, replacement: shown.join('') };
}

function linesWithEndings(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
