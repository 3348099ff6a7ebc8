/** Computes statistics on the work of agents: which changes are in effect, which were reverted, how long calls took. */

import { type Author, type Checkpoint, isOperation, isReversion } from '../../model/checkpoint.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { Activity } from '../activity/activity.ts';
import { activitySource } from '../activity/source.ts';
import type { DamagedCheckpoint, Timeline } from '../record/timeline.ts';
import type { Series } from './stats-series.ts';

/** Shares are between 0 and 1, and null if the number they refer to is 0. */
export interface Stats {
  /** Only changes that agents made with their tools, or that Savepoint made by an edit. */
  readonly changes: {
    readonly all: number;
    readonly standing: number;
    /** The share of `all` that is in effect. */
    readonly success: number | null;
  };
  /** The calls and edits that made these changes. */
  readonly steps: {
    readonly all: number;
    /** Steps of which something was reverted. */
    readonly takenBack: number;
    readonly rollBackRate: number | null;
  };
  readonly acts: Readonly<Record<'restore' | 'edit' | 'undo' | 'redo' | 'rollback' | 'apply' | 'merge', number>>;
  /** Durations of the calls that changed something, from start to end. */
  readonly timeToApply: Durations;
  /** The same for calls that changed at least three files. */
  readonly threeFiles: Durations;
  readonly damaged: readonly DamagedCheckpoint[];
}

export interface Durations {
  readonly calls: number;
  /** Milliseconds. */
  readonly median: number | null;
  readonly p95: number | null;
}

/** Targets for the figures: shares, and milliseconds for a change of three files. */
export const TARGETS = { success: 0.85, rollBackRate: 0.2, threeFiles: 30_000 } as const;

/** @param series also gets the figures by time */
export function statsOf(timeline: Timeline, objects: ObjectReader, series: Series | null = null): Stats {
  const activity = new Activity(activitySource(objects, timeline.reader()));
  const acts = { restore: 0, edit: 0, undo: 0, redo: 0, rollback: 0, apply: 0, merge: 0 };
  const damaged: DamagedCheckpoint[] = [];
  const durations: number[] = [];
  const durationsOfThree: number[] = [];
  /** Maps each call or operation to whether any part of it was reverted. */
  const steps = new Map<string, boolean>();
  let all = 0;
  let inEffect = 0;
  for (const { checkpoint, damaged: damagedCheckpoint } of timeline.newestFirst()) {
    if (checkpoint === null) {
      damaged.push(damagedCheckpoint);
      continue;
    }
    const effectOf = activity.visit(checkpoint);
    const { trigger, changes, tool } = checkpoint;
    series?.addCheckpoint(checkpoint);
    if (trigger in acts) acts[trigger as keyof typeof acts] += 1;
    if (trigger === 'call' && typeof tool?.took === 'number') {
      durations.push(tool.took);
      if (checkpoint.totals.files >= 3) durationsOfThree.push(tool.took);
    }
    for (const change of changes ?? []) {
      const step = stepOf(change.by.authors, checkpoint);
      if (step === null) continue;
      const { reversion, hunks } = effectOf(change);
      all += 1;
      if (reversion === null) inEffect += 1;
      const isReverted = reversion !== null || hunks.size > 0;
      steps.set(step, isReverted || (steps.get(step) ?? false));
      series?.addChange(checkpoint.time, change, step, isReverted);
    }
  }
  const reverted = [...steps.values()].filter((isReverted) => isReverted).length;
  return {
    changes: { all, standing: inEffect, success: all === 0 ? null : inEffect / all },
    steps: { all: steps.size, takenBack: reverted, rollBackRate: steps.size === 0 ? null : reverted / steps.size },
    acts,
    timeToApply: durationsOf(durations),
    threeFiles: durationsOf(durationsOfThree),
    damaged,
  };
}

export function durationsOf(values: readonly number[]): Durations {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (share: number): number | null => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { calls: sorted.length, median: quantile(0.5), p95: quantile(0.95) };
}

/** Returns a key for the call or edit that made a change; null if neither did. */
function stepOf(authors: readonly Author[], { id, trigger }: Checkpoint): string | null {
  if (isReversion(trigger)) return null;
  if (isOperation(trigger)) return id;
  const author = authors.find(({ call }) => call !== null);
  return author === undefined ? null : JSON.stringify([author.session, author.call]);
}
