/** From the paths that an agent says it writes to paths in the workspace. */

import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { bytesFromText, type DiskPath, type TreePath, textFromBytes } from '@savepoint/core';

export interface Declared {
  /** Null: it may write anywhere. */
  readonly paths: readonly TreePath[] | null;
  /** Those that no checkpoint can have, as the agent named them. */
  readonly outside: readonly string[];
}

const MOST_PATHS = 5_000;
const LONGEST = 4_096;

/**
 * @param given as the agent names them
 * @param cwd what they are relative to
 * @param root the workspace's folder
 */
export function declaredPaths(given: readonly string[] | null, cwd: string, root: DiskPath): Declared {
  const top = textFromBytes(root);
  if (given === null || top === null || given.length > MOST_PATHS || given.some(isUnnameable)) {
    return { paths: null, outside: [] };
  }
  const paths = new Set<TreePath>();
  const outside: string[] = [];
  for (const path of given) {
    const named = withRealParents(resolve(cwd, path));
    // An agent that writes through a link changes the file that it leads to.
    const inside = [named, realPath(named)].flatMap((one) => below(top, one) ?? []);
    for (const one of inside) paths.add(one);
    if (inside.length === 0) outside.push(path);
  }
  return { paths: [...paths], outside };
}

/** What stood in the bytes of such a name is lost. */
function isUnnameable(path: string): boolean {
  return path.includes('\0') || path.includes('\ufffd') || path.length > LONGEST;
}

function below(top: string, path: string): TreePath | null {
  const inside = relative(top, path);
  if (inside === '' || isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`)) return null;
  return bytesFromText(sep === '/' ? inside : inside.replaceAll(sep, '/')) as TreePath;
}

function withRealParents(path: string): string {
  const parent = dirname(path);
  if (parent === path) return path;
  try {
    return join(realpathSync.native(parent), basename(path));
  } catch {
    return join(withRealParents(parent), basename(path));
  }
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
