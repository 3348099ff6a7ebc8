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
  PlanAnalysis,
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
import { ignoredByGit } from '../../plan/ignored-paths.ts';
import { type PlanChange, type Selection, selectionOf, totalsOfSelected } from '../../plan/selection.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { totalsOf } from '../../timeline/diff/changes.ts';
import { patchOf } from '../../timeline/diff/compare.ts';
import type { Timeline } from '../../timeline/record/timeline.ts';
import {
  applicationsOf,
  inEffect,
  type KnownApplication,
  leftOf,
  type PlanProgress,
  pathsLeftOut,
} from './applications.ts';

export interface PlanView {
  readonly plan: PlanInfo;
  readonly status: PlanStatus;
  /** The checkpoint that it was proposed on. */
  readonly base: CheckpointId;
  /** The checkpoints that applied it or its phases, and are still in effect. Without any, it may have had nothing to change. */
  readonly applied: readonly CheckpointId[];
  /** Everything that applied it, also what was rolled back since, the oldest first. */
  readonly applications: readonly KnownApplication[];
  /** What those in effect left out, because it did not merge with the folder. The next application tries it again. */
  readonly left: readonly TreePath[];
  /** In the order in which they are applied; empty: it is applied all at once. */
  readonly phases: readonly PlanPhaseView[];
  /** Null: its checks did not run. */
  readonly checks: PlanChecksView | null;
  /** Of what is applied and in effect. */
  readonly validations: readonly PlanValidation[];
  /** The proposed changes, with what was decided about them. */
  readonly changes: readonly PlanChange[];
  /** Files that git ignores, so that a commit of the plan leaves them out. Null: not looked up. */
  readonly ignored: readonly TreePath[] | null;
  /** Null: its code was not analysed. */
  readonly analysis: PlanAnalysisView | null;
  /** Of an analysis of exactly what would be applied now. Otherwise empty. */
  readonly dependencies: readonly PlanDependency[];
  /** Of an analysis of exactly what would be applied now, the worst first. Otherwise empty. */
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
  /** The checkpoint that applied it and is in effect. Null if it is not applied, or changed nothing. */
  readonly applied: CheckpointId | null;
  /** Whether nothing of it is left to be applied. */
  readonly isDone: boolean;
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

export interface PlanAnalysisView extends Omit<PlanAnalysis, 'findings' | 'dependencies'> {
  /** Whether it is of exactly what would be applied now. Otherwise it does not count. */
  readonly isCurrent: boolean;
}

export async function viewOf(workspace: Workspace, plan: Plan, patch: boolean, pace: Pace): Promise<PlanView> {
  const { timeline, store } = workspace;
  const objects = new OverlayBatch(store.objects);
  const selection = await selectionOf(objects, plan, pace);
  const { changes, fingerprint } = selection;
  const applications = applicationsOf(timeline, store.objects, plan);
  const totals = totalsOf(changes.map(({ change }) => change));
  const { before: _before, proposed: _proposed, listing: _listing, ...info } = plan;
  const progress = { ...selection, applications };
  const status = statusOf(plan, progress);
  const left = leftOf(plan, progress);
  const changed = inEffect(applications).filter(({ isEmpty }) => !isEmpty);
  return {
    plan: info,
    status,
    base: checkpointId(plan.base),
    applied: changed.map(({ checkpoint }) => checkpointId(checkpoint)),
    applications,
    left: pathsLeftOut(left),
    phases: plan.phases.map((one, index) => {
      const found = changed.findLast(({ phase }) => phase === index);
      const isDone = left.every(({ phase }) => phase !== null && phase !== index);
      return { ...one, applied: found === undefined ? null : checkpointId(found.checkpoint), isDone };
    }),
    checks: checksViewOf(timeline, plan, fingerprint, status),
    validations: applications.flatMap(({ isInEffect, validation, checkpoint, phase }) =>
      isInEffect && validation !== null ? [{ ...validation, checkpoint: checkpointId(checkpoint), phase }] : [],
    ),
    changes,
    ignored: null,
    ...analysisViewOf(plan, fingerprint),
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

export async function progressOf(workspace: Workspace, plan: Plan, pace: Pace): Promise<PlanProgress> {
  const { timeline, store } = workspace;
  const selection = await selectionIn(workspace, plan, pace);
  return { ...selection, applications: applicationsOf(timeline, store.objects, plan) };
}

/** The same with the files that git ignores. @param variables the environment of the user */
export async function withIgnored(
  workspace: Workspace,
  view: PlanView,
  variables: Readonly<Record<string, string>>,
): Promise<PlanView> {
  const paths = view.changes.flatMap(({ change: { path, before, after } }) =>
    (after ?? before)?.kind === 'folder' ? [] : [path],
  );
  return { ...view, ignored: [...(await ignoredByGit(workspace, paths, variables))] };
}

export function selectionIn({ store }: Workspace, plan: Plan, pace: Pace): Promise<Selection> {
  return selectionOf(new OverlayBatch(store.objects), plan, pace);
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
    isFailed: failedChecks({ checks, analysis: null }, fingerprint).length > 0,
    override: overrideOf(plan, fingerprint),
    results: checks.results.map((one) => ({ ...one, isFolderMoved: known.get(one.base) === true })),
  };
}

function analysisViewOf(
  { analysis }: Plan,
  fingerprint: string,
): Pick<PlanView, 'analysis' | 'dependencies' | 'findings'> {
  if (analysis === null) return { analysis, dependencies: [], findings: [] };
  const { findings, dependencies, ...rest } = analysis;
  const isCurrent = analysis.fingerprint === fingerprint;
  return {
    analysis: { ...rest, isCurrent },
    dependencies: isCurrent ? dependencies : [],
    findings: isCurrent ? findings : [],
  };
}
