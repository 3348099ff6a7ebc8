/** A plan as callers see it: with its status and its changes. */

import type { Patch } from '../../content/unified-patch.ts';
import type { Pace } from '../../io/pace.ts';
import type { ChangeTotals } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CheckpointId, checkpointId, PLAN_ID, type PlanId } from '../../model/ids.ts';
import type { Plan, PlanApplication, PlanInfo, PlanStatus } from '../../model/plan.ts';
import { appliedDescription } from '../../plan/apply-plan.ts';
import { type PlanChange, selectionOf } from '../../plan/selection.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { patchOf } from '../../timeline/diff/compare.ts';
import { type CheckpointInEffect, checkpointsInEffect } from '../../timeline/query/in-effect.ts';
import { readPlan, readPlans } from '../../timeline/record/plan-records.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';

export interface PlanView {
  readonly plan: PlanInfo;
  readonly status: PlanStatus;
  /** The checkpoint that it was proposed on. */
  readonly base: CheckpointId;
  /** The checkpoints that applied it or its phases, and are still in effect. */
  readonly applied: readonly CheckpointId[];
  /** The proposed changes, with what was decided about them. */
  readonly changes: readonly PlanChange[];
  /** Of all proposed changes. */
  readonly totals: ChangeTotals;
  /** Of exactly what would be applied now, without what was rejected. */
  readonly fingerprint: string;
  /** Of all proposed changes. Null unless requested. */
  readonly patch: Patch | null;
}

/**
 * @param given an id, also without `plan_`, or `last` for the newest
 * @throws SavepointError UNKNOWN_PLAN, STORE_DAMAGED
 */
export function findPlan({ store }: Workspace, given: string): Plan {
  const id = PLAN_ID.test(given) ? given : `plan_${given}`;
  const found = PLAN_ID.test(id) ? readPlan(store.objects, store.refs, id as PlanId) : null;
  if (found !== null) return found;
  const { plans } = readPlans(store.objects, store.refs);
  const newest = plans.at(-1);
  if (given === 'last' && newest !== undefined) return newest;
  const known = plans.map((one) => one.id);
  throw new SavepointError('UNKNOWN_PLAN', `There is no plan ${JSON.stringify(given)}.`, { given, known });
}

/** @param hunks as for `selectionOf` */
export async function viewOf(
  workspace: Workspace,
  plan: Plan,
  patch: boolean,
  pace: Pace,
  hunks: 'all' | 'decided' = 'all',
): Promise<PlanView> {
  const { timeline, store } = workspace;
  const objects = new OverlayBatch(store.objects);
  const { changes, fingerprint } = await selectionOf(objects, plan, pace, hunks);
  const applications = applicationsOf(timeline, store.objects, plan);
  const sum = (count: (change: PlanChange['change']) => number | null): number =>
    changes.reduce((total, { change }) => total + (count(change) ?? 0), 0);
  const { before: _before, proposed: _proposed, ...info } = plan;
  return {
    plan: info,
    status: statusOf(plan, applications, fingerprint),
    base: checkpointId(plan.base),
    applied: applications.filter((one) => one.isInEffect).map(({ checkpoint }) => checkpointId(checkpoint)),
    changes,
    totals: { files: changes.length, added: sum(({ added }) => added), removed: sum(({ removed }) => removed) },
    fingerprint,
    patch: patch
      ? await patchOf(
          objects,
          changes.map(({ change }) => change),
          pace,
        )
      : null,
  };
}

/** An application that took place. */
export interface KnownApplication extends PlanApplication {
  /** Whether it was not undone or rolled back since. */
  readonly isInEffect: boolean;
}

/** An application is recorded before it happens: only those whose checkpoint exists took place. */
export function applicationsOf(timeline: Timeline, objects: ObjectReader, plan: Plan): readonly KnownApplication[] {
  const numbers = plan.applications.map(({ checkpoint }) => checkpoint);
  const known = checkpointsInEffect(timeline, objects, numbers);
  return plan.applications.flatMap((one) => {
    const found = known.get(one.checkpoint);
    return found !== undefined && isOf(plan, one, found) ? [{ ...one, isInEffect: !found.isReverted }] : [];
  });
}

/** @param fingerprint of what would be applied now */
export function statusOf(plan: Plan, applications: readonly KnownApplication[], fingerprint: string): PlanStatus {
  const inEffect = applications.filter((one) => one.isInEffect);
  if (isWholeApplied(plan, inEffect)) return 'applied';
  if (plan.cancelled !== null) return 'cancelled';
  if (applications.length > 0 && inEffect.length === 0) return 'rolled-back';
  return plan.approval?.fingerprint === fingerprint ? 'approved' : 'pending';
}

function isOf(plan: Plan, { phase }: PlanApplication, { checkpoint }: CheckpointInEffect): boolean {
  return checkpoint.trigger === 'apply' && checkpoint.description === appliedDescription(plan, phase);
}

function isWholeApplied({ phases }: Plan, inEffect: readonly PlanApplication[]): boolean {
  if (inEffect.some(({ phase }) => phase === null)) return true;
  return phases.length > 0 && phases.every((_, index) => inEffect.some(({ phase }) => phase === index));
}
