/** Applies a plan, or its next phase, in one operation. */

import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { PlanId } from '../../model/ids.ts';
import type { Plan, PlanApproval, PlanCheckResult, PlanOverride } from '../../model/plan.ts';
import type { OperationResult, Preview } from '../../operation/operation.ts';
import { type ApplyPlanRequest, applyPlanOperation } from '../../plan/apply-plan.ts';
import { failedChecks, overrideOf } from '../../plan/checked.ts';
import { ignoredByGit } from '../../plan/ignored-paths.ts';
import type { PlanPart } from '../../plan/phases.ts';
import type { Selection } from '../../plan/selection.ts';
import { NO_CHOICES } from '../../rewind/conflict-choices.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { type ConflictOptions, conflictChoicesIn } from '../conflict-options.ts';
import { checksFailed } from '../copies/failed-checks.ts';
import type { Engine } from '../engine.ts';
import { makeRoom } from '../maintenance.ts';
import { type OperationOptions, preview, runAndAnnounce } from '../operate.ts';
import { callerOf } from '../served-call.ts';
import { assertByUser, assertForcedByPerson } from '../shell-call.ts';
import { leftOf, type PlanProgress } from './applications.ts';
import { assertOpen, isApproved, progressOf } from './plan-view.ts';
import { policyAnswer } from './policy-approval.ts';
import { findPlan } from './stored-plans.ts';

export interface ApplyPlanOptions extends OperationOptions, ConflictOptions {
  /** Merge with what changed in the folder since the plan was made. Default: such changes are conflicts. */
  readonly rebase?: boolean;
  /** Why it is applied although its checks failed. It is recorded with the plan. Only a person may do this. */
  readonly override?: string;
}

/** Returns what would be applied: all that is left of it. Of an applied plan, that is nothing. */
export async function previewApplyOf(engine: Engine, id: string, options: ApplyPlanOptions): Promise<Preview> {
  return engine.read(async (workspace, { places }) => {
    const pace = engine.pace(options);
    const plan = findPlan(workspace, id);
    const left = leftOf(plan, await progressOf(workspace, plan, pace));
    const request = requestOf(engine, workspace, { plan, parts: left }, options);
    const seen = await preview(engine, workspace, applyPlanOperation(workspace, request, pace), options);
    const files = seen.plan.paths.flatMap(({ path, from, to }) => ((to ?? from)?.kind === 'folder' ? [] : [path]));
    const ignored = [...(await ignoredByGit(workspace, files, places.variables?.() ?? {}))];
    const notes = ignored.slice(0, MAX_NOTES).map((path) => ({ path, why: IGNORED }));
    if (notes.length === 0) return seen;
    return { ...seen, plan: { ...seen.plan, notes: [...(seen.plan.notes ?? []), ...notes] } };
  });
}

/** Applies the plan, or the next of its phases. @param given only this; absent: the next */
export async function applyNext(
  engine: Engine,
  id: string,
  options: ApplyPlanOptions,
  given?: PlanPart,
): Promise<OperationResult> {
  return engine.operate(options, async (operating) => {
    const { workspace, pace } = operating;
    await makeRoom(operating, 'all');
    const plan = findPlan(workspace, id);
    const progress = await assertOpen(workspace, plan, pace, 'applied');
    const { approval, checkedOn } = approvedBy(engine, workspace, plan, progress);
    if (options.force === true) assertForcedByPerson(engine, workspace, 'plan apply');
    // These bytes, or the loss of the current ones, are not what was approved.
    const { prefer, resolutions } = options;
    if ((prefer?.size ?? 0) + (resolutions?.size ?? 0) > 0) assertByUser(engine, workspace, 'planResolve');
    const override = overrideIn(engine, workspace, plan, progress, options);
    const left = leftOf(plan, progress);
    // Another process may have applied it meanwhile. Then there is nothing to do.
    const next = given === undefined ? left[0] : left.find(({ phase }) => phase === given.phase);
    const parts = next === undefined ? [] : [next];
    const what = { plan: { ...plan, approval, override }, parts, onlyOn: checkedOn };
    const request = requestOf(engine, workspace, what, options);
    return runAndAnnounce(engine, operating, 'apply:completed', applyPlanOperation(workspace, request, pace), options);
  });
}

/** @throws SavepointError NEEDS_CONFIRMATION */
export function approvedBy(
  engine: Engine,
  workspace: Workspace,
  plan: Plan,
  progress: PlanProgress,
): { readonly approval: PlanApproval | null; readonly checkedOn: Snapshot | null } {
  if (isApproved(plan, progress)) return { approval: plan.approval, checkedOn: null };
  const answer = policyAnswer(engine, workspace, plan, progress);
  if (answer !== null && !('refused' in answer)) return answer;
  const why =
    plan.approval === null
      ? 'is not approved'
      : plan.approval.fingerprint === progress.fingerprint
        ? 'was rolled back after it was approved'
        : 'is not what was approved: it, or what is decided about it, has changed';
  const policy = answer === null ? '' : ` The policy of the user does not allow it either: ${answer.refused}.`;
  const hint = `Run \`savepoint plan review ${plan.id}\` to look at it and approve it; only a person can.`;
  throw new SavepointError(
    'NEEDS_CONFIRMATION',
    `${plan.id} ${why}.${policy}`,
    { verb: 'plan apply' },
    { hint: `Nothing was changed. ${hint}` },
  );
}

const IGNORED = 'is ignored by git, so a commit leaves it out';
const MAX_NOTES = 20;

function requestOf(
  engine: Engine,
  workspace: Workspace,
  what: Pick<ApplyPlanRequest, 'plan' | 'parts' | 'onlyOn'>,
  options: ApplyPlanOptions,
): ApplyPlanRequest {
  const { rebase = false } = options;
  const given = conflictChoicesIn(workspace, options);
  const choices = rebase ? given : { ...NO_CHOICES, skipConflicts: given.skipConflicts };
  return { ...what, rebase, choices, by: callerOf(engine, workspace, options) };
}

/** @returns the override that the plan has then @throws SavepointError CHECKS_FAILED */
function overrideIn(
  engine: Engine,
  workspace: Workspace,
  plan: Plan,
  { fingerprint }: Selection,
  options: ApplyPlanOptions,
): PlanOverride | null {
  const { override: why } = options;
  if (why?.trim() === '') throw new SavepointError('USAGE', '`override` needs a reason.', { argument: 'override' });
  const failed = failedChecks(plan, fingerprint);
  const known = overrideOf(plan, fingerprint);
  if (failed.length === 0 || (known !== null && why === undefined)) return known;
  if (why === undefined) throw planChecksFailed(plan.id, failed);
  assertByUser(engine, workspace, 'planApply');
  const by = callerOf(engine, workspace, options);
  return { by, time: workspace.ports.clock.now(), why, fingerprint };
}

function planChecksFailed(plan: PlanId, failed: readonly PlanCheckResult[]): SavepointError {
  const hint =
    'Nothing was changed. Revise the plan and check it again. A person can apply it all the same: ' +
    `\`savepoint plan apply ${plan} --override "REASON"\`.`;
  return checksFailed({ fork: null, plan }, failed, `${plan} was not applied: its checks fail`, hint);
}
