/** Finds out which forks can be merged together. */

import type { Pace } from '../io/pace.ts';
import type { Snapshot } from '../model/entries.ts';
import { type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { CurrentState } from '../operation/operation.ts';
import { inverseChanges } from '../rewind/inverse-changes.ts';
import { editSnapshot } from '../store/snapshot/edit-snapshot.ts';

/** What a fork changes. */
export interface ForkChanges {
  readonly name: string;
  readonly base: Snapshot;
  readonly proposed: Snapshot;
}

/** A path that does not merge, and why, for display. */
export interface ForkConflict {
  readonly path: TreePath;
  readonly why: string;
}

export interface ForkConflicts {
  /** In the order of the forks: what does not merge with the workspace as it is. */
  readonly alone: readonly (readonly ForkConflict[])[];
  /** Of each pair: what does not merge only because the other one was merged before. */
  readonly together: readonly {
    readonly forks: readonly [string, string];
    readonly conflicts: readonly ForkConflict[];
  }[];
}

/** Plans the merge of each fork, and of each pair of them one after the other. Nothing is changed. */
export async function conflictsOfForks(
  forks: readonly ForkChanges[],
  current: CurrentState,
  pace: Pace,
): Promise<ForkConflicts> {
  const alone: ChangeSet[] = [];
  for (const fork of forks) alone.push(await mergeInto(current, current.snapshot, fork, pace));
  const together: ForkConflicts['together'][number][] = [];
  for (const [index, first] of forks.entries()) {
    const { paths } = alone[index]!;
    const merged = editSnapshot(current.objects, current.snapshot, paths);
    for (const [more, second] of forks.slice(index + 1).entries()) {
      const before = new Set(alone[index + 1 + more]!.conflicts.map(({ path }) => path));
      const { conflicts } = await mergeInto(current, merged, second, pace);
      const found = conflicts.filter(({ path }) => !before.has(path)).map(conflictOf);
      together.push({ forks: [first.name, second.name], conflicts: found });
    }
  }
  return { alone: alone.map(({ conflicts }) => conflicts.map(conflictOf)), together };
}

function mergeInto(
  { objects, own, entries }: CurrentState,
  now: Snapshot,
  { base, proposed }: ForkChanges,
  pace: Pace,
): Promise<ChangeSet> {
  const states = { objects, before: proposed, after: base, now, own, entries };
  const scope = { within: [WORKSPACE_ITSELF], except: [] };
  return inverseChanges({ ...states, ...scope, isOneOperation: false, isMerge: true, reasonToKeep: () => null }, pace);
}

function conflictOf({ path, why }: ForkConflict): ForkConflict {
  return { path, why };
}
