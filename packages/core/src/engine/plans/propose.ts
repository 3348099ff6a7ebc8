/** Makes plans of what operations would do. */

import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import { checkpointNumber, type PlanId } from '../../model/ids.ts';
import type { Plan, PlanSource } from '../../model/plan.ts';
import type { Operation } from '../../operation/operation.ts';
import { type Proposed, proposeOperation } from '../../operation/propose.ts';
import { keepPlan, writePlan } from '../../timeline/record/plan-records.ts';
import type { Engine } from '../engine.ts';
import { makeRoom, tidyAfter } from '../maintenance.ts';
import { servedCallInfo } from '../served-call.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { findPlan, type PlanView, viewOf } from './plan-view.ts';

const MAX_INTENT = 10_000;

export interface ProposeOptions extends CallOptions {
  /** What the plan is for. */
  readonly intent: string;
}

/** What a plan is made of. */
export interface Proposal {
  readonly source: PlanSource;
  readonly sourceName: string | null;
  /** What would be done. It is planned on the folder as it is, and not carried out. */
  readonly operation: (operating: WriteOperationContext) => Operation | Promise<Operation>;
}

/** @throws SavepointError USAGE if it would change nothing, and what captures and the operation throw */
export async function propose(engine: Engine, proposal: Proposal, options: ProposeOptions): Promise<PlanView> {
  return engine.operate(
    options,
    async (operating) => {
      const { workspace, pace } = operating;
      await makeRoom(operating, 'all');
      const operation = await proposal.operation(operating);
      const asked = { ...operation, info: { ...operation.info, ...servedCallInfo(engine, workspace, options) } };
      const { ports } = workspace;
      const id = `plan_${ports.random.hex(4)}` as PlanId;
      const time = ports.clock.now();
      const { plan, commit } = await proposeOperation(operating, asked, (batch, found) => {
        assertNotEmpty(found);
        const made: Plan = {
          id,
          intent: options.intent.slice(0, MAX_INTENT),
          proposedBy: asked.info.actor,
          session: asked.info.session,
          call: asked.info.toolCall,
          source: proposal.source,
          sourceName: proposal.sourceName,
          created: time,
          updated: time,
          revision: 1,
          base: checkpointNumber(found.before.id),
          decisions: [],
          approval: null,
          words: [],
          checks: null,
          override: null,
          phases: [],
          applications: [],
          validation: null,
          cancelled: null,
          before: found.before.snapshot,
          proposed: found.proposed,
        };
        return { plan: made, commit: writePlan(batch, made) };
      });
      keepPlan(workspace.store.refs, id, commit);
      const view = await viewOf(workspace, plan, false, pace);
      await tidyAfter(engine, operating);
      return view;
    },
    'existing-or-new',
  );
}

/**
 * Changes what is recorded about a plan. Its files stay.
 * @param change receives the plan as it is now
 * @throws SavepointError UNKNOWN_PLAN, and what `change` throws
 */
export async function updatePlan(
  engine: Engine,
  given: string,
  options: CallOptions,
  change: (plan: Plan, operating: WriteOperationContext) => Plan | Promise<Plan>,
): Promise<PlanView> {
  return engine.operate(options, async (operating) => {
    const { workspace, pace } = operating;
    const changed = await change(findPlan(workspace, given), operating);
    const plan = { ...changed, updated: workspace.ports.clock.now() };
    const batch = workspace.store.objects.batch();
    try {
      const commit = writePlan(batch, plan);
      await batch.finish();
      keepPlan(workspace.store.refs, plan.id, commit);
    } finally {
      batch.abandon();
    }
    return viewOf(workspace, plan, false, pace);
  });
}

function assertNotEmpty({ before, proposed }: Proposed): void {
  const { snapshot } = before;
  if (snapshot.files !== proposed.files || snapshot.side !== proposed.side) return;
  throw new SavepointError('USAGE', 'The plan would change nothing.', { argument: 'edits' });
}
