/** Resolves which part of the workspace the caller means. */

import type { WorkspaceLocation } from '../../engine/calls/workspaces.ts';
import { treePathOf } from '../../io/locate-path.ts';
import { exactName, type JsonName, type TreePath } from '../../model/names.ts';

/** Without paths, the current folder, so that a command in a subfolder does not touch files outside of it. */
export function scopeOf(place: WorkspaceLocation, paths: readonly JsonName[]): readonly TreePath[] {
  if (paths.length > 0) return paths.map((path) => treePathOf(place, path));
  return place.folder === '' ? [] : [place.folder];
}

/** The option that limits a call of the library to these paths. Without paths, the call is not limited. */
export function limitedTo(paths: readonly TreePath[]): { readonly paths?: readonly JsonName[] } {
  return paths.length === 0 ? {} : { paths: paths.map(exactName) };
}
