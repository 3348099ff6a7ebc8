/** Finds the objects that a store needs. */
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { Workspace } from '../capture/workspace.ts';
import { forkCommits } from '../record/fork-states.ts';
import { addReachableKept } from '../record/kept-commits.ts';
import { planCommits } from '../record/plan-records.ts';
import { reachable } from './reachable.ts';

export interface NeededObjects {
  readonly live: ReadonlySet<ObjectId>;
  /** Numbers of the checkpoints that stay. */
  readonly stays: ReadonlySet<number>;
}

/**
 * Finds everything that is needed once the given checkpoints are dropped, apart from what only a journal needs.
 * @param drop numbers of checkpoints
 * @throws SavepointError STORE_DAMAGED if it is unknown what a checkpoint needs
 */
export async function neededObjects(workspace: Workspace, drop: readonly number[], pace: Pace): Promise<NeededObjects> {
  const { timeline, store } = workspace;
  timeline.assertComplete();
  const dropped = new Set(drop);
  const staying = timeline.list().filter(({ number }) => !dropped.has(number));
  const unreadable = staying.find(({ damage }) => damage !== undefined);
  if (unreadable !== undefined) timeline.read(unreadable);
  const live = await reachable(
    store.objects,
    [...staying.map(({ commit }) => commit), ...forkCommits(store.refs), ...planCommits(store.refs)],
    pace,
  );
  const stays = new Set(staying.map(({ number }) => number));
  await addReachableKept(store, (number) => stays.has(number), pace, live);
  return { live, stays };
}
