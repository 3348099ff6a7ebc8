/** Where files may be written that are not the workspace's. */

import { showName } from '../content/show-name.ts';
import { checkName } from '../io/safe-path.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, isInside, nameToJson } from '../model/names.ts';
import type { Context } from './context.ts';

/**
 * Bundles and patches must not be written or restored inside a `.git` folder or our store.
 * @param path resolved
 * @throws SavepointError PATH_REFUSED
 */
export function assertPathAllowed({ ports, places }: Context, path: DiskPath): void {
  const inGit = path
    .split('/')
    .some(
      (name) => name !== '' && checkName(name, ports.platform) === 'is equivalent to .git for git or some file systems',
    );
  const why = inGit
    ? 'is inside a .git folder'
    : isInside(path, places.home)
      ? 'is inside the store of Savepoint'
      : null;
  if (why === null) return;
  throw new SavepointError('PATH_REFUSED', `${showName(path)} ${why}.`, { path: nameToJson(path), why });
}
