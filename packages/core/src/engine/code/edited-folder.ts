/** The folder as edits would leave it. Nothing is written. */

import { planEdits, type StateToEdit } from '../../edit/edit-operation.ts';
import type { PreparedFile } from '../../edit/prepare-edits.ts';
import type { Snapshot } from '../../model/entries.ts';
import type { TreePath } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import { assertFeasible } from '../../operation/assert-feasible.ts';
import { editSnapshot } from '../../store/snapshot/edit-snapshot.ts';

/** The paths that edits are about: before, and after a rename. */
export function pathsOfEdits(files: readonly PreparedFile[]): PathSet {
  return new PathSet(editedPaths(files));
}

/**
 * @param current captured with all paths of the edits; its objects receive the new contents
 * @throws SavepointError CONFLICT if a file changed since the edits were prepared, PATH_REFUSED
 */
export function folderWithEdits(files: readonly PreparedFile[], current: StateToEdit, umask: number): Snapshot {
  const plan = planEdits(files, current, new Set(editedPaths(files)), umask);
  assertFeasible(plan);
  return editSnapshot(current.objects, current.snapshot, plan.paths);
}

function editedPaths(files: readonly PreparedFile[]): readonly TreePath[] {
  return files.flatMap(({ path, after }) => (after === null ? [path] : [path, after.path]));
}
