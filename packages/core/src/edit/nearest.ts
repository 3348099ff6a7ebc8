/**
 * Finds the text in a file that is most similar to a search text that was not found. It shows the caller what to fix.
 */

import { showContent } from '../content/show-name.ts';
import { textFromBytes } from '../model/names.ts';
import type { CandidateDifference, MatchCandidate } from './failures.ts';

/** Limits of the search. Anything beyond them is ignored. */
const FILE_LINES = 50_000;
const SEARCH_TEXT_LINES = 100;
const LINE_BYTES = 1000;

const MAX_CANDIDATES = 3;
const MAX_DIFFERENCES = 3;
/** The number of bytes shown of a line. */
const EXCERPT = 160;
/** The minimum similarity of two lines, from 0 to 1. */
const MIN_SIMILARITY = 0.4;

/**
 * @param body the text without a byte-order mark
 * @param old the search text that was not found
 * @returns the most similar places, the best one first
 */
export function findNearest(body: string, old: string): MatchCandidate[] {
  const keepCr = old.includes('\r');
  const lines = firstLines(body, FILE_LINES, keepCr);
  const searched = firstLines(old, SEARCH_TEXT_LINES, keepCr);
  const starts = new Set([...startsByEqualLines(lines, searched), ...startsBySimilarity(lines, searched)]);
  const scored = [...starts]
    .filter((start) => start >= 0 && start < lines.length)
    .map((start) => ({ start, score: similarityAt(lines, searched, start) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score || a.start - b.start);
  const open = !old.endsWith('\n');
  return scored.slice(0, MAX_CANDIDATES).map(({ start }) => ({
    first: start + 1,
    last: Math.min(start + searched.length, lines.length),
    differences: differencesAt(lines, searched, start, open),
  }));
}

/** Describes the candidates for the error message. */
export function describeNearest(
  candidates: readonly MatchCandidate[],
  body: string,
  old: string,
  tolerant: boolean,
): string {
  const [best] = candidates;
  if (best === undefined) return 'The file has no similar text. Read the file again and copy the text from it.';
  const [difference] = best.differences;
  const others = candidates.slice(1).map(({ first }) => first);
  const also = others.length === 0 ? '' : ` Less similar: ${others.map((line) => `line ${line}`).join(', ')}.`;
  if (difference === undefined) {
    const short = old.endsWith('\n') && !body.endsWith('\n');
    const end = short ? ' The search text ends with a line feed, but the last line of the file does not.' : '';
    return `Similar lines start at line ${best.first}.${end}${also} Copy the text from the current file.`;
  }
  const { line, expected, found, why } = difference;
  const only = {
    whitespace: ' (only spaces or tabs differ)',
    case: ' (only letter case differs)',
    unicode: ' (same characters in another Unicode normalisation)',
    text: '',
  }[why];
  const file = found === null ? 'the file ends before that' : `the file has \`${found}\``;
  const hint =
    why === 'whitespace' && !tolerant
      ? 'Copy the text from the current file, or set tolerant.'
      : 'Copy the text from the current file.';
  return `The most similar text is at line ${best.first}: you have \`${expected}\`, but ${file} in line ${line}${only}.${also} ${hint}`;
}

/** Returns the part of a line around its first difference to another line, escaped for display. */
export function excerpt(line: string, other: string): string {
  let same = 0;
  while (same < line.length && line[same] === other[same]) same++;
  let from = line.length <= EXCERPT ? 0 : Math.max(0, Math.min(same - EXCERPT / 4, line.length - EXCERPT));
  let to = Math.min(line.length, from + EXCERPT);
  while (from > 0 && isInsideCharacter(line, from)) from--;
  while (to < line.length && isInsideCharacter(line, to)) to--;
  return `${from > 0 ? '…' : ''}${showContent(line.slice(from, to))}${to < line.length ? '…' : ''}`;
}

function firstLines(text: string, count: number, keepCr: boolean): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length && lines.length < count; ) {
    const feed = text.indexOf('\n', at);
    const next = feed < 0 ? text.length : feed + 1;
    const end = feed < 0 ? next : !keepCr && feed > at && text[feed - 1] === '\r' ? feed - 1 : feed;
    lines.push(text.slice(at, Math.min(end, at + LINE_BYTES)));
    at = next;
  }
  return lines;
}

/** Places where most lines are equal except for surrounding whitespace. */
function startsByEqualLines(lines: readonly string[], searched: readonly string[]): number[] {
  const indices = new Map<string, number[]>();
  searched.forEach((line, i) => {
    const core = line.trim();
    const known = indices.get(core) ?? [];
    if (core !== '' && known.length < 3) indices.set(core, [...known, i]);
  });
  const votes = new Map<number, number>();
  lines.forEach((line, at) => {
    const core = line.trim();
    for (const i of indices.get(core) ?? []) votes.set(at - i, (votes.get(at - i) ?? 0) + core.length);
  });
  return highestScored(votes);
}

/** Places that contain a line similar to the longest line. */
function startsBySimilarity(lines: readonly string[], searched: readonly string[]): number[] {
  const longest = searched.reduce(
    (found, line, i) => (line.trim().length > (searched[found] ?? '').trim().length ? i : found),
    0,
  );
  const pairs = pairsOf(searched[longest] ?? '');
  if (pairs.size === 0) return [];
  const scores = new Map<number, number>();
  lines.forEach((line, at) => {
    const score = similarity(pairs, line);
    if (score >= MIN_SIMILARITY) scores.set(at - longest, score);
  });
  return highestScored(scores);
}

function highestScored(scores: ReadonlyMap<number, number>): number[] {
  return [...scores]
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, MAX_CANDIDATES)
    .map(([start]) => start);
}

/** From 0 to 1; long lines have more weight. */
function similarityAt(lines: readonly string[], searched: readonly string[], start: number): number {
  let sum = 0;
  let all = 0;
  searched.forEach((line, i) => {
    const weight = line.trim().length + 1;
    all += weight;
    const found = lines[start + i];
    if (found === undefined) return;
    sum += weight * (found.trim() === line.trim() ? 1 : similarity(pairsOf(line), found));
  });
  return all === 0 ? 0 : sum / all;
}

/** Pairs of adjacent characters, ignoring whitespace and case. */
function pairsOf(line: string): Set<number> {
  const pairs = new Set<number>();
  const text = line.replace(/\s+/g, '').toLowerCase();
  for (let at = 0; at + 1 < text.length; at++) pairs.add(text.charCodeAt(at) * 256 + text.charCodeAt(at + 1));
  return pairs;
}

/** Dice coefficient of two sets of pairs. */
function similarity(pairs: ReadonlySet<number>, line: string): number {
  const others = pairsOf(line);
  if (pairs.size + others.size === 0) return 0;
  let common = 0;
  for (const pair of others) if (pairs.has(pair)) common++;
  return (2 * common) / (pairs.size + others.size);
}

function differencesAt(
  lines: readonly string[],
  searched: readonly string[],
  start: number,
  open: boolean,
): CandidateDifference[] {
  const found: CandidateDifference[] = [];
  for (const [i, line] of searched.entries()) {
    if (found.length === MAX_DIFFERENCES) break;
    const there = lines[start + i];
    // The search text may start and end in the middle of a line.
    const first = i === 0;
    const last = open && i === searched.length - 1;
    if (there !== undefined && matchesLine(there, line, first, last)) continue;
    found.push({
      line: start + i + 1,
      expected: excerpt(line, there ?? ''),
      found: there === undefined ? null : excerpt(there, line),
      why: there === undefined ? 'text' : whyDifferent(there, line),
    });
  }
  return found;
}

function matchesLine(there: string, line: string, first: boolean, last: boolean): boolean {
  if (first && last) return there.includes(line);
  if (first) return there.endsWith(line);
  return last ? there.startsWith(line) : there === line;
}

function whyDifferent(a: string, b: string): CandidateDifference['why'] {
  if (a.replace(/\s+/g, '') === b.replace(/\s+/g, '')) return 'whitespace';
  const [x, y] = [textFromBytes(a), textFromBytes(b)];
  if (x === null || y === null) return 'text';
  if (x.normalize('NFC') === y.normalize('NFC')) return 'unicode';
  return x.toLowerCase() === y.toLowerCase() ? 'case' : 'text';
}

/** Whether the offset is inside a multi-byte character. */
function isInsideCharacter(line: string, at: number): boolean {
  return (line.charCodeAt(at) & 0xc0) === 0x80;
}
