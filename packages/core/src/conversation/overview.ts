/** Lists checkpoints for people, with the work of agents as turns. */

import type { CheckpointId, SessionId } from '../model/ids.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { CheckpointOverview, OverviewQuery } from '../timeline/query/overview.ts';
import type { Timeline } from '../timeline/record/timeline.ts';
import type { Turn } from './turn.ts';
import { pageOfWork, type WorkQuery } from './work-page.ts';

/** A page of the overview. The order of checkpoints and turns together is that of their places. */
export interface Overview extends CheckpointOverview {
  /** Only in the view `turns`; newest first. */
  readonly turns: readonly PlacedTurn[];
  /** Only in the view `turns`: where the newest state is. Null if there is no checkpoint, and if its row is not known. */
  readonly position: {
    /** The checkpoint with this state: an older one after a restore. */
    readonly here: CheckpointId;
    /** The place of the row that it is in, on whatever page. */
    readonly place: number;
    /** The states of other rows of this page that have the same files. */
    readonly sameFiles: readonly CheckpointId[];
  } | null;
}

export interface PlacedTurn extends Turn {
  /** The number of the checkpoint by which it is ordered among checkpoints. */
  readonly place: number;
}

/** Lists turns, and the checkpoints that are in none. */
export function overviewOfTurns(
  timeline: Timeline,
  objects: ObjectReader,
  query: Pick<OverviewQuery, 'limit' | 'before'> & { readonly session?: SessionId },
  lookUp: Required<Pick<WorkQuery, 'deletedUpTo' | 'withResult' | 'checksOf'>>,
): Overview {
  const page = pageOfWork(timeline, objects, { ...query, ...lookUp, onlyTurns: false });
  const { rows, here, current, sameFiles, hidden, next } = page;
  return {
    rows: rows.flatMap((row) => (row.kind === 'checkpoint' ? [{ checkpoint: row.checkpoint, folded: [] }] : [])),
    turns: rows.flatMap((row) => (row.kind === 'turn' ? [{ ...row.turn, place: row.place }] : [])),
    damaged: rows.flatMap((row) => (row.kind === 'damaged' ? [row.damaged] : [])),
    position: here === null || current === null ? null : { here, place: current, sameFiles },
    hidden,
    more: next !== null,
    next,
  };
}
