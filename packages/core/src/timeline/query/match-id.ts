/** Matches the beginning of an id. Errors name the known ids, and the one that was probably meant. */

import { closest } from '../../content/closest.ts';
import { showText } from '../../content/show-name.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ChangeId } from '../../model/ids.ts';

const LISTED = 10;
/** Shorter beginnings of ids are hard to recognise. */
const MIN_SHOWN = 8;
/** Comparing with more ids than this takes too long. */
const MAX_COMPARED = 2_000;

/**
 * Returns the only id that begins with what is given; null if none does.
 * @param what `session id`, …
 * @throws SavepointError AMBIGUOUS_ID
 */
export function uniqueMatch<Id extends string>(what: string, given: string, known: Iterable<Id>): Id | null {
  const fits = [...known].filter((id) => given !== '' && id.startsWith(given));
  if (fits.length > 1) throw ambiguousId(what, given, fits);
  return fits[0] ?? null;
}

/** The field `data` of an error about an unknown id. */
export interface UnknownId {
  readonly given: string;
  /** At most ten, in the given order. */
  readonly known: readonly string[];
  readonly closest: string | null;
}

interface Described {
  readonly data: UnknownId;
  readonly message: string;
  /** Undefined: the hint of the error's code. */
  readonly hint?: string;
}

/**
 * @param what `session`, `call`, …
 * @param known all known ids, the most recent first
 */
export function describeUnknown(what: string, given: string, known: ReadonlySet<string>): Described {
  const ids = [...known];
  const near = closestId(given, ids.slice(0, MAX_COMPARED));
  const listed =
    ids.length === 0
      ? `No ${what} is recorded here yet.`
      : `Known ${what}s: ${listIds(ids.slice(0, LISTED), ids)}${ids.length > LISTED ? `, and ${ids.length - LISTED} more` : ''}.`;
  return {
    data: { given, known: ids.slice(0, LISTED), closest: near },
    message: `There is no ${what} ${quote(given)} in this workspace. ${listed}`,
    ...(near === null ? {} : { hint: `Did you mean ${showText(near)}?` }),
  };
}

/** @param known the changes of the checkpoint that the id names */
export function unknownChange(
  given: string,
  message: string,
  known: readonly ChangeId[] = [],
): SavepointError<'UNKNOWN_CHANGE'> {
  const near = known.length === 0 ? null : closestId(given, known.slice(0, MAX_COMPARED));
  return new SavepointError(
    'UNKNOWN_CHANGE',
    message,
    { given, known: known.slice(0, LISTED), closest: near },
    near === null ? {} : { hint: `Did you mean ${near}?` },
  );
}

function ambiguousId(what: string, given: string, fits: readonly string[]): SavepointError {
  const more = fits.length > LISTED ? `, and ${fits.length - LISTED} more` : '';
  return new SavepointError(
    'AMBIGUOUS_ID',
    `The ${what} ${quote(given)} is ambiguous. It matches ${listIds(fits.slice(0, LISTED), fits)}${more}.`,
    { given, candidates: fits },
  );
}

/** Compares with the beginnings of the ids as well, because a beginning is usually what is given. */
function closestId(given: string, ids: readonly string[]): string | null {
  const most = Math.min(3, Math.floor((given.length + 1) / 3));
  const near = closest(given, ids, most);
  if (near !== null) return near;
  const beginning = closest(
    given,
    ids.map((id) => id.slice(0, given.length)),
    most,
  );
  return beginning === null ? null : (ids.find((id) => id.startsWith(beginning)) ?? null);
}

function listIds(listed: readonly string[], all: readonly string[]): string {
  return listed.map((id) => showText(shortId(id, all))).join(', ');
}

/** Returns the shortest beginning of an id that no other id has, so that it can be given instead. */
function shortId(id: string, all: readonly string[]): string {
  let length = MIN_SHOWN;
  for (const other of all) {
    if (other === id) continue;
    let same = 0;
    while (same < id.length && id[same] === other[same]) same += 1;
    length = Math.max(length, same + 1);
  }
  // A cut of a few characters saves nothing.
  return length + 4 >= id.length ? id : id.slice(0, length);
}

function quote(given: string): string {
  return JSON.stringify(given.length > 100 ? `${given.slice(0, 99)}…` : given);
}
