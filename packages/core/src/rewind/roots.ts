/** Restoring one of several roots, or a state in which a root is missing. */

import { showName } from '../content/show-name.ts';
import type { Checkpoint, RootState } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { isWithin, nameToJson, type TreePath } from '../model/names.ts';
import type { ChangeSet, UntouchedPath } from '../operation/change-set.ts';
import type { CurrentState } from '../operation/operation.ts';

/**
 * Returns the roots inside `root`, without `root` itself.
 * @throws SavepointError PATH_REFUSED if `root` is not a root in either state
 */
export function rootsInside(root: TreePath, target: Checkpoint, current: CurrentState): readonly TreePath[] {
  const known = new Set([...target.roots, ...current.roots].map(({ path }) => path));
  if (!known.has(root)) throw noRootError(root, known, `neither in ${target.id} nor now`);
  return [...known].filter((path) => path !== root && isWithin(path, root));
}

/** @throws SavepointError PATH_REFUSED if no checkpoint has such a root */
export function assertRoot(root: TreePath, checkpoints: readonly Checkpoint[]): void {
  const known = new Set(checkpoints.flatMap(({ roots }) => roots.map(({ path }) => path)));
  if (!known.has(root)) throw noRootError(root, known, 'and never was one');
}

/** Why a restore of one root leaves a path alone. */
export const OF_ANOTHER_ROOT = 'it belongs to another root';

/** The code that a scan reports (workspace/scan.ts). */
const NOT_MOUNTED = 'ENODEV';

const PARTIAL_HINT = 'Nothing was changed. --allow-partial restores the other roots and leaves these unchanged.';

/** Leaves roots alone that one of the two states does not have. Without `allowPartial`, refuses the whole restore. */
export function withoutFailedRoots(
  plan: ChangeSet,
  {
    target,
    scope,
    allowPartial,
  }: { readonly target: Checkpoint; readonly scope: readonly TreePath[]; readonly allowPartial: boolean },
  current: CurrentState,
): ChangeSet {
  const reached = (path: TreePath): boolean =>
    scope.length === 0 || scope.some((one) => isWithin(path, one) || isWithin(one, path));
  const failed = new Map<TreePath, UntouchedPath>();
  const collect = (roots: readonly RootState[], when: string): void => {
    for (const { path, failed: code } of roots) {
      if (code === undefined || !reached(path) || failed.has(path)) continue;
      const why =
        code === NOT_MOUNTED
          ? `nothing was mounted there ${when}`
          : `this root could not be captured ${when} (${code})`;
      failed.set(path, { path, why });
    }
  };
  collect(target.roots, `in ${target.id}`);
  collect(current.roots, 'now');
  if (failed.size === 0) return plan;
  const isOther = (path: TreePath): boolean => ![...failed.keys()].some((root) => isWithin(path, root));
  const others = <Item extends { readonly path: TreePath }>(items: readonly Item[]): readonly Item[] =>
    items.filter(({ path }) => isOther(path));
  const rest: ChangeSet = {
    ...plan,
    paths: others(plan.paths),
    kept: others(plan.kept),
    conflicts: others(plan.conflicts),
    refused: others(plan.refused),
    toCapture: plan.toCapture.filter(isOther),
  };
  return allowPartial
    ? { ...rest, kept: [...rest.kept, ...failed.values()] }
    : { ...rest, refused: [...failed.values(), ...rest.refused], hint: PARTIAL_HINT };
}

function noRootError(root: TreePath, known: ReadonlySet<TreePath>, when: string): SavepointError {
  const why = `is not a root, ${when}`;
  const names = [...known].map((path) => (path === '' ? '. (the workspace)' : showName(path))).join(', ');
  return new SavepointError(
    'PATH_REFUSED',
    `${showName(root)} ${why}.`,
    { path: nameToJson(root), why },
    { hint: `Nothing was changed. The roots are: ${names}.` },
  );
}
