/** Finds the store that a user names by path or id. */

import { SavepointError } from '../../model/errors.ts';
import { nameToJson } from '../../model/names.ts';
import { listRecords, type WorkspaceRecord } from '../../store/records.ts';
import type { Context } from '../context.ts';

/**
 * @param which its path, its id, or a unique beginning of the id
 * @throws SavepointError NO_WORKSPACE, AMBIGUOUS_ID
 */
export function findWorkspace({ ports, places }: Context, which: string): WorkspaceRecord {
  const { records } = listRecords(ports, places.home);
  const exact = records.filter(({ id, path }) => id === which || path === which);
  const fits = exact.length > 0 || which === '' ? exact : records.filter(({ id }) => id.startsWith(which));
  const [record] = fits;
  if (record === undefined) throw noSuchWorkspace(which);
  if (fits.length > 1) {
    throw new SavepointError('AMBIGUOUS_ID', `The workspace id ${which} is ambiguous.`, {
      given: which,
      candidates: fits.map(({ id }) => id),
    });
  }
  return record;
}

export function noSuchWorkspace(which: string): SavepointError {
  return new SavepointError(
    'NO_WORKSPACE',
    'No store matches this path or id.',
    { folder: nameToJson(which) },
    { hint: 'Run `savepoint workspaces` to list the workspaces.' },
  );
}
