/** Calls that check plans, apply them, and roll them back. */

import type { OperationResult, Preview } from '../../operation/operation.ts';
import type { Engine } from '../engine.ts';
import { type ApplyPlanOptions, applyNext, previewApplyOf } from '../plans/apply.ts';
import { checkPlan, type PlanCheckOptions, type PlanCheckReport } from '../plans/check-plan.ts';
import type { PhaseRequest } from '../plans/plan-phases.ts';
import type { PlanView } from '../plans/plan-view.ts';
import {
  type PlanRun,
  previewRollBack,
  type RollBackPlanOptions,
  type RunPlanOptions,
  rollBackPlan,
  runPlan,
} from '../plans/run-plan.ts';
import { type PlanPhasesOptions, setPhases } from '../plans/set-phases.ts';
import { type PlanSplit, type SplitPlanOptions, splitPlan } from '../plans/split-plan.ts';

export interface PlanRunCalls {
  /**
   * Makes what the plan would make of the folder real in a copy, and runs the checks there. Only failures that the folder
   * does not have count. The results are kept with the plan. The workspace is not changed.
   * @throws SavepointError UNKNOWN_PLAN, USAGE if it is applied or cancelled, CONFLICT if it does not merge with the folder,
   *   and what `check` throws
   */
  checkPlan(id: string, options?: PlanCheckOptions): Promise<PlanCheckReport>;
  /**
   * Sets the phases in which the plan is applied. What none of them names belongs to the last one.
   * @throws SavepointError UNKNOWN_PLAN, USAGE if a phase has nothing of the plan, or nothing that an earlier one does not
   *   have, or if something of it was applied
   */
  setPlanPhases(id: string, phases: readonly PhaseRequest[], options?: PlanPhasesOptions): Promise<PlanView>;
  /**
   * Reads the imports of the plan's files, and says in which phases it could be applied, and which groups of its files do
   * not depend on each other. With `into`, it is split: all or nothing.
   * @throws SavepointError UNKNOWN_PLAN, USAGE if something of it was applied or if it is one group, CONFLICT if it changed
   *   meanwhile, CANCELLED
   */
  splitPlan(id: string, options?: SplitPlanOptions): Promise<PlanSplit>;
  /** Returns what is left to be applied. */
  previewPlan(id: string, options?: ApplyPlanOptions): Promise<Preview>;
  /**
   * Changes the workspace as the plan says, without what was rejected: all or nothing. It can be undone. Of a plan with
   * phases, only the next one is applied.
   * @throws SavepointError UNKNOWN_PLAN, NEEDS_CONFIRMATION if a person has not approved exactly this, CHECKS_FAILED if its
   *   checks failed and there is no `override`, CONFLICT if its paths changed since, USAGE if it is cancelled or applied
   */
  applyPlan(id: string, options?: ApplyPlanOptions): Promise<OperationResult>;
  /**
   * Applies all that is left of the plan, phase by phase, each with its own checkpoints. With `validate`, checks run after
   * each, and a failure stops it. What an interrupted run left is done first.
   * @throws SavepointError what `applyPlan` throws, if nothing was applied; otherwise `stopped` of the result has the reason
   */
  runPlan(id: string, options?: RunPlanOptions): Promise<PlanRun>;
  /** Returns what `rollBackPlan` would do. */
  previewRollBackPlan(id: string, options?: RollBackPlanOptions): Promise<Preview>;
  /**
   * Reverts what the plan applied, all or nothing. Later changes stay.
   * @throws SavepointError UNKNOWN_PLAN, USAGE if nothing of it is in effect, CONFLICT if later changes affect the same lines
   */
  rollBackPlan(id: string, options?: RollBackPlanOptions): Promise<OperationResult>;
}

export function planRunCalls(engine: Engine): PlanRunCalls {
  return {
    checkPlan: (id, options = {}) => engine.mapErrors(() => checkPlan(engine, id, options)),
    setPlanPhases: (id, phases, options = {}) => setPhases(engine, id, phases, options),
    splitPlan: (id, options = {}) => splitPlan(engine, id, options),
    previewPlan: (id, options = {}) => previewApplyOf(engine, id, options),
    applyPlan: (id, options = {}) => applyNext(engine, id, options),
    runPlan: (id, options = {}) => engine.mapErrors(() => runPlan(engine, id, options)),
    previewRollBackPlan: (id, options = {}) => previewRollBack(engine, id, options),
    rollBackPlan: (id, options = {}) => rollBackPlan(engine, id, options),
  };
}
