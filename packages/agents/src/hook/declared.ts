/** Maps the paths that an agent declares to paths in the workspace. */

import { bytesFromText, exactName, type GivenWrite, type JsonName, type Session } from '@savepoint/core';
import type { ToolCall } from '../event.ts';

export interface DeclaredWrites {
  /** Null: it may write anywhere. */
  readonly paths: readonly JsonName[] | null;
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
  const { paths, refused } = await session.declaredPaths(given, exactName(bytesFromText(cwd)));
  if (refused.some(({ problem }) => problem === 'unclear')) return ANYWHERE;
  return { paths, uncovered: refused.map(({ given: path, why }) => ({ path: String(path), why: `it ${why}` })) };
}

/**
 * Maps what a call reports to write. A path that may be two in the workspace, as through a link, has no report.
 * @returns null if the call reports nothing
 */
export async function reportedWrites(
  session: Session,
  { writes }: Pick<ToolCall, 'writes'>,
  cwd: string,
): Promise<readonly GivenWrite[] | null> {
  if (writes === null) return null;
  const found: GivenWrite[] = [];
  for (const { path, ...report } of writes.slice(0, MAX_PATHS)) {
    const { paths } = await resolveDeclared(session, [path], cwd);
    const [only] = paths ?? [];
    if (only !== undefined && paths?.length === 1) found.push({ path: only, ...report });
  }
  // An empty list means that the tool failed.
  return writes.length > 0 && found.length === 0 ? null : found;
}
