/** Points in time as people give them. */

import { SavepointError } from '../../model/errors.ts';
import type { Savepoint } from '../../savepoint.ts';
import { agoOrDate } from '../../timeline/query/resolve.ts';

/**
 * @returns milliseconds since 1970; undefined where none was given
 * @throws SavepointError USAGE
 */
export function timeOf(savepoint: Savepoint, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const time = agoOrDate(given, savepoint.now());
  if (time !== null) return time;
  throw new SavepointError(
    'USAGE',
    `${JSON.stringify(given)} is no point in time.`,
    { argument: given },
    { hint: 'Give it as 2026-01-31, "2026-01-31 12:00", 2026-01-31T12:00:00Z or "10 minutes ago".' },
  );
}
