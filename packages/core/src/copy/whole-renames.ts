/** Leaves renames whole: if one half of a rename is skipped, the other half is as well. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Snapshot } from '../model/entries.ts';
import { foldersAbove, isWithin, type TreePath } from '../model/names.ts';
import type { ChangeSet, UntouchedPath } from '../operation/change-set.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { findMoves } from '../timeline/diff/renames.ts';
import { differences } from '../timeline/diff/snapshot-diff.ts';

/**
 * Half a rename would leave the file under both names, or under none.
 * @param skipped paths that the plan leaves because they conflict
 * @returns the plan, and the paths that it leaves in addition
 */
export async function withWholeRenames(
  plan: ChangeSet,
  skipped: readonly TreePath[],
  { base, proposed }: { readonly base: Snapshot; readonly proposed: Snapshot },
  objects: ObjectReader,
  pace: Pace,
): Promise<{ readonly plan: ChangeSet; readonly left: readonly TreePath[] }> {
  if (skipped.length === 0) return { plan, left: [] };
  const found = [...differences(objects, base, proposed)].filter(
    ({ before, after }) => before.skip === null && after.skip === null,
  );
  const halves = otherHalves(skipped, await findMoves(objects, found, {}, pace));
  const kept = plan.paths.flatMap(({ path }): UntouchedPath[] => {
    const half = halves.get(path);
    return half === undefined ? [] : [{ path, why: `skipped: it is one rename with ${showName(half)}` }];
  });
  if (kept.length === 0) return { plan, left: [] };
  const left = new Set(kept.map(({ path }) => path));
  const rest = plan.paths.filter(({ path }) => !left.has(path));
  const needless = needlessFolders(rest, left);
  return {
    plan: {
      ...plan,
      paths: rest.filter(({ path }) => !needless.has(path)),
      kept: [...plan.kept, ...kept],
      ...(plan.discarded === undefined ? {} : { discarded: plan.discarded.filter(({ path }) => !left.has(path)) }),
    },
    left: [...left, ...needless],
  };
}

/** The other names of the renames that the paths are part of, each with the name that leads to it. */
function otherHalves(
  skipped: readonly TreePath[],
  moves: ReadonlyMap<TreePath, TreePath>,
): ReadonlyMap<TreePath, TreePath> {
  const linked = new Map<TreePath, TreePath[]>();
  for (const [to, from] of moves) {
    linked.set(to, [...(linked.get(to) ?? []), from]);
    linked.set(from, [...(linked.get(from) ?? []), to]);
  }
  const halves = new Map<TreePath, TreePath>();
  const known = new Set(skipped);
  // A name can be the new one of a rename and the old one of another.
  for (const path of known) {
    for (const other of linked.get(path) ?? []) {
      if (known.has(other)) continue;
      known.add(other);
      halves.set(other, path);
    }
  }
  return halves;
}

/** Folders that would be made for what is left alone, or removed with it still in them. */
function needlessFolders(paths: ChangeSet['paths'], left: ReadonlySet<TreePath>): ReadonlySet<TreePath> {
  const above = new Set([...left].flatMap((path) => [...foldersAbove(path)]));
  const needless = new Set<TreePath>();
  // The deepest first: what is left of a folder decides about the one that it is in.
  for (const { path, from, to } of [...paths].sort((a, b) => b.path.length - a.path.length)) {
    if (!above.has(path)) continue;
    const isUsed = paths.some(({ path: each }) => each !== path && isWithin(each, path) && !needless.has(each));
    if (to === null || (from === null && !isUsed)) needless.add(path);
  }
  return needless;
}
