/** What a caller of an operation decides about conflicts. */

import type { MergeSide } from '../content/three-way.ts';
import { givenPath } from '../io/given-path.ts';
import type { JsonName, TreePath } from '../model/names.ts';
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
