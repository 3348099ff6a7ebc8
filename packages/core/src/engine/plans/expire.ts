/** Plans that are still open, and those that are old enough to be dropped. */

import type { PlanId } from '../../model/ids.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Context } from '../context.ts';
import { applicationsOf } from './plan-view.ts';
import { allPlans, dropPlans } from './stored-plans.ts';

/** An open plan: neither applied as a whole, nor rolled back, nor cancelled. */
export interface OpenPlan {
  readonly id: PlanId;
  readonly intent: string;
  /** When it is dropped unless it changes, in milliseconds since 1970. */
  readonly expires: number;
}

export function openPlans(workspace: Workspace, context: Context): readonly OpenPlan[] {
  const { store, timeline, root } = workspace;
  const { planMs } = context.effectiveSettings(root);
  return allPlans(workspace).plans.flatMap((plan) => {
    const done = applicationsOf(timeline, store.objects, plan);
    const isPart = plan.phases.length > 0 && done.some((one) => one.isInEffect && one.phase !== null);
    if (plan.cancelled !== null || (done.length > 0 && !isPart)) return [];
    return [{ id: plan.id, intent: plan.intent, expires: plan.updated + planMs }];
  });
}

/**
 * Drops the plans that were not changed for too long. What only they have goes with the next clean-up.
 * @param isTooLarge the store needs room, so those that are cancelled go as well
 * @returns whether there were any
 */
export function dropExpiredPlans(workspace: Workspace, context: Context, isTooLarge = false): boolean {
  const { ports, root } = workspace;
  const { planMs } = context.effectiveSettings(root);
  const oldest = ports.clock.now() - planMs;
  const { plans } = allPlans(workspace);
  const expired = plans.filter(({ updated, cancelled }) => updated < oldest || (isTooLarge && cancelled !== null));
  if (expired.length > 0) {
    dropPlans(
      workspace,
      expired.map(({ id }) => id),
    );
  }
  return expired.length > 0;
}
