/** Finds what was changed in a copy and is in no checkpoint, so that it cannot be applied: dependencies, build results. */

import type { Fs } from '../io/fs.ts';
import type { Change } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import {
  childPath,
  type DiskPath,
  GIT_FOLDER,
  pathComponents,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import { PathSet } from '../model/path-set.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { OpenCopy } from './copy.ts';

/** Why a path is in no checkpoint, although a command made it on purpose. */
const LEFT_OUT: ReadonlySet<unknown> = new Set(['ignored', 'dependency-folder', 'excluded']);

/**
 * Of a copy that is a folder, only new names in the folder itself are known.
 * @param root the folder of the workspace
 * @param states the base of the copy, and what a scan of it found
 * @param changes what can be applied
 */
export function notApplied(
  { fs, objects, root }: { readonly fs: Fs; readonly objects: ObjectReader; readonly root: DiskPath },
  copy: OpenCopy,
  states: readonly Snapshot[],
  changes: readonly Change[],
): readonly TreePath[] {
  const read = cachedFolderReader(objects);
  const shown = new PathSet(changes.map(({ path }) => path));
  const isLeftOut = (path: TreePath): boolean =>
    states.some((snapshot) => LEFT_OUT.has(stateAt(read, snapshot, path).skip?.reason));
  const paths = copy.touched()?.paths ?? newNames(fs, root, copy);
  return paths.filter(
    (path) =>
      path !== WORKSPACE_ITSELF &&
      !pathComponents(path).includes(GIT_FOLDER) &&
      !shown.overlaps(path) &&
      isLeftOut(path),
  );
}

function newNames(fs: Fs, root: DiskPath, { files }: OpenCopy): readonly TreePath[] {
  const before = new Set(fs.list(root));
  return fs
    .list(files)
    .filter((name) => !before.has(name))
    .map((name) => childPath(WORKSPACE_ITSELF, name));
}
