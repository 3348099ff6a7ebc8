/** What a watch follows beside the timeline. A change of it is found by its files, so it may come from any process. */

import { placesIn } from '../../fork/fork-records.ts';
import { FsError, isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { checkResultsIn } from '../../store/state/check-results.ts';
import { hookNotesIn } from '../../store/state/hook-notes.ts';
import { readUnendedCalls } from '../../store/state/open-calls.ts';
import { planCommitsIn } from '../../store/state/plan-commits.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Facts } from './fact.ts';

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
 * - `daemon`: which daemon answers hooks, if any
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
  'daemon',
] as const;
export type WatchedState = (typeof WATCHED_STATES)[number];

/** The clock of the file system ticks every few milliseconds: files this young may change again with the same times. */
const YOUNG_MS = 50;

/**
 * Returns a text that changes whenever the state does. Its files are replaced by renames, which change their folder.
 * @param facts as they were last; none: of those that are read next
 */
export function stampOf(state: WatchedState, workspace: Workspace, home: DiskPath, facts: Facts): string {
  const { fs, clock } = workspace.ports;
  const now = clock.now();
  const files = placesOf(state, workspace, home).map((place) => {
    try {
      const stat = fs.lstat(place);
      if (stat === null) return 'none';
      const { mtimeMs, ctimeMs, ino, size } = stat;
      return `${mtimeMs} ${ctimeMs} ${ino} ${size}${now - ctimeMs < YOUNG_MS ? ' young' : ''}`;
    } catch (error) {
      if (!isFsError(error)) throw error;
      return error.code;
    }
  });
  return [...files, processesOf(state, workspace, home, facts)].join('\n');
}

/** The process of the daemon, while it lives. */
export function daemonIn({ fs, processes }: Pick<Ports, 'fs' | 'processes'>, home: DiskPath): number | null {
  try {
    const current = fs.readLink(diskChild(home, 'daemon')) as DiskPath;
    const pid = Number(/(?:^|\/)(\d{1,10})$/.exec(fs.readLink(current))?.[1] ?? Number.NaN);
    return Number.isNaN(pid) || processes.state({ ...processes.self(), pid, startedAt: null }) === 'dead' ? null : pid;
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}

/** Processes end without a change of their records. */
function processesOf(state: WatchedState, { ports, store }: Workspace, home: DiskPath, facts: Facts): string {
  switch (state) {
    case 'calls':
      return readUnendedCalls(ports, store.layout)
        .map(({ session, id }) => `${session} ${id}`)
        .join('\n');
    case 'sessions':
      return Object.values(facts)
        .flatMap(({ process }) => {
          const isDead = typeof process === 'string' && ports.processes.state(JSON.parse(process)) === 'dead';
          return isDead ? [process] : [];
        })
        .join(' ');
    case 'daemon':
      return String(daemonIn(ports, home));
    default:
      return '';
  }
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
        layout.reviews,
        planCommitsIn(layout),
        below('plan-mode.json'),
        below('plan-policy.json'),
      ];
    case 'checks':
      return [checkResultsIn(layout), below('test-results.json'), below('check-summaries.json'), below('trust.json')];
    case 'forks':
      return [
        ...placesIn(ports, home),
        ...['refs/savepoint/fork', 'refs/savepoint/merged', 'packed-refs'].map((name) =>
          diskChild(layout.objects, name),
        ),
      ];
    case 'guard':
      return [below('guard.json'), below('guard-state.json')];
    case 'frozen':
      return [below('frozen.json')];
    case 'agents':
      return [hookNotesIn(home)];
    case 'daemon':
      return [diskChild(home, 'daemon')];
  }
}
