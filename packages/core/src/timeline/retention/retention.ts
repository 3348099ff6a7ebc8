/** Selects the checkpoints that clean-up drops. */

import type { SessionId } from '../../model/ids.ts';
import type { Workspace } from '../capture/workspace.ts';
import type { CheckpointOutline } from '../record/record-cache.ts';

export interface RetentionPolicy {
  /** Maximum number of checkpoints. */
  readonly maxCheckpoints: number;
  /** Maximum age in days, relative to the newest checkpoint: a clock jump cannot expire everything. Null: no limit. */
  readonly maxAgeDays: number | null;
  /** The newest this many are kept whatever the limits say, except for `chosen` ones. */
  readonly keepAtLeast: number;
  /** Maximum number of sessions whose checkpoints are kept. Null: no limit. */
  readonly maxSessions: number | null;
  /**
   * Maximum bytes of objects and backups. Above it, clean-up drops the oldest checkpoints and spares only the newest,
   * the pinned ones, and those that copies need. Null: no limit.
   */
  readonly maxStoreBytes: number | null;
  /** Limits that the user chose without choosing `keepAtLeast`. They may drop all but the newest checkpoint. */
  readonly chosen: ReadonlySet<RetentionLimit>;
}

export type RetentionLimit = 'maxCheckpoints' | 'maxAgeDays' | 'maxSessions';

/** What a caller may say about retention. */
export type RetentionOptions = Partial<Omit<RetentionPolicy, 'chosen'>>;

const LIMITS: readonly RetentionLimit[] = ['maxCheckpoints', 'maxAgeDays', 'maxSessions'];

/** Options of a caller take precedence over the policy. */
export function withRetentionOptions(policy: RetentionPolicy, given: RetentionOptions): RetentionPolicy {
  const chosen = given.keepAtLeast === undefined ? LIMITS.filter((limit) => given[limit] !== undefined) : [];
  const stays = given.keepAtLeast === undefined ? policy.chosen : [];
  return { ...policy, ...given, chosen: new Set([...stays, ...chosen]) };
}

/** The same policy, with `keepAtLeast` in effect for every limit. */
export function withFloor(policy: RetentionPolicy): RetentionPolicy {
  return { ...policy, chosen: new Set() };
}

const DAY_MS = 86_400_000;
/** Fraction of checkpoints to drop in one step, so that not every capture has to free space again. */
const DROPPED_AT_ONCE = 0.25;

/** What selects the checkpoints. */
export type RetainedWorkspace = Pick<Workspace, 'timeline' | 'basesOfCopies'>;

/**
 * Returns the numbers to drop, oldest first. The newest and the pinned checkpoints are always kept, and those that copies
 * need. So is the one before each kept checkpoint: its changes are recorded relative to that one, and rolling them back
 * leads there.
 */
export function expiredCheckpoints(workspace: RetainedWorkspace, policy: RetentionPolicy): readonly number[] {
  const { timeline } = workspace;
  const refs = timeline.list();
  const floorOf = (limit: RetentionLimit): number => (policy.chosen.has(limit) ? 1 : Math.max(1, policy.keepAtLeast));
  if (LIMITS.every((limit) => refs.length <= floorOf(limit))) return [];
  const checkpoints = timeline.outlines(refs);
  const newest = checkpoints.at(-1);
  if (newest === undefined) return [];
  const spared = sparedByCleanUp(workspace);
  const current = newestSessions(checkpoints, policy.maxSessions);
  const oldest = policy.maxAgeDays === null ? Number.NEGATIVE_INFINITY : newest.time - policy.maxAgeDays * DAY_MS;
  const mayDrop = (index: number, limit: RetentionLimit): boolean => index < checkpoints.length - floorOf(limit);
  const firstCounted = checkpoints.length - Math.max(1, policy.maxCheckpoints);
  const drop = new Set<number>();
  for (const [index, { number, time, session }] of checkpoints.entries()) {
    if (spared.has(number)) continue;
    const isOfOldSession = session !== null && current !== null && !current.has(session);
    if (
      (index < firstCounted && mayDrop(index, 'maxCheckpoints')) ||
      (time < oldest && mayDrop(index, 'maxAgeDays')) ||
      (isOfOldSession && mayDrop(index, 'maxSessions'))
    ) {
      drop.add(number);
    }
  }
  for (const { number, previous } of checkpoints) {
    if (!drop.has(number) && previous !== null) drop.delete(Number(previous.slice(3)));
  }
  return [...drop].sort((a, b) => a - b);
}

/** Returns the next checkpoints to drop if the store is too large; empty if only those are left that always stay. */
export function oldestToDrop(workspace: RetainedWorkspace): readonly number[] {
  const { timeline } = workspace;
  const spared = sparedByCleanUp(workspace);
  const numbers = timeline.list().flatMap(({ number, damage }) => (damage === undefined ? [number] : []));
  const droppable = numbers.slice(0, -1).filter((number) => !spared.has(number));
  return droppable.slice(0, Math.ceil(droppable.length * DROPPED_AT_ONCE));
}

function sparedByCleanUp({ timeline, basesOfCopies }: RetainedWorkspace): ReadonlySet<number> {
  return new Set([...timeline.pinned(), ...basesOfCopies()]);
}

/** Returns null if all sessions are kept. */
function newestSessions(checkpoints: readonly CheckpointOutline[], most: number | null): ReadonlySet<SessionId> | null {
  if (most === null) return null;
  const newest = new Set<SessionId>();
  for (let at = checkpoints.length - 1; at >= 0 && newest.size < most; at--) {
    const session = checkpoints[at]?.session ?? null;
    if (session !== null) newest.add(session);
  }
  return newest;
}
