/** Lists turns of agents. */

import type { CheckpointId, SessionId } from '../model/ids.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { DamagedCheckpoint, Timeline } from '../timeline/record/timeline.ts';
import type { Turn } from './turn.ts';
import { pageOfWork, type WorkQuery } from './work-page.ts';

/** What to list, and where the page begins. */
export interface TurnQuery {
  readonly session?: SessionId;
  readonly limit: number;
  /** Only turns that began before this checkpoint. */
  readonly before?: number;
}

/** A page of turns. */
export interface TurnPage {
  /** Newest first, by their begin. */
  readonly turns: readonly Turn[];
  /** The checkpoint with the workspace's newest state: an older one after a restore. Null if there is no checkpoint. */
  readonly here: CheckpointId | null;
  readonly damaged: readonly DamagedCheckpoint[];
  readonly more: boolean;
  /** Pass its number as `before` to get the next page; null on the last page. */
  readonly next: CheckpointId | null;
}

export function listTurns(
  timeline: Timeline,
  objects: ObjectReader,
  query: TurnQuery,
  lookUp: Required<Pick<WorkQuery, 'deletedUpTo' | 'withResult' | 'checksOf'>>,
): TurnPage {
  const work: WorkQuery = { ...query, ...lookUp, onlyTurns: true };
  const { rows, here, damaged, next } = pageOfWork(timeline, objects, work);
  return {
    turns: rows.flatMap((row) => (row.kind === 'turn' ? [row.turn] : [])),
    here,
    damaged,
    more: next !== null,
    next,
  };
}
