/** How many plans there are, and what became of them. */

import type { Pace } from '../../io/pace.ts';
import { isAnythingAccepted, type PlanChange, selectionOf } from '../../plan/selection.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { durationsOf } from '../../timeline/query/stats.ts';
import { applicationsOf } from './applications.ts';
import { allPlans } from './stored-plans.ts';

/** Of the plans that are kept. */
export interface PlanCounts {
  readonly all: number;
  /** Those that were approved, whatever became of them. */
  readonly approved: number;
  /** Those of which something is in effect. */
  readonly applied: number;
  /** Those of which all that was applied was rolled back. */
  readonly rolledBack: number;
  readonly cancelled: number;
  /** Paths that all of them propose to change. */
  readonly files: number;
  /** Of these, those of which nothing would be applied. */
  readonly rejectedFiles: number;
  /** Rejected hunks of the others. */
  readonly rejectedHunks: number;
  /** Runs of their checks, before or after they were applied, that found new failures. */
  readonly failedChecks: number;
  /** Those that may be, or were, applied although their checks failed. */
  readonly overrides: number;
  /** From the approval to the application. */
  readonly timeToApply: {
    /** How often a plan, or a phase of one, was applied. */
    readonly applications: number;
    /** Milliseconds. */
    readonly median: number | null;
    readonly p95: number | null;
  };
}

/** Plans that cannot be read are not counted. */
export async function planCounts(workspace: Workspace, pace: Pace): Promise<PlanCounts> {
  const { store, timeline } = workspace;
  const { plans } = allPlans(workspace);
  const changes: PlanChange[] = [];
  for (const plan of plans) {
    changes.push(...(await selectionOf(new OverlayBatch(store.objects), plan, pace)).changes);
  }
  const found = plans.map((plan) => {
    const applications = applicationsOf(timeline, store.objects, plan);
    return { plan, applications, isApplied: applications.some((one) => one.isInEffect) };
  });
  const count = (matches: (one: (typeof found)[number]) => boolean): number => found.filter(matches).length;
  const waits = found.flatMap(({ applications }) => applications.map(({ time, approval }) => time - approval.time));
  const { calls: applications, median, p95 } = durationsOf(waits);
  const partly = changes.filter(isAnythingAccepted);
  return {
    all: plans.length,
    approved: count(({ plan, applications: done }) => plan.approval !== null || done.length > 0),
    applied: count(({ isApplied }) => isApplied),
    rolledBack: count(({ applications: done, isApplied }) => done.length > 0 && !isApplied),
    cancelled: count(({ plan, isApplied }) => plan.cancelled !== null && !isApplied),
    files: changes.length,
    rejectedFiles: changes.length - partly.length,
    rejectedHunks: partly.flatMap(({ hunks }) => hunks ?? []).filter(({ accepted }) => accepted === false).length,
    failedChecks: plans.reduce((sum, { failedRuns }) => sum + failedRuns, 0),
    overrides: count(({ plan }) => plan.override !== null),
    timeToApply: { applications, median, p95 },
  };
}
