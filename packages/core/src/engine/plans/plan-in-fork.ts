/** A fork that starts with a plan: it is tried there, and the merge of the fork applies it to the workspace. */

import { showName } from '../../content/show-name.ts';
import type { PlanInCopy } from '../../copy/copy.ts';
import type { Fork } from '../../fork/fork.ts';
import type { StartOfFork } from '../../fork/fork-authors.ts';
import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Actor, Checkpoint } from '../../model/checkpoint.ts';
import { type Snapshot, sameEntry } from '../../model/entries.ts';
import { WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Plan } from '../../model/plan.ts';
import type { ChangeSet } from '../../operation/change-set.ts';
import type { CurrentState, Operation } from '../../operation/operation.ts';
import { proposeOperation } from '../../operation/propose.ts';
import { applyPlanOperation, authorsIn, withApplied } from '../../plan/apply-plan.ts';
import { isAnythingAccepted } from '../../plan/selection.ts';
import { NO_CHOICES } from '../../rewind/conflict-choices.ts';
import { editSnapshot } from '../../store/snapshot/edit-snapshot.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { stateAt } from '../../timeline/diff/snapshot-diff.ts';
import { mergeWithPlan } from '../../timeline/record/plan-descriptions.ts';
import type { Engine } from '../engine.ts';
import { callerOf } from '../served-call.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { leftOf, type PlanProgress } from './applications.ts';
import { approvedBy } from './apply.ts';
import { assertOpen, progressOf, selectionIn, statusOf } from './plan-view.ts';
import { findPlan, knownPlan, replacePlan } from './stored-plans.ts';

export interface PlanStart extends PlanInCopy {
  /** Of what the plan would apply. */
  readonly fingerprint: string;
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
  const what = { plan: { ...plan, approval }, rebase: true, choices: NO_CHOICES, parts: leftOf(plan, progress) };
  const operation = applyPlanOperation(workspace, { ...what, by, onlyOn: checkedOn }, pace);
  const { before, proposed } = await proposeOperation(operating, operation, (_, found) => found);
  const { id: of, revision } = plan;
  return { plan: of, revision, fingerprint: progress.fingerprint, now: before, state: proposed };
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

/** A merge of a fork that started with a plan. */
export interface MergeWithPlan {
  readonly fork: Fork;
  /** Whether everything is merged, and nothing of the fork was merged before. */
  readonly isWhole: boolean;
  /** The actor that merges it. */
  readonly by: Actor;
}

/**
 * The merge of a fork is an application of the plan that the fork started with, if the plan is approved as the fork had it, and
 * its files are then in the folder as it says. Otherwise it is a merge only, and says so.
 */
export function withApplication(workspace: Workspace, request: MergeWithPlan, merge: Operation, pace: Pace): Operation {
  const { fork, by } = request;
  const { plan: id } = fork;
  if (id === null) return merge;
  let applied: { readonly plan: Plan; readonly fingerprint: string } | null = null;
  return {
    ...merge,
    plan: async (current) => {
      applied = null;
      const changes = await merge.plan(current);
      const plan = knownPlan(workspace, id);
      if (plan === null || changes.paths.length === 0) return changes;
      const progress = await progressOf(workspace, plan, pace);
      const status = statusOf(plan, progress);
      if (status === 'applied') return changes;
      const why = status === 'approved' ? whyNotApplied(progress, request, current, changes) : `it is ${status}`;
      if (why !== null) {
        const note = {
          path: WORKSPACE_ITSELF,
          why: `gets files of fork ${fork.name}, but that does not apply ${id}: ${why}`,
        };
        return { ...changes, notes: [...(changes.notes ?? []), note] };
      }
      applied = { plan, fingerprint: progress.fingerprint };
      return { ...changes, description: mergeWithPlan(changes.description ?? merge.info.description, id) };
    },
    beforeChange: async (change) => {
      await merge.beforeChange?.(change);
      if (applied === null) return;
      const { plan, fingerprint } = applied;
      const time = workspace.ports.clock.now();
      const made = {
        ...{ by, time, checkpoint: change.number, isEmpty: false, fingerprint },
        ...{ phase: null, paths: null, left: [] },
      };
      await replacePlan(workspace, withApplied(plan, made));
    },
  };
}

/** @returns null if the merge applies the plan */
function whyNotApplied(
  progress: PlanProgress,
  { fork, isWhole }: MergeWithPlan,
  { objects, snapshot }: CurrentState,
  { paths }: ChangeSet,
): string | null {
  if (progress.fingerprint !== fork.planFingerprint) return 'it is not what the fork started with';
  if (!isWhole) return 'the fork is merged in parts';
  const merged = editSnapshot(objects, snapshot, paths);
  const read = cachedFolderReader(objects);
  const others = progress.changes
    .filter(isAnythingAccepted)
    .flatMap(({ change: { path, from } }) => (from === null ? [path] : [path, from]))
    .filter((path) => !sameEntry(stateAt(read, merged, path).entry, stateAt(read, progress.selected, path).entry));
  const [first] = others;
  if (first === undefined) return null;
  const more = others.length > 1 ? `, as ${others.length - 1} more` : '';
  return `${showName(first)} is not as it says after the merge${more}`;
}
