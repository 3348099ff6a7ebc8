/** Sessions as people give them: the whole id, or so much of its beginning that it fits one only. */

import { SavepointError } from '../../model/errors.ts';
import type { Savepoint } from '../../savepoint.ts';
import { orNone } from './no-workspace.ts';

/**
 * @returns the whole id; what was given, where no session is like it
 * @throws SavepointError USAGE where several begin with it
 */
export async function sessionOf(savepoint: Savepoint, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const ids: readonly string[] = (await orNone(savepoint.sessions()))?.sessions.map(({ id }) => id) ?? [];
  if (ids.includes(given)) return given;
  const fits = ids.filter((id) => given !== '' && id.startsWith(given));
  if (fits.length > 1) {
    throw new SavepointError(
      'USAGE',
      `Several sessions have an id that begins with ${JSON.stringify(given)}.`,
      { argument: given },
      { hint: `Give more of it: ${fits.slice(0, 10).join(', ')}${fits.length > 10 ? ', …' : ''}` },
    );
  }
  return fits[0] ?? given;
}
