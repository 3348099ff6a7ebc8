/** Applies a plan phase by phase, with the checks that follow each, and rolls plans back. */

import { isFailing } from '../../check/compare.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import { type ChangeId, type CheckpointId, checkpointId } from '../../model/ids.ts';
import type { PlanChecks } from '../../model/plan.ts';
import { assertFeasible } from '../../operation/assert-feasible.ts';
import { changedSincePreview, type Operation, type OperationResult, type Preview } from '../../operation/operation.ts';
import { WHOLE_PLAN } from '../../plan/apply-plan.ts';
import { hasNewFailures } from '../../plan/checked.ts';
import type { PlanCommits } from '../../plan/commit-plan.ts';
import type { PlanPart } from '../../plan/phases.ts';
import { rollbackOperation } from '../../rewind/rollback.ts';
import { readTrust } from '../../store/state/trust.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { rolledBackPrefix } from '../../timeline/record/plan-descriptions.ts';
import { type ConflictOptions, conflictChoicesIn } from '../conflict-options.ts';
import { type CheckOptions, checkState, type RunCheckResult } from '../copies/check-state.ts';
import { assertTrusted, selectedChecks } from '../copies/find-checks.ts';
import type { Engine } from '../engine.ts';
import { makeRoom, RESERVE_BYTES } from '../maintenance.ts';
import { type OperationOptions, preview, runAndAnnounce } from '../operate.ts';
import { callerOf } from '../served-call.ts';
import { assertForcedByPerson, shellAuthorOf } from '../shell-call.ts';
import { applicationsOf, changesInEffect, inEffect, type KnownApplication, leftOf } from './applications.ts';
import { type ApplyPlanOptions, applyNext, previewApplyOf } from './apply.ts';
import { checksOfPlan, resultsOf } from './check-plan.ts';
import { commitApplied, type PlanCommitChoices } from './commit.ts';
import { withCommitsThatStay } from './commits-that-stay.ts';
import { type PlanView, progressOf, viewOf } from './plan-view.ts';
import { updatePlan } from './propose.ts';
import { findPlan } from './stored-plans.ts';

/** What happens if checks after an application find new failures, or give no answer. */
export type OnPlanFailure = 'keep' | 'rollback' | 'rollback-all';

export interface RunPlanOptions
  extends ApplyPlanOptions,
    Pick<CheckOptions, 'timeoutMs' | 'maxMemory' | 'rungs' | 'dependencies' | 'onOutput'> {
  /** Checks to run after it, or after each phase: names of checks, tools or kinds. Empty: all. Absent: none. */
  readonly validate?: readonly string[];
  /** `rollback`: only what was just applied. `rollback-all`: everything that the plan applied. Default `keep`. */
  readonly onFailure?: OnPlanFailure;
  /** Then commit the files of the plan, as `commitPlan` does. Not if a check failed, or if it stopped before its end. */
  readonly commit?: PlanCommitChoices;
}

/** One phase, or the whole plan. */
export interface PlanStep {
  /** An index; null: the whole plan. */
  readonly phase: number | null;
  /** What was applied; if its files were already as the plan wants them, nothing. Null: only the checks of what was applied before ran. */
  readonly applied: OperationResult | null;
  /** Null: no checks ran after it. */
  readonly checks: readonly RunCheckResult[] | null;
  readonly isFailed: boolean;
  /** What was rolled back because of the checks. */
  readonly rolledBack: OperationResult | null;
}

export interface PlanRun {
  readonly plan: PlanView;
  readonly steps: readonly PlanStep[];
  /** Why it stopped, although some of it was applied or checked. The rest can be applied later. */
  readonly stopped: SavepointError | null;
  /** Null: none were asked for, or none were made. */
  readonly commits: PlanCommits | null;
}

export interface RollBackPlanOptions extends OperationOptions, ConflictOptions {
  /** Only what was applied last. Default: everything that the plan applied and is in effect. */
  readonly last?: boolean;
}

/**
 * Applies what is left of the plan: phase by phase, each with its checkpoints and checks. A failed check stops it. What was
 * applied before and not checked, because the process died, is checked first.
 * @throws SavepointError only if nothing was changed: what `applyPlan` throws, and NEEDS_CONFIRMATION for a check that is
 *   not trusted
 */
export async function runPlan(engine: Engine, id: string, options: RunPlanOptions): Promise<PlanRun> {
  const { validate, expected, commit, ...applying } = options;
  const { unchecked, left } = await stateOf(engine, id, options);
  if (expected !== undefined && left.length > 0) {
    const { fingerprint, plan } = await previewApplyOf(engine, id, applying);
    if (fingerprint !== expected) {
      // It names the files and who changed them, if they are the plan's.
      assertFeasible(plan);
      throw changedSincePreview();
    }
  }
  const steps: PlanStep[] = [];
  let stopped: SavepointError | null = null;
  let commits: PlanCommits | null = null;
  const next = async (part: PlanPart, before: KnownApplication | null): Promise<boolean> => {
    const applied = before === null ? await applyNext(engine, id, applying, part) : null;
    const number = applied === null ? (before?.checkpoint ?? null) : (applied.checkpoint?.number ?? null);
    let step: PlanStep = { phase: part.phase, applied, checks: null, isFailed: false, rolledBack: null };
    const place = steps.push(step) - 1;
    if (validate === undefined || number === null) return true;
    const checks = await validateStep(engine, id, number, before?.validation ?? null, options);
    step = { ...step, checks, isFailed: checks.length === 0 || checks.some(isFailing) };
    steps[place] = step;
    if (!step.isFailed) return true;
    const { onFailure = 'keep' } = options;
    if (onFailure === 'keep') return false;
    // Another process may have applied more of the plan while the checks ran, so it need not be the last one.
    const failed = onFailure === 'rollback' ? number : 'all';
    const rolledBack = await rollBack(engine, id, failed, callOptionsOf(options));
    steps[place] = { ...step, rolledBack };
    return false;
  };
  try {
    const isGoingOn = unchecked === null || (await next(unchecked, unchecked));
    // Without anything left, this says why.
    const rest = left.length === 0 && unchecked === null ? WHOLE_PLAN : left;
    if (isGoingOn) {
      for (const [index, part] of rest.entries()) {
        if (rest.length > 1) engine.events.emit('progress', { phase: 'phase', done: index, total: rest.length });
        if (!(await next(part, null))) break;
      }
    }
    if (commit !== undefined) {
      const isGood = steps.every(({ isFailed }) => !isFailed);
      if (!isGood) commits = { commits: [], notes: ['checks found new failures, or gave no answer'] };
      else commits = await commitApplied(engine, id, { ...callOptionsOf(options), ...commit });
    }
  } catch (error) {
    if (!(error instanceof SavepointError) || steps.every(({ applied }) => applied === null)) throw error;
    stopped = error;
  }
  const plan = await engine.read((workspace) => viewOf(workspace, findPlan(workspace, id), false, engine.pace({})));
  return { plan, steps, stopped, commits };
}

/** Reverts what the plan applied, and keeps what was changed since. */
export function rollBackPlan(
  engine: Engine,
  id: string,
  { last = false, ...options }: RollBackPlanOptions,
): Promise<OperationResult> {
  return rollBack(engine, id, last ? 'last' : 'all', options);
}

export async function previewRollBack(
  engine: Engine,
  id: string,
  { last = false, ...options }: RollBackPlanOptions,
): Promise<Preview> {
  const request = { id, wanted: last ? 'last' : 'all' } as const;
  return engine.read((workspace) =>
    preview(engine, workspace, rollbackOf(engine, workspace, request, options), options),
  );
}

/** Everything that the plan applied and is in effect, what it applied last, or the checkpoint of one application. */
type Undone = 'all' | 'last' | number;

type RollBackOptions = Omit<RollBackPlanOptions, 'last'>;

function rollBack(engine: Engine, id: string, wanted: Undone, options: RollBackOptions): Promise<OperationResult> {
  return engine.operate(options, async (operating) => {
    const { workspace } = operating;
    if (options.force === true) assertForcedByPerson(engine, workspace, 'plan rollback');
    await makeRoom(operating, 'all', RESERVE_BYTES);
    const operation = rollbackOf(engine, workspace, { id, wanted }, options);
    return runAndAnnounce(engine, operating, 'rollback:completed', operation, options);
  });
}

interface StateOfRun {
  /** What was applied last, if its checks did not run, or failed. */
  readonly unchecked: KnownApplication | null;
  readonly left: readonly PlanPart[];
}

async function stateOf(engine: Engine, id: string, options: RunPlanOptions): Promise<StateOfRun> {
  return engine.read(async (workspace, context) => {
    const { validate } = options;
    const plan = findPlan(workspace, id);
    const progress = await progressOf(workspace, plan, engine.pace(options));
    const left = leftOf(plan, progress);
    if (validate === undefined) return { unchecked: null, left };
    // Nothing is applied whose checks cannot run.
    const { checks } = await checksOfPlan(engine, context, workspace, id);
    const trusted = readTrust(engine.ports, workspace.store.layout);
    const wanted = selectedChecks(checks, validate);
    if (wanted.length === 0) throw new SavepointError('USAGE', 'No checks were found.', { argument: 'validate' });
    assertTrusted(wanted, trusted, plan.id);
    const last = changesInEffect(progress.applications).at(-1) ?? null;
    const isChecked = last?.validation?.results.every((one) => !isFailing(one)) === true;
    return { unchecked: isChecked ? null : last, left };
  });
}

/**
 * Runs the checks on the checkpoint after the application, compared with the one before it. If they failed there, the folder
 * may be repaired by now: it is checked as it is.
 */
async function validateStep(
  engine: Engine,
  id: string,
  number: number,
  failedBefore: PlanChecks | null,
  options: RunPlanOptions,
): Promise<readonly RunCheckResult[]> {
  const { validate = [], timeoutMs, maxMemory, rungs, dependencies, onOutput } = options;
  const base = await engine.read((workspace) => beforeOf(workspace, number));
  const { checks } = await checkState(engine, {
    ...callOptionsOf(options),
    ...(failedBefore === null ? { at: checkpointId(number) } : {}),
    ...(base === null ? {} : { base }),
    ...(validate.length === 0 ? {} : { only: validate }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxMemory === undefined ? {} : { maxMemory }),
    ...(rungs === undefined ? {} : { rungs }),
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(onOutput === undefined ? {} : { onOutput }),
  });
  await updatePlan(engine, id, callOptionsOf(options), (plan, { workspace }) => {
    const by = callerOf(engine, workspace, options);
    const time = workspace.ports.clock.now();
    const results = resultsOf(checks, number - 1);
    let failedRuns = plan.failedRuns;
    const applications = plan.applications.map((one) => {
      if (one.isEmpty || one.checkpoint !== number) return one;
      const validation = { by, time, fingerprint: one.fingerprint, results };
      if (hasNewFailures(validation)) failedRuns += 1;
      return { ...one, validation };
    });
    return { ...plan, applications, failedRuns };
  });
  return checks;
}

/** The checkpoint before another one. Null: it was dropped. */
function beforeOf({ timeline }: Workspace, number: number): CheckpointId | null {
  for (const checkpoint of timeline.upTo(number - 1)) return checkpoint.id;
  return null;
}

function rollbackOf(
  engine: Engine,
  workspace: Workspace,
  { id, wanted }: { readonly id: string; readonly wanted: Undone },
  options: RollBackOptions,
): Operation {
  const plan = findPlan(workspace, id);
  const { timeline, store } = workspace;
  const applications = applicationsOf(timeline, store.objects, plan);
  const undone = changesInEffect(applications)
    .slice(wanted === 'last' ? -1 : 0)
    .filter(({ checkpoint }) => typeof wanted === 'string' || checkpoint === wanted);
  if (undone.length === 0) {
    const done = inEffect(applications);
    const message =
      done.length === 0
        ? `Nothing that ${plan.id} applied is in effect.`
        : done.some(({ isUnreadable }) => isUnreadable)
          ? `The checkpoint in which ${plan.id} was applied was dropped or is damaged, so it cannot be rolled back.`
          : `${plan.id} changed nothing when it was applied, because its files were already as it says.`;
    throw new SavepointError('USAGE', message, { argument: 'id' });
  }
  const numbers = new Set(undone.map(({ checkpoint }) => checkpoint));
  const oldest = Math.min(...numbers);
  const changes: ChangeId[] = [];
  for (const checkpoint of timeline.upTo()) {
    if (checkpoint.number < oldest) break;
    if (numbers.has(checkpoint.number)) changes.push(...(checkpoint.changes ?? []).map((change) => change.id));
  }
  const request = {
    selection: { changes },
    actor: engine.actor,
    // The changes are the plan's, also if the author of what it was made of is not known.
    least: 'open' as const,
    choices: conflictChoicesIn(workspace, options),
    force: false,
    inside: shellAuthorOf(engine, workspace)?.call ?? null,
    because: rolledBackPrefix(plan, wanted === 'all' ? null : (undone[0]?.phase ?? null)),
  };
  return withCommitsThatStay(workspace, rollbackOperation(workspace, request, engine.pace(options)).operation);
}

function callOptionsOf({ signal, toolCall, force }: CallOptions): CallOptions {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(toolCall === undefined ? {} : { toolCall }),
    ...(force === undefined ? {} : { force }),
  };
}
