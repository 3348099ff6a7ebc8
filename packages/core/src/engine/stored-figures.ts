/** Adds to figures over time what is not on the timeline: plans, checks, and what the guard did. */

import type { PlanApproval } from '../model/plan.ts';
import { unlessDamaged } from '../store/objects/damage.ts';
import { readCheckSummaries } from '../store/state/check-summaries.ts';
import { readGuardState } from '../store/state/guard.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Series } from '../timeline/query/stats-series.ts';
import { applicationsOf } from './plans/applications.ts';
import { allPlans } from './plans/stored-plans.ts';

/** What cannot be read is not counted. */
export function addStoredFigures(workspace: Workspace, series: Series): void {
  const { ports, store } = workspace;
  addPlans(workspace, series);
  const summaries = unlessDamaged(undefined, () => readCheckSummaries(ports, store.layout));
  for (const { time, checks } of summaries?.values() ?? []) {
    for (const { outcome } of checks) {
      if (outcome === 'passed') series.add(time, 'checksPassed');
      if (outcome === 'failed') series.add(time, 'checksFailed');
    }
  }
  for (const { time, outcome } of readGuardState(ports, store.layout).events)
    if (outcome === 'taken-back') series.add(time, 'guardTookBack');
}

function addPlans(workspace: Workspace, series: Series): void {
  const { store, timeline } = workspace;
  for (const plan of allPlans(workspace).plans) {
    series.add(plan.created, 'plansProposed');
    const applications = plan.applications.length === 0 ? [] : applicationsOf(timeline, store.objects, plan);
    for (const { time, approval } of applications) {
      series.add(time, 'plansApplied');
      series.addDuration(time, 'timeToApply', time - approval.time);
    }
    const approvals = [...applications.map(({ approval }) => approval), plan.approval];
    const first = earliest(approvals.filter((one) => one !== null));
    if (first === null) continue;
    series.add(first, 'plansApproved');
    series.addDuration(first, 'timeToApproval', first - plan.created);
  }
}

function earliest(approvals: readonly PlanApproval[]): number | null {
  return approvals.length === 0 ? null : Math.min(...approvals.map(({ time }) => time));
}
