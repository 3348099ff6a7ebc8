/**
 * Search and replace. A search text without CR matches both LF and CRLF line endings. The replacement gets the line
 * ending of the line where the match starts. Text that the old and new text share at their start and end stays as it is
 * in the file. If either text contains a CR, line endings are taken literally.
 */

import { lineAt } from '../content/changed-span.ts';
import type { EditBound, Replace } from './edits.ts';
import { editRefusal } from './failures.ts';
import { findOccurrences } from './find.ts';
import { describeNearest, findNearest } from './nearest.ts';
import { CRLF_KEPT, type NewBody, type Replacement, type ReplacementList, type Search } from './new-body.ts';
import { encodeText, endingFinder, tooLargeError, withEnding } from './text-file.ts';
import { findTolerant } from './tolerant.ts';

/** Counting stops here. */
const MAX_COUNTED = 10_000;
const SHOWN_PLACES = 10;

/** @throws EditRefusedError */
export function replaceIn(body: string, edit: Replace, bound: EditBound): NewBody {
  const old = encodeText('old', edit.old, bound);
  const now = encodeText('new', edit.new, bound);
  if (old === '') {
    throw editRefusal(
      'EMPTY_SEARCH',
      'The search text is empty. Provide the text to replace, or use an insert edit.',
      {},
    );
  }
  if (old === now) throw editRefusal('SAME_TEXT', 'Old and new text are equal, so there is nothing to replace.', {});
  const limit = edit.replaceAll ? bound.maxReplacements + 1 : MAX_COUNTED;
  const search: Search = { old, now, replaceAll: edit.replaceAll, limit };
  const exact = findExact(body, search);
  const found = exact.replacements.length === 0 && edit.tolerant ? findTolerant(body, search, bound) : exact;
  if (found.replacements.length === 0) throw noMatchError(body, old, edit.tolerant);
  if (found.replacements.length > 1 && !edit.replaceAll) throw severalMatchesError(body, found.replacements);
  return applyReplacements(body, found, bound);
}

function findExact(body: string, { old, now, replaceAll, limit }: Search): ReplacementList {
  const literal = old.includes('\r') || now.includes('\r');
  const crossing = !old.includes('\r') && old.includes('\n') && body.includes('\r\n');
  const seen = crossing ? body.replaceAll('\r\n', '\n') : body;
  // Matches that are only counted may overlap. So each kind of position has its own ascending cursor.
  const [startIn, fromIn, toIn] = [
    positionsIn(body, crossing),
    positionsIn(body, crossing),
    positionsIn(body, crossing),
  ];
  const same = crossing && !literal ? commonEnds(old, now) : { start: 0, end: 0 };
  const replacement = now.slice(same.start, now.length - same.end);
  const replacementByEnding = { '\n': replacement, '\r\n': withEnding(replacement, '\r\n') };
  const endingOf = endingFinder(body);
  let kept = false;
  const replacements = findOccurrences(seen, old, !replaceAll, limit).map((at): Replacement => {
    const from = fromIn(at + same.start);
    const to = toIn(at + old.length - same.end);
    if (literal || !(crossing || replacement.includes('\n'))) return { from, to, replacement: now };
    const ending = endingOf(startIn(at));
    kept ||= ending === '\r\n';
    return { from, to, replacement: replacementByEnding[ending] };
  });
  return { replacements, notes: kept ? [CRLF_KEPT] : [] };
}

/**
 * Maps positions in the text with CRLF shown as LF to positions in the original text. Positions must be ascending. An
 * LF maps to the start of its CRLF.
 */
function positionsIn(body: string, crossing: boolean): (at: number) => number {
  if (!crossing) return (at) => at;
  let passed = 0;
  let next = body.indexOf('\r\n');
  return (at) => {
    while (next >= 0 && next - passed < at) {
      passed++;
      next = body.indexOf('\r\n', next + 2);
    }
    return at + passed;
  };
}

function commonEnds(old: string, now: string): { readonly start: number; readonly end: number } {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return { start, end };
}

function applyReplacements(body: string, { replacements, notes }: ReplacementList, bound: EditBound): NewBody {
  if (replacements.length > bound.maxReplacements) {
    throw editRefusal(
      'TOO_LARGE',
      `The search text occurs more than ${bound.maxReplacements} times. Use a longer one, or write the file.`,
      { limit: bound.maxReplacements, unit: 'replacements' },
    );
  }
  const size = replacements.reduce(
    (sum, { from, to, replacement }) => sum + replacement.length - (to - from),
    body.length,
  );
  if (size > bound.maxBytes) throw tooLargeError('result', bound);
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, replacement } of replacements) {
    parts.push(body.slice(done, from), replacement);
    done = to;
  }
  parts.push(body.slice(done));
  return {
    body: parts.join(''),
    sameStart: replacements[0]?.from ?? 0,
    sameEnd: body.length - done,
    replacements: replacements.length,
    notes,
  };
}

function noMatchError(body: string, old: string, tolerant: boolean) {
  const candidates = findNearest(body, old);
  return editRefusal('NO_MATCH', `The search text was not found. ${describeNearest(candidates, body, old, tolerant)}`, {
    candidates,
  });
}

function severalMatchesError(body: string, places: readonly Replacement[]) {
  const shown = places.slice(0, SHOWN_PLACES).map(({ from }) => lineAt(body, from) + 1);
  const more = places.length >= MAX_COUNTED;
  const lines = [...new Set(shown)];
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
  return editRefusal(
    'SEVERAL_MATCHES',
    `The search text is in ${more ? `${places.length} or more` : places.length} places, not one ` +
      `(${places.length > SHOWN_PLACES ? 'the first: ' : ''}${where}). ` +
      'Add surrounding lines to make it unique, or set replace_all to replace every occurrence.',
    { count: places.length, more, lines },
  );
}
