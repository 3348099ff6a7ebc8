/** Whether a command names a path in its own words. */

import { matchesGlob } from '../../content/glob.ts';
import type { NamedPath } from '../../model/named-path.ts';
import { isWithin, type TreePath } from '../../model/names.ts';

export function isNamed(named: readonly NamedPath[], path: TreePath): boolean {
  return named.some((one) =>
    one.as === 'pattern'
      ? matchesPattern(one.path, path)
      : one.as === 'folder'
        ? isWithin(path, one.path)
        : one.path === path,
  );
}

/** Folder by folder; `**` in place of a folder matches any number of them. */
function matchesPattern(pattern: string, path: string): boolean {
  const [folders, names] = [pattern.split('/'), path.split('/')];
  // For each number of names, whether the folders so far match them.
  let reached = names.map(() => false);
  reached.unshift(true);
  for (const folder of folders) {
    const before = reached;
    reached = before.map(() => false);
    for (let count = 0; count <= names.length; count++) {
      if (folder === '**') reached[count] = before[count] === true || (count > 0 && reached[count - 1] === true);
      else if (count > 0) reached[count] = before[count - 1] === true && matchesName(folder, names[count - 1]!);
    }
  }
  return reached.at(-1) === true;
}

/** Loosely: `{…}` is any text and `[…]` any character. */
function matchesName(pattern: string, name: string): boolean {
  return matchesGlob(name, pattern.replace(/\{[^{}]*\}/g, '*').replace(/\[[^[\]]*\]/g, '?'));
}
