/** A fork that starts with a plan: it is tried there, and the merge of the fork applies it to the workspace. */

import type { Fork } from '../../fork/fork.ts';
import type { StartOfFork } from '../../fork/fork-authors.ts';
import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Actor, Checkpoint } from '../../model/checkpoint.ts';
import { type Snapshot, sameEntry } from '../../model/entries.ts';
import type { PlanId } from '../../model/ids.ts';
import type { Plan } from '../../model/plan.ts';
import type { Operation } from '../../operation/operation.ts';
import { proposeOperation } from '../../operation/propose.ts';
import { applyPlanOperation, authorsIn } from '../../plan/apply-plan.ts';
import { NO_CHOICES } from '../../rewind/conflict-choices.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { stateAt } from '../../timeline/diff/snapshot-diff.ts';
import { mergeWithPlan } from '../../timeline/record/plan-descriptions.ts';
import type { Engine } from '../engine.ts';
import { callerOf } from '../served-call.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { approvedBy } from './apply.ts';
import { assertOpen, isApproved, progressOf, selectionIn, statusOf } from './plan-view.ts';
import { findPlan, knownPlan, replacePlan } from './stored-plans.ts';

export interface PlanStart {
  readonly plan: PlanId;
  /** The folder as it is. */
  readonly now: Checkpoint;
  /** The folder with the plan. */
  readonly state: Snapshot;
}

/** @throws SavepointError UNKNOWN_PLAN, NEEDS_CONFIRMATION if it is not approved, CONFLICT if it does not merge with the folder */
export async function planInFork(
  engine: Engine,
  operating: WriteOperationContext,
  id: string,
  options: CallOptions,
): Promise<PlanStart> {
  const { workspace, pace } = operating;
  const plan = findPlan(workspace, id);
  const progress = await assertOpen(workspace, plan, pace, 'applied');
  const { approval, checkedOn } = approvedBy(engine, workspace, plan, progress);
  const by = callerOf(engine, workspace, options);
  const request = { plan: { ...plan, approval }, rebase: true, choices: NO_CHOICES, phases: null, by };
  const operation = applyPlanOperation(
    workspace,
    checkedOn === null ? request : { ...request, onlyOn: checkedOn },
    pace,
  );
  const { before, proposed } = await proposeOperation(operating, operation, (_, found) => found);
  return { plan: plan.id, now: before, state: proposed };
}

/** Nothing, if the fork does not start with a plan that still exists. */
export async function startOf(workspace: Workspace, { plan: id }: Fork, pace: Pace): Promise<StartOfFork> {
  const { objects } = workspace.store;
  const plan = id === null ? null : knownPlan(workspace, id);
  if (plan === null) return () => null;
  const { selected } = await selectionIn(workspace, plan, pace);
  const read = cachedFolderReader(objects);
  const by = authorsIn(plan);
  return (path) => {
    const { entry } = stateAt(read, selected, path);
    return sameEntry(entry, stateAt(read, plan.before, path).entry) ? null : { entry, by: by(path) };
  };
}

/** A merge of a whole fork is an application of the plan that the fork started with, if that is still approved. */
export async function withApplication(
  workspace: Workspace,
  { plan: id }: Fork,
  by: Actor,
  merge: Operation,
  pace: Pace,
): Promise<Operation> {
  const plan = id === null ? null : knownPlan(workspace, id);
  if (plan === null) return merge;
  const progress = await progressOf(workspace, plan, pace);
  if (statusOf(plan, progress) !== 'approved' || !isApproved(plan, progress)) return merge;
  return {
    ...merge,
    info: { ...merge.info, description: mergeWithPlan(merge.info.description, plan.id) },
    beforeChange: async (change) => {
      await merge.beforeChange?.(change);
      await recordApplication(workspace, plan, by, change.number, progress.fingerprint);
    },
  };
}

async function recordApplication(
  workspace: Workspace,
  plan: Plan,
  by: Actor,
  checkpoint: number,
  fingerprint: string,
): Promise<void> {
  const { approval } = plan;
  if (approval === null) return;
  const time = workspace.ports.clock.now();
  const application = { by, time, checkpoint, phase: null, fingerprint, approval, validation: null };
  const known = plan.applications.filter((one) => one.checkpoint !== checkpoint);
  await replacePlan(workspace, { ...plan, updated: time, applications: [...known, application] });
}
