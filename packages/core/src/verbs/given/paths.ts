/** Which part of the workspace a caller means. */

import type { Place } from '../../engine/calls/workspaces.ts';
import { treePathOf } from '../../io/given-path.ts';
import type { JsonName, TreePath } from '../../model/names.ts';

/** None given: the folder itself, so that who stands in a subfolder touches nothing outside of it. */
export function scopeOf(place: Place, paths: readonly JsonName[]): readonly TreePath[] {
  if (paths.length > 0) return paths.map((path) => treePathOf(place, path));
  return place.folder === '' ? [] : [place.folder];
}
