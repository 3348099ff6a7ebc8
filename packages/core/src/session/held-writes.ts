/** What a call in plan mode would write. */

import { kindOf } from '../io/fs.ts';
import { locatePath, type PathContext, treePathOf } from '../io/locate-path.ts';
import { type DiskPath, diskChild, type JsonName, nameFromJson } from '../model/names.ts';
import type { CallRequest } from './call-request.ts';
import type { HeldEditsRequest } from './plan-mode.ts';

/**
 * What a call would write, as it can be proposed.
 * @param from where its relative paths start
 * @returns `runs` for a call that writes nothing in the workspace
 * @throws SavepointError PATH_REFUSED
 */
export function heldWrites(
  from: PathContext,
  { kind = 'other', own, paths, writes }: CallRequest,
): HeldEditsRequest['writes'] | 'runs' | 'shell' | 'tool' | 'unknown' {
  if (own === true) return 'runs';
  if (kind === 'shell') return 'shell';
  if (kind === 'other') return 'tool';
  if (paths === undefined || paths.length === 0) return 'unknown';
  if (paths.every((path) => isOutside(from, path))) return 'runs';
  if (writes === undefined || writes.length === 0) return 'unknown';
  return writes.map(({ path, result }) => ({ given: path, path: treePathOf(from, path), result }));
}

/** A link outside may lead into the workspace. */
function isOutside(from: PathContext, given: JsonName): boolean {
  const located = locatePath(from, given);
  if (located.kind === 'inside' || located.problem !== 'outside') return false;
  const path = nameFromJson(given);
  const disk = (/^(?:\/|[A-Za-z]:)/.test(path) ? path : diskChild(from.dir, path)) as DiskPath;
  const stat = from.fs.lstat(disk);
  return stat === null || kindOf(stat) !== 'link';
}
