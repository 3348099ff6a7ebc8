/**
 * Search and replace. A search text without CR stands wherever its lines stand, whether the file ends them with LF or
 * CRLF; what is put in takes the line end of the line where the place begins, and what old and new text have in common
 * at their ends is left as it is in the file. Where either text holds a CR, its line ends are meant as they are.
 */

import { lineAt } from '../content/changed-span.ts';
import type { EditBound, Replace } from './edits.ts';
import { refused } from './failures.ts';
import { placesOf } from './find.ts';
import { nearestPlaces, sayNearest } from './nearest.ts';
import { CRLF_KEPT, type Found, type NewBody, type Place, type Search } from './new-body.ts';
import { endings, givenText, tooLarge, withEnding } from './text-file.ts';
import { tolerantPlaces } from './tolerant.ts';

/** Counting stops here. */
const COUNTED_PLACES = 10_000;
const SHOWN_PLACES = 10;

/** @throws EditRefused */
export function replaceIn(body: string, edit: Replace, bound: EditBound): NewBody {
  const old = givenText('old', edit.old, bound);
  const now = givenText('new', edit.new, bound);
  if (old === '') {
    throw refused('EMPTY_SEARCH', 'The search text is empty. Provide the text to replace, or use an insert edit.', {});
  }
  if (old === now) throw refused('SAME_TEXT', 'Old and new text are equal, so there is nothing to replace.', {});
  const limit = edit.replaceAll ? bound.maxReplacements + 1 : COUNTED_PLACES;
  const search: Search = { old, now, replaceAll: edit.replaceAll, limit };
  const exact = exactPlaces(body, search);
  const found = exact.places.length === 0 && edit.tolerant ? tolerantPlaces(body, search, bound) : exact;
  if (found.places.length === 0) throw noMatch(body, old, edit.tolerant);
  if (found.places.length > 1 && !edit.replaceAll) throw severalMatches(body, found.places);
  return putIn(body, found, bound);
}

function exactPlaces(body: string, { old, now, replaceAll, limit }: Search): Found {
  const literal = old.includes('\r') || now.includes('\r');
  const crossing = !old.includes('\r') && old.includes('\n') && body.includes('\r\n');
  const seen = crossing ? body.replaceAll('\r\n', '\n') : body;
  // Places may overlap (they are then only counted), so each of the three ascends by itself.
  const [startIn, fromIn, toIn] = [
    positionsIn(body, crossing),
    positionsIn(body, crossing),
    positionsIn(body, crossing),
  ];
  const same = crossing && !literal ? commonEnds(old, now) : { start: 0, end: 0 };
  const put = now.slice(same.start, now.length - same.end);
  const puts = { '\n': put, '\r\n': withEnding(put, '\r\n') };
  const endingOf = endings(body);
  let kept = false;
  const places = placesOf(seen, old, !replaceAll, limit).map((at): Place => {
    const from = fromIn(at + same.start);
    const to = toIn(at + old.length - same.end);
    if (literal || !(crossing || put.includes('\n'))) return { from, to, put: now };
    const ending = endingOf(startIn(at));
    kept ||= ending === '\r\n';
    return { from, to, put: puts[ending] };
  });
  return { places, notes: kept ? [CRLF_KEPT] : [] };
}

/**
 * From positions in a text whose CRLF are shown as LF to positions in the text, in ascending order; the LF itself stands
 * for both.
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

function putIn(body: string, { places, notes }: Found, bound: EditBound): NewBody {
  if (places.length > bound.maxReplacements) {
    throw refused(
      'TOO_LARGE',
      `The search text occurs more than ${bound.maxReplacements} times. Use a longer one, or write the file.`,
      { limit: bound.maxReplacements, unit: 'replacements' },
    );
  }
  const size = places.reduce((sum, { from, to, put }) => sum + put.length - (to - from), body.length);
  if (size > bound.maxBytes) throw tooLarge('result', bound);
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, put } of places) {
    parts.push(body.slice(done, from), put);
    done = to;
  }
  parts.push(body.slice(done));
  return {
    body: parts.join(''),
    sameStart: places[0]?.from ?? 0,
    sameEnd: body.length - done,
    replacements: places.length,
    notes,
  };
}

function noMatch(body: string, old: string, tolerant: boolean) {
  const candidates = nearestPlaces(body, old);
  return refused('NO_MATCH', `The search text was not found. ${sayNearest(candidates, body, old, tolerant)}`, {
    candidates,
  });
}

function severalMatches(body: string, places: readonly Place[]) {
  const shown = places.slice(0, SHOWN_PLACES).map(({ from }) => lineAt(body, from) + 1);
  const more = places.length >= COUNTED_PLACES;
  const lines = [...new Set(shown)];
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
  return refused(
    'SEVERAL_MATCHES',
    `The search text is in ${more ? `${places.length} or more` : places.length} places, not one ` +
      `(${places.length > SHOWN_PLACES ? 'the first: ' : ''}${where}). ` +
      'Add surrounding lines to make it unique, or set replace_all to replace every occurrence.',
    { count: places.length, more, lines },
  );
}
