/** Rejects paths that neither of two states has. They are probably typos, and "no changes" would hide that. */

import { showName } from '../../content/show-name.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import { stateAt } from './snapshot-diff.ts';

export interface NamedSnapshot {
  /** For the message: `cp_12`, or `the workspace`. */
  readonly name: string;
  readonly snapshot: Snapshot;
}

/** @throws SavepointError PATH_REFUSED, which names the first of the unknown paths and lists all */
export function assertPathsKnown(
  objects: ObjectReader,
  states: readonly [NamedSnapshot, NamedSnapshot],
  paths: readonly TreePath[],
  hint: string,
): void {
  const read = cachedFolderReader(objects);
  const isNowhere = (path: TreePath): boolean =>
    states.every(({ snapshot }) => {
      const { entry, skip } = stateAt(read, snapshot, path);
      return entry === null && skip === null;
    });
  const unknown = paths.filter((path) => path !== '' && isNowhere(path));
  const [first] = unknown;
  if (first === undefined) return;
  const why = `is neither in ${states[0].name} nor in ${states[1].name}`;
  throw new SavepointError(
    'PATH_REFUSED',
    `${showName(first)} ${why}.`,
    { path: nameToJson(first), why, paths: unknown.map((path) => ({ path: nameToJson(path), why })) },
    { hint },
  );
}
