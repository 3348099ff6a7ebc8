/** Maps the paths that an agent declares to paths in the workspace. */

import { bytesFromText, type DiskPath, type Session, type TreePath } from '@savepoint/core';

export interface DeclaredWrites {
  /** Null: it may write anywhere. */
  readonly paths: readonly TreePath[] | null;
  /** Paths that no checkpoint can hold, as the agent reported them. */
  readonly uncovered: readonly { readonly path: string; readonly why: string }[];
}

const MAX_PATHS = 5_000;
const ANYWHERE: DeclaredWrites = { paths: null, uncovered: [] };

/**
 * @param given the paths as the agent reports them
 * @param cwd the folder they are relative to
 */
export async function resolveDeclared(
  session: Session,
  given: readonly string[] | null,
  cwd: string,
): Promise<DeclaredWrites> {
  // The original bytes of a name with U+FFFD are lost.
  if (given === null || given.length > MAX_PATHS || given.some((path) => path.includes('\ufffd'))) return ANYWHERE;
  const { paths, refused } = await session.declaredPaths(given, bytesFromText(cwd) as DiskPath);
  if (refused.some(({ problem }) => problem === 'unclear')) return ANYWHERE;
  return { paths, uncovered: refused.map(({ given: path, why }) => ({ path: String(path), why: `it ${why}` })) };
}
