/** A plan as callers see it: with its status and its changes. */

import type { Patch } from '../../content/unified-patch.ts';
import type { Pace } from '../../io/pace.ts';
import type { ChangeTotals } from '../../model/checkpoint.ts';
import { sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CheckpointId, checkpointId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import type {
  Plan,
  PlanApplication,
  PlanCheckResult,
  PlanChecks,
  PlanDependency,
  PlanFinding,
  PlanInfo,
  PlanOverride,
  PlanPhase,
  PlanStatus,
} from '../../model/plan.ts';
import { failedChecks, overrideOf } from '../../plan/checked.ts';
import { phaseOf } from '../../plan/phases.ts';
import {
  isAnythingAccepted,
  type PlanChange,
  type Selection,
  selectionOf,
  totalsOfSelected,
} from '../../plan/selection.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { totalsOf } from '../../timeline/diff/changes.ts';
import { patchOf } from '../../timeline/diff/compare.ts';
import { type CheckpointInEffect, checkpointsInEffect } from '../../timeline/query/in-effect.ts';
import { isAppliedDescription, isMergeWithPlan } from '../../timeline/record/plan-descriptions.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';

export interface PlanView {
  readonly plan: PlanInfo;
  readonly status: PlanStatus;
  /** The checkpoint that it was proposed on. */
  readonly base: CheckpointId;
  /** The checkpoints that applied it or its phases, and are still in effect. */
  readonly applied: readonly CheckpointId[];
  /** In the order in which they are applied; empty: it is applied all at once. */
  readonly phases: readonly PlanPhaseView[];
  /** Null: its checks did not run. */
  readonly checks: PlanChecksView | null;
  /** Of what is applied and in effect. */
  readonly validations: readonly PlanValidation[];
  /** The proposed changes, with what was decided about them. */
  readonly changes: readonly PlanChange[];
  /** Always empty: no analysis finds them yet. */
  readonly dependencies: readonly PlanDependency[];
  /** Always empty: no analysis finds them yet. */
  readonly findings: readonly PlanFinding[];
  /** Of all proposed changes. */
  readonly totals: ChangeTotals;
  /** Of what would be applied now, without what was rejected. */
  readonly selected: ChangeTotals;
  /** Of exactly what would be applied now, without what was rejected. */
  readonly fingerprint: string;
  /** Of all proposed changes. Null unless requested. */
  readonly patch: Patch | null;
}

export interface PlanPhaseView extends PlanPhase {
  /** The checkpoint that applied it and is in effect. */
  readonly applied: CheckpointId | null;
}

/** How checks went after the plan, or a phase of it, was applied. */
export interface PlanValidation extends PlanChecks {
  /** The checkpoint that applied it. */
  readonly checkpoint: CheckpointId;
  /** An index; null: the whole plan. */
  readonly phase: number | null;
}

export interface PlanChecksView {
  readonly time: number;
  /** Whether they ran on exactly what would be applied now. Otherwise they do not count. */
  readonly isCurrent: boolean;
  /** Whether one of them counts and found new failures, or gave no answer. */
  readonly isFailed: boolean;
  /** Why it may be applied all the same. */
  readonly override: PlanOverride | null;
  readonly results: readonly (PlanCheckResult & {
    /** Whether the timeline has a later state of the folder than the one that it ran on. */
    readonly isFolderMoved: boolean;
  })[];
}

export async function viewOf(workspace: Workspace, plan: Plan, patch: boolean, pace: Pace): Promise<PlanView> {
  const { timeline, store } = workspace;
  const objects = new OverlayBatch(store.objects);
  const selection = await selectionOf(objects, plan, pace);
  const { changes, fingerprint } = selection;
  const applications = applicationsOf(timeline, store.objects, plan);
  const totals = totalsOf(changes.map(({ change }) => change));
  const { before: _before, proposed: _proposed, listing: _listing, ...info } = plan;
  const status = statusOf(plan, { ...selection, applications });
  return {
    plan: info,
    status,
    base: checkpointId(plan.base),
    applied: inEffect(applications).map(({ checkpoint }) => checkpointId(checkpoint)),
    phases: plan.phases.map((one, index) => {
      const found = applications.findLast(({ phase, isInEffect }) => isInEffect && phase === index);
      return { ...one, applied: found === undefined ? null : checkpointId(found.checkpoint) };
    }),
    checks: checksViewOf(timeline, plan, fingerprint, status),
    validations: applications.flatMap(({ isInEffect, validation, checkpoint, phase }) =>
      isInEffect && validation !== null ? [{ ...validation, checkpoint: checkpointId(checkpoint), phase }] : [],
    ),
    changes,
    dependencies: [],
    findings: [],
    totals,
    selected: totalsOfSelected(changes),
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
  /** The paths at which it was undone or rolled back since. */
  readonly reverted: readonly TreePath[];
}

/**
 * An application is recorded before it happens: only those whose checkpoint exists took place. What was applied again had
 * been rolled back before, even if the same contents came back.
 */
export function applicationsOf(timeline: Timeline, objects: ObjectReader, plan: Plan): readonly KnownApplication[] {
  const numbers = plan.applications.map(({ checkpoint }) => checkpoint);
  const known = checkpointsInEffect(timeline, objects, numbers);
  const happened = plan.applications.flatMap((one) => {
    const found = known.get(one.checkpoint);
    return found !== undefined && isOf(plan, found)
      ? [{ ...one, isInEffect: !found.isReverted, reverted: found.reverted }]
      : [];
  });
  const newest = new Map(happened.map((one) => [one.phase, one.checkpoint]));
  return happened.map((one) => (newest.get(one.phase) === one.checkpoint ? one : { ...one, isInEffect: false }));
}

export function statusOf(plan: Plan, progress: PlanProgress): PlanStatus {
  const { applications } = progress;
  const isAnyInEffect = applications.some((one) => one.isInEffect);
  if (isAnyInEffect && leftOf(plan, progress).length === 0) return 'applied';
  if (plan.cancelled !== null) return 'cancelled';
  if (isApproved(plan, progress)) return 'approved';
  return applications.length > 0 && !isAnyInEffect ? 'rolled-back' : 'pending';
}

/** Whether a person approved exactly this, and nothing that was applied since was rolled back. */
export function isApproved(
  { approval }: Pick<Plan, 'approval'>,
  { applications, fingerprint }: Pick<PlanProgress, 'applications' | 'fingerprint'>,
): boolean {
  if (approval?.fingerprint !== fingerprint) return false;
  // A policy is asked at each application, because the folder and the policy can change between two phases.
  if (approval.isByPolicy) return false;
  return applications.every(({ time, isInEffect }) => isInEffect || time < approval.time);
}

/** What would be applied of a plan, and what was. */
export interface PlanProgress extends Selection {
  readonly applications: readonly KnownApplication[];
}

export async function progressOf(workspace: Workspace, plan: Plan, pace: Pace): Promise<PlanProgress> {
  const { timeline, store } = workspace;
  const selection = await selectionIn(workspace, plan, pace);
  return { ...selection, applications: applicationsOf(timeline, store.objects, plan) };
}

export function selectionIn({ store }: Workspace, plan: Plan, pace: Pace): Promise<Selection> {
  return selectionOf(new OverlayBatch(store.objects), plan, pace);
}

/** What is left to be applied, in order: phases of which something is accepted. A plan without phases has one, null. */
export function leftOf(
  { phases }: Pick<Plan, 'phases'>,
  { applications, changes }: PlanProgress,
): readonly (number | null)[] {
  const done = inEffect(applications);
  if (done.some(({ phase }) => phase === null)) return [];
  if (phases.length === 0) return [null];
  const wanted = new Set(changes.filter(isAnythingAccepted).map(({ change }) => phaseOf(phases, change.path)));
  return phases.flatMap((_, index) => (wanted.has(index) && !done.some(({ phase }) => phase === index) ? [index] : []));
}

/** The oldest first. */
export function inEffect(applications: readonly KnownApplication[]): readonly KnownApplication[] {
  return applications.filter((one) => one.isInEffect);
}

/**
 * @param what is to be done with it: `applied`, and so on
 * @throws SavepointError USAGE if it is applied or cancelled
 */
export async function assertOpen(workspace: Workspace, plan: Plan, pace: Pace, what: string): Promise<PlanProgress> {
  const progress = await progressOf(workspace, plan, pace);
  const status = statusOf(plan, progress);
  if (status !== 'applied' && status !== 'cancelled') return progress;
  const message =
    what === status ? `${plan.id} is already ${status}.` : `${plan.id} is ${status}, so it cannot be ${what}.`;
  const hint =
    status === 'applied'
      ? `\`savepoint undo\` or \`savepoint plan rollback ${plan.id}\` takes it back.`
      : 'Propose it again to apply it.';
  throw new SavepointError('USAGE', message, { argument: 'id' }, { hint });
}

function isOf({ id }: Plan, { checkpoint: { trigger, description } }: CheckpointInEffect): boolean {
  if (trigger === 'merge') return isMergeWithPlan(description, id);
  return trigger === 'apply' && isAppliedDescription(description, id);
}

function checksViewOf(timeline: Timeline, plan: Plan, fingerprint: string, status: PlanStatus): PlanChecksView | null {
  const { checks } = plan;
  if (checks === null) return null;
  // Once it is applied, the folder differs from what it was applied to.
  const now = status === 'applied' ? null : (timeline.latest()?.snapshot ?? null);
  const known = new Map<number, boolean>();
  const { find } = timeline.reader();
  const isMoved = (base: number): boolean => {
    if (now === null) return false;
    const was = find(checkpointId(base))?.snapshot;
    return was === undefined || !sameSnapshot(was, now);
  };
  for (const { base } of checks.results) if (!known.has(base)) known.set(base, isMoved(base));
  return {
    time: checks.time,
    isCurrent: checks.fingerprint === fingerprint,
    isFailed: failedChecks(checks, fingerprint).length > 0,
    override: overrideOf(plan, fingerprint),
    results: checks.results.map((one) => ({ ...one, isFolderMoved: known.get(one.base) === true })),
  };
}
