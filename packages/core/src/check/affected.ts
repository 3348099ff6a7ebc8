/** Which checks can have another result after some paths changed. */

import { isWithin, type TreePath } from '../model/names.ts';
import type { Check } from './check.ts';
import { digestOf } from './trust.ts';

/**
 * A check that does not say what it reads may read everything.
 * @param before the checks that ran, before the paths changed
 */
export function affectedChecks(
  now: readonly Check[],
  before: readonly Check[],
  changed: readonly TreePath[],
): readonly Check[] {
  const known = new Set(before.map(digestOf));
  const touches = (read: TreePath): boolean => changed.some((path) => isWithin(path, read) || isWithin(read, path));
  return now.filter((check) => check.reads === null || !known.has(digestOf(check)) || check.reads.some(touches));
}
