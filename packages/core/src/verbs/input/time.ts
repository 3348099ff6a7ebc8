/** Parses a point in time as the user gives it. */

import { SavepointError } from '../../model/errors.ts';
import type { Savepoint } from '../../savepoint.ts';
import { parsePointInTime } from '../../timeline/query/resolve.ts';

/**
 * @returns milliseconds since 1970; undefined if no time was given
 * @throws SavepointError USAGE
 */
export function parseTime(savepoint: Savepoint, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const time = parsePointInTime(given, savepoint.now());
  if (time !== null) return time;
  throw new SavepointError(
    'USAGE',
    `${JSON.stringify(given)} is not a valid time.`,
    { argument: given },
    { hint: 'Use 2026-01-31, "2026-01-31 12:00", 2026-01-31T12:00:00Z or "10 minutes ago".' },
  );
}
