/** Resolves a session as the user gives it: its id, or a unique prefix. */

import { SavepointError } from '../../model/errors.ts';
import type { Savepoint } from '../../savepoint.ts';
import { nullIfNoWorkspace } from './no-workspace.ts';

/**
 * @returns the full id; `given` itself if no session matches
 * @throws SavepointError USAGE if several sessions match
 */
export async function resolveSession(savepoint: Savepoint, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const ids: readonly string[] = (await nullIfNoWorkspace(savepoint.sessions()))?.sessions.map(({ id }) => id) ?? [];
  if (ids.includes(given)) return given;
  const fits = ids.filter((id) => given !== '' && id.startsWith(given));
  if (fits.length > 1) {
    throw new SavepointError(
      'USAGE',
      `The session id ${JSON.stringify(given)} is ambiguous.`,
      { argument: given },
      { hint: `It matches ${fits.slice(0, 10).join(', ')}${fits.length > 10 ? ', …' : ''}. Type more of the id.` },
    );
  }
  return fits[0] ?? given;
}
