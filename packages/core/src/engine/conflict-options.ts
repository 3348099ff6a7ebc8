/** What a caller of an operation decides about conflicts, and what a preview returns about them. */

import type { MergeSide } from '../content/three-way.ts';
import { givenPath, givenPaths } from '../io/given-path.ts';
import type { JsonName, TreePath } from '../model/names.ts';
import type { DetailRequest } from '../operation/preview-detail.ts';
import type { ConflictChoices, Resolution } from '../rewind/conflict-choices.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

/** How conflicts are resolved. By default, a conflict stops the whole operation. */
export interface ConflictOptions {
  /** Leave paths alone that do not merge. Default false. */
  readonly skipConflicts?: boolean;
  /** The side that wins where lines do not merge; `ours` is the current file. For each path and everything below it. */
  readonly prefer?: ReadonlyMap<JsonName, MergeSide>;
  /** Contents that a person merged, for paths in conflict. If such a path is not in conflict, that is USAGE. */
  readonly resolutions?: ReadonlyMap<JsonName, Resolution>;
  /** What else a preview returns. Without meaning for the operation itself. */
  readonly detail?: {
    /** What would change, as a patch. Default false. */
    readonly patch?: boolean;
    /** Paths in conflict whose contents are wanted in full. */
    readonly sides?: readonly JsonName[];
  };
}

/** @throws SavepointError PATH_REFUSED */
export function detailRequestIn(workspace: Workspace, { detail }: ConflictOptions): DetailRequest | null {
  if (detail === undefined) return null;
  const { patch = false, sides = [] } = detail;
  return { patch, sides: givenPaths(workspace, sides) };
}

/** @throws SavepointError PATH_REFUSED, USAGE */
export function conflictChoicesIn(
  workspace: Workspace,
  { skipConflicts = false, prefer, resolutions }: ConflictOptions,
): ConflictChoices {
  return { skipConflicts, prefer: byPath(workspace, prefer), resolutions: byPath(workspace, resolutions) };
}

function byPath<T>(workspace: Workspace, given: ReadonlyMap<JsonName, T> | undefined): ReadonlyMap<TreePath, T> {
  return new Map([...(given ?? [])].map(([path, value]) => [givenPath(workspace, path), value]));
}
