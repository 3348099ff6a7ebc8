/** Descriptions of checkpoints that applied plans, or rolled them back. By them, an application that took place is recognised. */

import type { PlanId } from '../../model/ids.ts';
import type { Plan } from '../../model/plan.ts';

/** @param phase an index; null: the whole plan */
export function appliedDescription(plan: Pick<Plan, 'id' | 'intent' | 'phases'>, phase: number | null): string {
  const name = phase === null ? '' : ` (${plan.phases[phase]?.name ?? phase + 1})`;
  return `Applied ${plan.id}${name}: ${plan.intent.split('\n')[0]}`;
}

/** Whether a checkpoint with this description applied the plan. Its texts may have been removed since. */
export function isAppliedDescription(description: string, id: PlanId): boolean {
  const applied = `Applied ${id}`;
  return description === applied || description.startsWith(`${applied}:`) || description.startsWith(`${applied} (`);
}

/** Of the merge of a fork that started with a plan. @param merge what it says without the plan */
export function mergeWithPlan(merge: string, id: PlanId): string {
  return `${merge} with ${id}`;
}

export function isMergeWithPlan(description: string, id: PlanId): boolean {
  return description.split(' ').includes(id);
}

/** The beginning of the description of a rollback. */
export function rolledBackPrefix(plan: Pick<Plan, 'id' | 'phases'>, phase: number | null): string {
  const name = phase === null ? undefined : plan.phases[phase]?.name;
  return `${plan.id}${name === undefined ? '' : ` (${name})`}:`;
}

/** Whether a description says that the plan was applied or rolled back, and may quote it. */
export function quotesPlan(description: string, id: PlanId): boolean {
  return withoutPlanTexts(description)?.includes(id) === true;
}

/** Removes the intent and the name of the phase. @returns null if the description is of no plan */
export function withoutPlanTexts(description: string): string | null {
  const [, applied] = /^(Applied plan_[0-9a-f]{8})(?: \(|:|$)/.exec(description) ?? [];
  if (applied !== undefined) return applied;
  const [, id] = /^(plan_[0-9a-f]{8})(?: \(|:)/.exec(description) ?? [];
  return id === undefined ? null : `${id}: Rolled back`;
}
