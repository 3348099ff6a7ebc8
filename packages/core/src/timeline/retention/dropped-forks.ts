/** Selects the last states of dropped forks that clean-up drops. They are kept by age, as checkpoints are. */

import type { Workspace } from '../capture/workspace.ts';
import { forkStates, type StoredForkState } from '../record/fork-states.ts';
import type { RetentionPolicy } from './retention.ts';

const DAY_MS = 86_400_000;
/** At most this many states of dropped forks are kept, the newest. */
const MAX_DROPPED_FORKS = 100;
const DROPPED_AT_ONCE = 0.25;

/** The last states of dropped forks, newest first. */
export function droppedForkStates({ store }: Pick<Workspace, 'store'>): readonly StoredForkState[] {
  return forkStates(store.objects, store.refs, 'own')
    .filter(({ kind }) => kind === 'dropped')
    .sort((a, b) => b.number - a.number);
}

/** Those that are older than checkpoints may be, or too many. */
export function expiredForkStates(
  workspace: Pick<Workspace, 'store' | 'timeline'>,
  { maxAgeDays }: Pick<RetentionPolicy, 'maxAgeDays'>,
): readonly StoredForkState[] {
  const newest = workspace.timeline.latest()?.time;
  const oldest = maxAgeDays === null || newest === undefined ? Number.NEGATIVE_INFINITY : newest - maxAgeDays * DAY_MS;
  return droppedForkStates(workspace).filter(({ time }, index) => index >= MAX_DROPPED_FORKS || time < oldest);
}

/** The next ones to drop if the store is too large. */
export function oldestForkStates(workspace: Pick<Workspace, 'store'>): readonly StoredForkState[] {
  const states = droppedForkStates(workspace);
  return states.slice(states.length - Math.ceil(states.length * DROPPED_AT_ONCE));
}
