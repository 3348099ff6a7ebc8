/** Plans that are still open, and those that are old enough to be dropped. */

import type { Pace } from '../../io/pace.ts';
import type { PlanId } from '../../model/ids.ts';
import type { Plan } from '../../model/plan.ts';
import { isDamage } from '../../store/objects/damage.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Context } from '../context.ts';
import { applicationsOf, inEffect, leftOf } from './applications.ts';
import { selectionIn } from './plan-view.ts';
import { allPlans, dropPlans } from './stored-plans.ts';

/** An open plan: neither applied as a whole, nor rolled back, nor cancelled. */
export interface OpenPlan {
  readonly id: PlanId;
  readonly intent: string;
  /** When it is dropped unless it changes, in milliseconds since 1970. */
  readonly expires: number;
}

export async function openPlans(workspace: Workspace, context: Context, pace: Pace): Promise<readonly OpenPlan[]> {
  const { planMs } = context.effectiveSettings(workspace.root);
  const open: OpenPlan[] = [];
  for (const plan of allPlans(workspace).plans) {
    if (plan.cancelled !== null || (await isSettled(workspace, plan, pace))) continue;
    open.push({ id: plan.id, intent: plan.intent, expires: plan.updated + planMs });
  }
  return open;
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

/** Whether it was applied as a whole, or rolled back. */
async function isSettled(workspace: Workspace, plan: Plan, pace: Pace): Promise<boolean> {
  const { store, timeline } = workspace;
  const applications = applicationsOf(timeline, store.objects, plan);
  if (applications.length === 0) return false;
  if (inEffect(applications).length === 0) return true;
  try {
    const { changes } = await selectionIn(workspace, plan, pace);
    return leftOf(plan, { applications, changes }).length === 0;
  } catch (error) {
    // What is left of it is unknown.
    if (isDamage(error)) return false;
    throw error;
  }
}
