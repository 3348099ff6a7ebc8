/** How the work of agents goes, read off the timeline: what stood, what was taken back, how long calls took. */

import { type Author, type Checkpoint, isOperation, isReversion } from '../../model/checkpoint.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { Activity } from '../activity/activity.ts';
import { activitySource } from '../activity/source.ts';
import type { DamagedCheckpoint, Timeline } from '../record/timeline.ts';

/** Shares are 0 to 1; null where there is nothing to take a share of. */
export interface Stats {
  /** Changes that agents made with their tools, and that Savepoint made by an edit; nobody else's. */
  readonly changes: {
    readonly all: number;
    readonly standing: number;
    /** Of all, those that stand. */
    readonly success: number | null;
  };
  /** The calls and edits that they came of. */
  readonly steps: {
    readonly all: number;
    /** Of which something was taken back. */
    readonly takenBack: number;
    readonly rollBackRate: number | null;
  };
  readonly acts: Readonly<Record<'restore' | 'edit' | 'undo' | 'redo' | 'rollback', number>>;
  /** From the beginning of a call to its end, of calls that changed something. */
  readonly timeToApply: Durations;
  /** Of those, calls that changed three files or more. */
  readonly threeFiles: Durations;
  readonly damaged: readonly DamagedCheckpoint[];
}

export interface Durations {
  readonly calls: number;
  /** Milliseconds. */
  readonly median: number | null;
  readonly p95: number | null;
}

/** What the figures are to be beside: shares, and milliseconds for a change of three files. */
export const TARGETS = { success: 0.85, rollBackRate: 0.2, threeFiles: 30_000 } as const;

export function statsOf(timeline: Timeline, objects: ObjectReader): Stats {
  const activity = new Activity(activitySource(objects, timeline.reader()));
  const acts = { restore: 0, edit: 0, undo: 0, redo: 0, rollback: 0 };
  const damaged: DamagedCheckpoint[] = [];
  const durations: number[] = [];
  const ofThree: number[] = [];
  /** Call or act to whether something of it was taken back. */
  const steps = new Map<string, boolean>();
  let all = 0;
  let standing = 0;
  for (const { checkpoint, damaged: damagedCheckpoint } of timeline.newestFirst()) {
    if (checkpoint === null) {
      damaged.push(damagedCheckpoint);
      continue;
    }
    activity.visit(checkpoint);
    const { trigger, changes, tool } = checkpoint;
    if (trigger in acts) acts[trigger as keyof typeof acts] += 1;
    if (trigger === 'call' && typeof tool?.took === 'number') {
      durations.push(tool.took);
      if (checkpoint.totals.files >= 3) ofThree.push(tool.took);
    }
    for (const change of changes ?? []) {
      const step = stepOf(change.by.authors, checkpoint);
      if (step === null) continue;
      const { reversion: reverted, hunks } = activity.effectOf(change);
      all += 1;
      if (reverted === null) standing += 1;
      steps.set(step, reverted !== null || hunks.size > 0 || (steps.get(step) ?? false));
    }
  }
  const back = [...steps.values()].filter((isReverted) => isReverted).length;
  return {
    changes: { all, standing, success: all === 0 ? null : standing / all },
    steps: { all: steps.size, takenBack: back, rollBackRate: steps.size === 0 ? null : back / steps.size },
    acts,
    timeToApply: durationsOf(durations),
    threeFiles: durationsOf(ofThree),
    damaged,
  };
}

/** What a change came of; null for one from outside, and for what brought an earlier state back. */
function stepOf(authors: readonly Author[], { id, trigger }: Checkpoint): string | null {
  if (isReversion(trigger)) return null;
  if (isOperation(trigger)) return id;
  const author = authors.find(({ call }) => call !== null);
  return author === undefined ? null : JSON.stringify([author.session, author.call]);
}

function durationsOf(found: readonly number[]): Durations {
  const sorted = [...found].sort((a, b) => a - b);
  const at = (share: number): number | null => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { calls: sorted.length, median: at(0.5), p95: at(0.95) };
}
