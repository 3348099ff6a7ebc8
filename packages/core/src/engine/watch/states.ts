/** What a watch follows beside the timeline. A change of it is found by its files, so it may come from any process. */

import { placesIn } from '../../fork/fork-records.ts';
import { isFsError } from '../../io/fs.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { checkResultsIn } from '../../store/state/check-results.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';

/**
 * - `calls`: open calls of agents
 * - `sessions`: sessions of agents, and their notes
 * - `plans`: plans, plan mode and the policy
 * - `checks`: results of checks and tests, and what a person trusts
 * - `forks`: forks and other copies
 * - `guard`: the guard
 * - `frozen`: paths that agents must not change
 * - `scopes`: scopes of sessions and of the workspace
 * - `agents`: hooks, their last events and failures
 */
export const WATCHED_STATES = [
  'calls',
  'sessions',
  'plans',
  'checks',
  'forks',
  'guard',
  'frozen',
  'scopes',
  'agents',
] as const;
export type WatchedState = (typeof WATCHED_STATES)[number];

/** The clock of the file system ticks every few milliseconds: files this young may change again with the same times. */
const YOUNG_MS = 50;

/** Returns a text that changes whenever the state does. Its files are replaced by renames, which change their folder. */
export function stampOf(state: WatchedState, workspace: Workspace, home: DiskPath): string {
  const { fs, clock } = workspace.ports;
  const now = clock.now();
  return placesOf(state, workspace, home)
    .map((place) => {
      try {
        const stat = fs.lstat(place);
        if (stat === null) return 'none';
        const { mtimeMs, ctimeMs, ino, size } = stat;
        return `${mtimeMs} ${ctimeMs} ${ino} ${size}${now - ctimeMs < YOUNG_MS ? ' young' : ''}`;
      } catch (error) {
        if (!isFsError(error)) throw error;
        return error.code;
      }
    })
    .join('\n');
}

function placesOf(state: WatchedState, { store, ports }: Workspace, home: DiskPath): readonly DiskPath[] {
  const { layout } = store;
  const below = (name: string): DiskPath => diskChild(layout.path, name);
  switch (state) {
    case 'calls':
    case 'sessions':
    case 'scopes':
      return [layout[state]];
    case 'plans':
      return [
        ...['refs/savepoint/plan', 'packed-refs'].map((name) => diskChild(layout.objects, name)),
        below('plan-mode.json'),
        below('plan-policy.json'),
      ];
    case 'checks':
      return [checkResultsIn(layout), below('test-results.json'), below('trust.json')];
    case 'forks':
      return placesIn(ports, home);
    case 'guard':
      return [below('guard.json'), below('guard-state.json')];
    case 'frozen':
      return [below('frozen.json')];
    case 'agents':
      return [diskChild(home, 'agents')];
  }
}
