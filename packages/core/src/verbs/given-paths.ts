/** Paths as callers give them, relative to the folder that they work in, to paths inside the workspace. */

import { parseTreePath } from '../io/safe-path.ts';
import { SavepointError } from '../model/errors.ts';
import { type JsonName, nameFromJson, nameToJson, type TreePath, textFromBytes } from '../model/names.ts';
import type { Place } from '../savepoint.ts';

/**
 * `..` at the start goes up from the caller's folder, whose own links are resolved; further inside it is refused, as
 * what it means there depends on links. An absolute path may name something in the workspace.
 * @throws SavepointError PATH_REFUSED
 */
export function treePathOf(place: Place, given: JsonName): TreePath {
  const bytes = nameFromJson(given);
  const path = place.platform === 'win32' ? bytes.replaceAll('\\', '/') : bytes;
  if (path === '') return parseTreePath(given, place.platform);
  const inside =
    path.startsWith('/') || /^[A-Za-z]:/.test(path) ? fromAbsolute(place, path) : fromRelative(place, path);
  if (inside === null) {
    const shown = JSON.stringify(textFromBytes(bytes) ?? given);
    const why = 'lies outside the workspace';
    throw new SavepointError('PATH_REFUSED', `The path ${shown} ${why}.`, { path: given, why });
  }
  return inside === '' ? ('' as TreePath) : parseTreePath(nameToJson(inside), place.platform);
}

/** None given: the folder itself, so that who stands in a subfolder touches nothing outside of it. */
export function scopeOf(place: Place, paths: readonly JsonName[]): readonly TreePath[] {
  if (paths.length > 0) return paths.map((path) => treePathOf(place, path));
  return place.folder === '' ? [] : [place.folder];
}

function fromRelative(place: Place, path: string): string | null {
  const above = place.folder === '' ? [] : place.folder.split('/');
  let rest = path;
  for (;;) {
    const up = /^\.\.(?:\/+|$)/.exec(rest);
    const here = up === null ? /^\.(?:\/+|$)/.exec(rest) : null;
    if (up !== null && above.pop() === undefined) return null;
    if (up === null && here === null) break;
    rest = rest.slice((up ?? here)?.[0].length);
  }
  return [...above, ...(rest === '' ? [] : [rest])].join('/');
}

function fromAbsolute({ root, folder, dir }: Place, path: string): string | null {
  const inRoot = below(root, path);
  if (inRoot !== null) return inRoot;
  const inDir = below(dir, path);
  if (inDir === null) return null;
  return [folder, inDir].filter((part) => part !== '').join('/');
}

function below(folder: string, path: string): string | null {
  const base = folder.endsWith('/') ? folder.slice(0, -1) : folder;
  if (path.replace(/\/+$/, '') === base) return '';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1).replace(/^\/+/, '') : null;
}
