/** The kinds of events, by which a watch is limited. */

import type { WatchEvent } from '../events.ts';
import { WATCHED_STATES, type WatchedState } from './states.ts';

/**
 * - `checkpoints`: checkpoints and their changes
 * - `acts`: what Savepoint did with files: restores, rollbacks, edits and so on
 * - `calls`, `turns`, `sessions`: of agents
 * - `plans`, `checks`, `forks`, `guard`: what happens to them
 * - `health`: the hooks of agents, and the daemon
 * - `states`: that some state is different, also of what has no events of its own
 */
export const EVENT_KINDS = [
  'checkpoints',
  'acts',
  'calls',
  'turns',
  'sessions',
  'plans',
  'checks',
  'forks',
  'guard',
  'health',
  'states',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Without a choice. */
export const TIMELINE_KINDS: readonly EventKind[] = ['checkpoints', 'acts'];

/** The states that have to be looked at. */
export function statesFor(kinds: ReadonlySet<EventKind>): readonly WatchedState[] {
  return WATCHED_STATES.filter((state) => KINDS_OF_STATE[state].some((kind) => kinds.has(kind)));
}

/** @returns null for an event that is always reported */
export function kindOfEvent({ event }: Pick<WatchEvent, 'event'>): EventKind | null {
  if (event === 'events:missed') return null;
  if (event === 'change:rolled-back') return 'acts';
  const [subject = ''] = event.split(':');
  return KIND_OF_SUBJECT[subject] ?? 'acts';
}

const KIND_OF_SUBJECT: Readonly<Record<string, EventKind>> = {
  checkpoint: 'checkpoints',
  change: 'checkpoints',
  call: 'calls',
  calls: 'calls',
  turn: 'turns',
  session: 'sessions',
  plan: 'plans',
  check: 'checks',
  fork: 'forks',
  guard: 'guard',
  hooks: 'health',
  daemon: 'health',
  state: 'states',
};

const KINDS_OF_STATE: Readonly<Record<WatchedState, readonly EventKind[]>> = {
  calls: ['calls'],
  sessions: ['sessions', 'states'],
  plans: ['plans', 'states'],
  checks: ['checks', 'states'],
  forks: ['forks', 'checks', 'states'],
  guard: ['guard', 'states'],
  frozen: ['states'],
  scopes: ['states'],
  agents: ['health', 'states'],
  daemon: ['health', 'states'],
};
