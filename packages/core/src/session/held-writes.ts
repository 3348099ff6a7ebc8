/** What a call in plan mode would write. */

import { locatePath, type PathContext, treePathOf } from '../io/locate-path.ts';
import { type JsonName, nameFromJson } from '../model/names.ts';
import type { CallRequest } from './call-request.ts';
import type { HeldCall, HeldEditsRequest } from './plan-mode.ts';

/**
 * What a call would write, as it can be proposed.
 * @param from where its relative paths start
 * @returns why it cannot be proposed, if it cannot; `runs` for our own tools, which see plan mode themselves
 * @throws SavepointError PATH_REFUSED
 */
export function heldWrites(
  from: PathContext,
  { kind = 'other', own, paths, writes }: CallRequest,
): HeldEditsRequest['writes'] | Exclude<HeldCall, { readonly kind: 'recorded' }> | 'runs' {
  if (own === true) return 'runs';
  if (kind === 'shell') return { kind: 'shell' };
  if (kind === 'other') return { kind: 'tool' };
  if (paths === undefined || paths.length === 0) return { kind: 'unknown' };
  const outside = [...paths, ...(writes ?? []).map(({ path }) => path)].find((path) => isOutside(from, path));
  if (outside !== undefined) return { kind: 'outside', path: outside };
  if (writes === undefined || writes.length === 0) return { kind: 'unknown' };
  return writes.map(({ path, result }) => ({ given: path, path: treePathOf(from, path), result }));
}

function isOutside(from: PathContext, given: JsonName): boolean {
  if (from.platform !== 'win32' && PER_PROCESS.test(nameFromJson(given))) return true;
  const located = locatePath(from, given);
  return located.kind === 'refused' && located.problem === 'outside';
}

/** What such a path names depends on the process that uses it, and the agent's process is another one. */
const PER_PROCESS = /^\/+(?:\.\/+)*(?:proc|dev\/+(?:\.\/+)*fd)(?:\/|$)/;
