import type { CallOptions } from '../../model/call-options.ts';
import type { Plan } from '../../model/plan.ts';
import type { Engine } from '../engine.ts';
import { callerOf } from '../served-call.ts';
import { type PhaseRequest, withPhases } from './plan-phases.ts';
import { type PlanView, selectionIn } from './plan-view.ts';
import { updatePlan } from './propose.ts';

export interface PlanPhasesOptions extends CallOptions {
  /** Keep the other phases: one with the same name is replaced, others are appended. */
  readonly add?: boolean;
}

/**
 * Sets the phases in which a plan is applied.
 * @param assertCurrent throws if the plan is not the one that the phases were made for. Default: any is
 * @throws SavepointError UNKNOWN_PLAN, and what `withPhases` throws
 */
export function setPhases(
  engine: Engine,
  id: string,
  phases: readonly PhaseRequest[],
  { add = false, ...options }: PlanPhasesOptions,
  assertCurrent: (plan: Plan) => void = () => {},
): Promise<PlanView> {
  return updatePlan(engine, id, options, async (plan, { workspace, pace }) => {
    assertCurrent(plan);
    const { changes } = await selectionIn(workspace, plan, pace);
    const changed = withPhases(workspace, plan, changes, phases, add);
    // A person approves what happens in which order, too.
    return callerOf(engine, workspace, options).kind === 'user' ? changed : { ...changed, approval: null };
  });
}
