/** Lists checkpoints for people: those that matter, or one kind, with consecutive tiny steps folded into one row. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import { type CheckpointId, checkpointId, checkpointNumber } from '../../model/ids.ts';
import type { DamagedCheckpoint, Timeline } from '../record/timeline.ts';
import { hasOtherWork } from './made-by.ts';

/**
 * - `turns`: as `main`, with the work of agents as turns (conversation/overview.ts)
 * - `main`: all except those taken only because a call or an operation was about to begin, unless they have a test result
 *   or a change that no session made; tiny steps are folded
 * - `all`: every checkpoint
 * - `manual`: those that someone requested
 * - `multi-file`: those in which more than one path changed
 */
export type ListView = 'turns' | 'main' | 'all' | 'manual' | 'multi-file';

/** What to show, and where the page begins. */
export interface OverviewQuery {
  readonly view: ListView;
  /** Only this session's own checkpoints: its id, or a unique beginning of it. */
  readonly session?: string;
  /** Maximum number of rows. */
  readonly limit: number;
  /** Only checkpoints older than this number. */
  readonly before?: number;
}

/** A checkpoint, with the older ones that its row represents. */
export interface OverviewRow {
  readonly checkpoint: Checkpoint;
  /** Newest first. Together with `checkpoint` they are one tiny step. */
  readonly folded: readonly Checkpoint[];
}

/** A page of checkpoints. */
export interface CheckpointOverview {
  readonly rows: readonly OverviewRow[];
  /** Damaged checkpoints. It is unknown whether the view would include them. */
  readonly damaged: readonly DamagedCheckpoint[];
  /** Number of checkpoints that the view hides, between the first row and the end of the last. */
  readonly hidden: number;
  readonly more: boolean;
  /** Pass its number as `before` to get the next page; null on the last page. */
  readonly next: CheckpointId | null;
}

/** A tiny step changes one file in one session, under ten lines in total, within a minute. */
const TINY_LINES = 10;
const TINY_MS = 60_000;

/** @param query.view any but `turns` @param withResult adds a test result that became known later */
export function overview(
  timeline: Timeline,
  query: OverviewQuery,
  withResult: (checkpoint: Checkpoint) => Checkpoint,
): CheckpointOverview {
  const rows: { checkpoint: Checkpoint; folded: Checkpoint[] }[] = [];
  const damaged: DamagedCheckpoint[] = [];
  const fold = (checkpoint: Checkpoint): boolean => {
    const row = rows.at(-1);
    if (query.view !== 'main' || row === undefined || !isTiny([row.checkpoint, ...row.folded, checkpoint]))
      return false;
    row.folded.push(checkpoint);
    return true;
  };
  let hidden = 0;
  let oldest = 0;
  let count = 0;
  for (const result of timeline.newestFirst()) {
    const isWanted = result.checkpoint === null || isInView(withResult(result.checkpoint), query);
    const number = result.checkpoint?.number ?? checkpointNumber((result.damaged as DamagedCheckpoint).id);
    if (number >= (query.before ?? Number.POSITIVE_INFINITY)) continue;
    if (!isWanted) {
      // A checkpoint of another session was not requested, so the view does not count it as hidden.
      if (query.session === undefined || result.checkpoint?.session === query.session) hidden += 1;
      continue;
    }
    const isFolded = result.checkpoint !== null && fold(result.checkpoint);
    if (!isFolded && count === query.limit) return { rows, damaged, hidden, more: true, next: checkpointId(oldest) };
    oldest = number;
    if (isFolded) continue;
    count += 1;
    if (result.checkpoint === null) damaged.push(result.damaged);
    else rows.push({ checkpoint: result.checkpoint, folded: [] });
  }
  return { rows, damaged, hidden, more: false, next: null };
}

function isInView(checkpoint: Checkpoint, query: OverviewQuery): boolean {
  const { trigger, session, totals, testResult } = checkpoint;
  if (query.session !== undefined && session !== query.session) return false;
  switch (query.view) {
    case 'turns':
    case 'all':
      return true;
    case 'main':
      return trigger !== 'before' || testResult !== null || hasOtherWork(checkpoint);
    case 'manual':
      return trigger === 'manual';
    case 'multi-file':
      return totals.files > 1;
  }
}

/** @param steps newest first */
function isTiny(steps: readonly Checkpoint[]): boolean {
  const [newest] = steps;
  const oldest = steps.at(-1);
  if (newest === undefined || oldest === undefined) return false;
  if (Math.abs(newest.time - oldest.time) > TINY_MS) return false;
  let lines = 0;
  for (const step of steps) {
    const [change, another] = step.changes ?? [];
    if (step.trigger !== 'call' || step.session === null || step.session !== newest.session) return false;
    if (change === undefined || another !== undefined || change.added === null || change.removed === null) return false;
    if (change.path !== newest.changes?.[0]?.path || change.operation === 'rename') return false;
    // A checkpoint that may be incomplete or misattributed keeps its own row.
    if (step.late || step.partial.length > 0 || step.unsettled.length > 0) return false;
    lines += change.added + change.removed;
  }
  return lines < TINY_LINES;
}
