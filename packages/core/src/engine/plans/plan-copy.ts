/** A copy of the workspace with everything that a plan proposes, in which the plan is worked on. */

import { SavepointError } from '../../model/errors.ts';
import { proposeOperation } from '../../operation/propose.ts';
import { applyPlanOperation, WHOLE_PLAN } from '../../plan/apply-plan.ts';
import { NO_CHOICES } from '../../rewind/conflict-choices.ts';
import { type CopyOptions, makeCopyOfState, type WorkspaceCopy } from '../copies/workspace-copy.ts';
import type { Engine } from '../engine.ts';
import { callerOf } from '../served-call.ts';
import { assertRevisable } from './propose.ts';
import { findPlan } from './stored-plans.ts';

/**
 * Its changes are relative to the folder as it is, so they are those of the next revision.
 * @throws SavepointError UNKNOWN_PLAN, USAGE if it cannot be revised, CONFLICT if it does not merge with the folder
 */
export async function makePlanCopy(engine: Engine, id: string, options: CopyOptions): Promise<WorkspaceCopy> {
  if (options.access !== undefined || options.at !== undefined) {
    const argument = options.access === undefined ? 'at' : 'access';
    throw new SavepointError('USAGE', `\`${argument}\` cannot be used with \`plan\`.`, { argument });
  }
  return makeCopyOfState(engine, options, async (operating) => {
    const { workspace, pace } = operating;
    const found = findPlan(workspace, id);
    await assertRevisable(workspace, found, pace);
    // What was rejected stays a part of the proposal, so that it can still be accepted.
    const plan = { ...found, decisions: [], phases: [] };
    const by = callerOf(engine, workspace, options);
    const request = { plan, rebase: true, choices: NO_CHOICES, parts: WHOLE_PLAN, by };
    const operation = applyPlanOperation(workspace, request, pace);
    const { before, proposed } = await proposeOperation(operating, operation, (_, made) => made);
    const { id: of, revision } = found;
    return { now: before, base: before, state: proposed, plan: { plan: of, revision } };
  });
}
