/** The plans of a workspace, with what reviews decided since they were written. */

import { SavepointError } from '../../model/errors.ts';
import { PLAN_ID, type PlanId } from '../../model/ids.ts';
import type { Plan, PlanDecision } from '../../model/plan.ts';
import { fingerprintOf } from '../../plan/listing.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import { removeReviewFile } from '../../store/state/review-file.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { type DamagedPlan, readPlan, readPlans, removePlans, storePlan } from '../../timeline/record/plan-records.ts';
import { readReview, writeReview } from '../../timeline/record/review-journal.ts';

/**
 * @param given an id, also without `plan_`, or `last` for the newest
 * @throws SavepointError UNKNOWN_PLAN, STORE_DAMAGED
 */
export function findPlan(workspace: Workspace, given: string): Plan {
  const { store } = workspace;
  const id = PLAN_ID.test(given) ? given : `plan_${given}`;
  const found = PLAN_ID.test(id) ? knownPlan(workspace, id as PlanId) : null;
  if (found !== null) return found;
  const { plans } = readPlans(store.objects, store.refs);
  const newest = plans.at(-1);
  if (given === 'last' && newest !== undefined) return reviewed(workspace, newest);
  const known = plans.map((one) => one.id);
  throw new SavepointError('UNKNOWN_PLAN', `There is no plan ${JSON.stringify(given)}.`, { given, known });
}

/** @returns null if it does not exist any more */
export function knownPlan(workspace: Workspace, id: PlanId): Plan | null {
  const { objects, refs } = workspace.store;
  const found = readPlan(objects, refs, id);
  return found === null ? null : reviewed(workspace, found);
}

/** All plans, the oldest first. */
export function allPlans(workspace: Workspace): {
  readonly plans: readonly Plan[];
  readonly damaged: readonly DamagedPlan[];
} {
  const { store } = workspace;
  const { plans, damaged } = readPlans(store.objects, store.refs);
  const unreadable = [...damaged];
  const found = plans.flatMap((plan) => {
    const whole = unlessDamaged(
      (error) => void unreadable.push({ id: plan.id, error }),
      () => reviewed(workspace, plan),
    );
    return whole === null ? [] : [whole];
  });
  return { plans: found, damaged: unreadable };
}

/** Replaces what is recorded about a plan. Durable on return. The caller holds the store's lock. */
export async function replacePlan({ store, ports }: Workspace, plan: Plan): Promise<void> {
  await storePlan(store, plan);
  removeReviewFile(ports, store.layout, plan.id);
}

/**
 * Records decisions of a review, which costs a small file and no pack. Durable on return. The caller holds the store's lock.
 * @param plan as `findPlan` returns it
 */
export function addDecisions({ ports, store }: Workspace, plan: Plan, made: readonly PlanDecision[]): void {
  const proposal = fingerprintOf(plan.before, plan.proposed);
  const known = readReview(ports, store.layout, plan.id);
  const before = known?.proposal === proposal ? known.decisions : [];
  writeReview(ports, store.layout, plan.id, { proposal, decisions: withDecisions(before, made) });
}

/** Makes what reviews decided a part of their plans. The caller holds the store's lock. */
export async function closeReviews(workspace: Workspace): Promise<void> {
  const { ports, store } = workspace;
  for (const plan of allPlans(workspace).plans) {
    if (readReview(ports, store.layout, plan.id) !== null) await replacePlan(workspace, plan);
  }
}

/** The caller holds the store's lock. */
export function dropPlans({ ports, store }: Workspace, ids: readonly PlanId[]): void {
  removePlans(store.refs, ids);
  for (const id of ids) removeReviewFile(ports, store.layout, id);
}

/** A later decision about the same hunk replaces an earlier one, and one about the whole change replaces all of its hunks'. */
export function withDecisions(old: readonly PlanDecision[], made: readonly PlanDecision[]): readonly PlanDecision[] {
  const kept = new Map<string, PlanDecision[]>();
  for (const one of [...old, ...made]) {
    const same = kept.get(one.path);
    if (same === undefined || one.hunk === null) kept.set(one.path, [one]);
    else kept.set(one.path, [...same.filter(({ hunk }) => hunk !== one.hunk), one]);
  }
  return [...kept.values()].flat();
}

/** The refusal for callers who saw another version of the plan. */
export function changedSince(id: PlanId): SavepointError {
  return new SavepointError(
    'CONFLICT',
    `${id} is not what was shown: it has changed since.`,
    { paths: [] },
    { hint: `Look at it again: \`savepoint plan show ${id}\`.` },
  );
}

function reviewed<One extends Plan>({ ports, store }: Workspace, plan: One): One {
  const review = readReview(ports, store.layout, plan.id);
  if (review === null || review.proposal !== fingerprintOf(plan.before, plan.proposed)) return plan;
  const decisions = withDecisions(plan.decisions, review.decisions);
  return { ...plan, decisions, updated: Math.max(plan.updated, ...review.decisions.map(({ time }) => time)) };
}
