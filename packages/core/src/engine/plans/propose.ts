/** Makes plans of what operations would do. */

import type { CopyRecord } from '../../copy/copy.ts';
import { notePlanInCopy, planInCopy } from '../../copy/plan-in-copy.ts';
import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Author, Authorship } from '../../model/checkpoint.ts';
import { sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { checkpointNumber, type PlanId } from '../../model/ids.ts';
import type { Plan, PlanSource } from '../../model/plan.ts';
import type { Operation } from '../../operation/operation.ts';
import { type Proposed, proposeOperation } from '../../operation/propose.ts';
import { groupedByAuthors } from '../../plan/apply-plan.ts';
import type { OpenConflict } from '../../plan/held-edits.ts';
import { addListing } from '../../plan/listing.ts';
import { type ProposedFiles, revised, withPrompts } from '../../plan/revise.ts';
import { selectionOf } from '../../plan/selection.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import { editSnapshot } from '../../store/snapshot/edit-snapshot.ts';
import { type Attribution, FROM_OUTSIDE } from '../../timeline/capture/attribution.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { differingPaths } from '../../timeline/diff/snapshot-diff.ts';
import { keepPlan, writePlan } from '../../timeline/record/plan-records.ts';
import type { Engine } from '../engine.ts';
import { makeRoom, tidyAfter } from '../maintenance.ts';
import { servedCallInfo } from '../served-call.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { inEffect } from './applications.ts';
import { dropExpiredPlans } from './expire.ts';
import { type PhaseRequest, withPhases } from './plan-phases.ts';
import { type PlanView, progressOf, statusOf, viewOf, withIgnored } from './plan-view.ts';
import { changedSince, findPlan, replacePlan } from './stored-plans.ts';

const MAX_INTENT = 10_000;

export interface ProposeOptions extends CallOptions {
  /** What the plan is for. */
  readonly intent: string;
  /** In which phases it is applied, as for `setPlanPhases`. Default: all at once. */
  readonly phases?: readonly PhaseRequest[];
}

export interface ReviseOptions extends CallOptions {
  /** The revision that the caller saw. If the plan has another one now, nothing is done. */
  readonly revision?: number;
}

/** What a plan is made of. */
export interface Proposal {
  readonly source: PlanSource;
  readonly sourceName: string | null;
  /** What would be done. It is planned on the folder as it is, and not carried out. */
  readonly operation: (operating: WriteOperationContext) => Operation | Promise<Operation>;
  /** What stays in the plan as it was proposed before, once the operation is planned. Default: nothing. */
  readonly openConflicts?: () => readonly OpenConflict[];
  /** The prompts that led to it. Default: none. */
  readonly prompts?: (workspace: Workspace) => readonly string[];
  /** The copy that has the changes. */
  readonly copy?: Pick<CopyRecord, 'id' | 'place'>;
}

/** @throws SavepointError USAGE if it would change nothing, and what captures and the operation throw */
export async function propose(engine: Engine, proposal: Proposal, options: ProposeOptions): Promise<PlanView> {
  const { intent, phases = [] } = options;
  const view = await keepProposal(engine, proposal, options, async (found, { workspace, pace }, batch) => {
    assertNotEmpty(found);
    const plan = newPlan(workspace, found, intent);
    if (phases.length === 0) return plan;
    return withPhases(workspace, plan, (await selectionOf(batch, plan, pace)).changes, phases, false);
  });
  return markedIgnored(engine, view);
}

/** A plan that goes on, or begins, under the lock. */
export interface OngoingProposal extends Proposal {
  /** The plan that goes on, as the operation found it; null: it begins. It may come to change nothing any more. */
  readonly current: () => Plan | null;
  /** Called before the new state of the plan is kept. */
  readonly onMade: (plan: Plan) => void;
}

/** @throws SavepointError USAGE if a new plan would change nothing, and what captures and the operation throw */
export async function proposeMore(
  engine: Engine,
  proposal: OngoingProposal,
  options: ProposeOptions,
): Promise<PlanView> {
  return keepProposal(engine, proposal, options, async (found, { workspace, pace }, batch) => {
    const plan = proposal.current();
    if (plan === null) assertNotEmpty(found);
    const made = plan === null ? newPlan(workspace, found, options.intent) : await revised(batch, plan, found, pace);
    proposal.onMade(made);
    return made;
  });
}

/**
 * Replaces the files of a plan by others. What was decided about hunks that are the same stays decided. An approval
 * counts as long as it is of exactly what would be applied.
 * @throws SavepointError UNKNOWN_PLAN, USAGE if it is applied or cancelled, or would change nothing, CONFLICT if it has
 *   another revision than the caller saw, or than the copy goes on from, and what captures and the operation throw
 */
export async function revise(
  engine: Engine,
  given: string,
  proposal: Proposal,
  { revision, ...options }: ReviseOptions,
): Promise<PlanView> {
  const operation = (operating: WriteOperationContext) => {
    assertGoesOn(operating.workspace, findPlan(operating.workspace, given), proposal, revision);
    return proposal.operation(operating);
  };
  const view = await keepProposal(engine, { ...proposal, operation }, options, async (found, operating, batch) => {
    const { workspace, pace } = operating;
    assertNotEmpty(found);
    const old = findPlan(workspace, given);
    await assertRevisable(workspace, old, pace);
    // The same again is not another revision.
    if (sameSnapshot(old.before, found.before) && sameSnapshot(old.proposed, found.proposed)) {
      return { ...old, prompts: withPrompts(old.prompts, found.prompts), updated: found.updated };
    }
    return revised(batch, old, found, pace);
  });
  return markedIgnored(engine, view);
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
    await replacePlan(workspace, plan);
    return viewOf(workspace, plan, false, pace);
  });
}

/** @throws SavepointError USAGE if it is applied, rolled back or cancelled, or a phase of it is applied */
export async function assertRevisable(workspace: Workspace, plan: Plan, pace: Pace): Promise<void> {
  const progress = await progressOf(workspace, plan, pace);
  const { applications } = progress;
  const status = statusOf(plan, progress);
  if (inEffect(applications).length > 0 && status !== 'applied') {
    const hint = `Apply the rest, or roll back with \`savepoint plan rollback ${plan.id}\`.`;
    throw new SavepointError(
      'USAGE',
      `A phase of ${plan.id} is applied, so it cannot be revised.`,
      { argument: 'id' },
      { hint },
    );
  }
  if ((status === 'pending' || status === 'approved') && applications.length === 0) return;
  const shown = status === 'approved' ? 'rolled-back' : status;
  const hint = 'Propose the changes as a new plan.';
  throw new SavepointError('USAGE', `${plan.id} is ${shown}, so it cannot be revised.`, { argument: 'id' }, { hint });
}

/** Git is asked without the lock. Edits that a hook holds do not wait for git. */
function markedIgnored(engine: Engine, view: PlanView): Promise<PlanView> {
  return engine.read((workspace, { places }) => withIgnored(workspace, view, places.variables?.() ?? {}));
}

/** @throws SavepointError CONFLICT */
function assertGoesOn(
  { ports }: Workspace,
  { id, revision: now }: Plan,
  { copy, source, sourceName }: Proposal,
  seen: number | undefined,
): void {
  if (seen !== undefined && seen !== now) throw changedSince(id);
  const from = copy === undefined ? null : planInCopy(ports, copy.place);
  if (copy === undefined || from === null || from.plan !== id || from.revision === now) return;
  const [where, propose] =
    source === 'fork'
      ? [`fork ${sourceName}`, `savepoint plan new --from-fork ${sourceName}`]
      : [`copy ${copy.id}`, `savepoint try --continue ${copy.id} --plan`];
  const message = `The ${where} goes on from revision ${from.revision} of ${id}, which has revision ${now} now.`;
  const hint =
    `The plan is not changed, and the ${where} stays. Compare it with \`savepoint plan show ${id} --patch\`, and keep its changes as ` +
    `a plan of their own: \`${propose}\`.`;
  throw new SavepointError('CONFLICT', message, { paths: [] }, { hint });
}

/** What a proposal gives to a plan. */
type Found = ProposedFiles & Pick<Plan, 'listing' | 'source' | 'sourceName' | 'updated' | 'base'>;

async function keepProposal(
  engine: Engine,
  proposal: Proposal,
  options: CallOptions,
  planOf: (found: Found, operating: WriteOperationContext, batch: ObjectBatch) => Plan | Promise<Plan>,
): Promise<PlanView> {
  return engine.operate(
    options,
    async (operating) => {
      const { workspace, pace } = operating;
      dropExpiredPlans(workspace, operating.context);
      await makeRoom(operating, 'all');
      const operation = await proposal.operation(operating);
      const asked = { ...operation, info: { ...operation.info, ...servedCallInfo(engine, workspace, options) } };
      const { plan, commit } = await proposeOperation(operating, asked, async (batch, made) => {
        const { info } = asked;
        const states = withOpenConflicts(batch, made, proposal.openConflicts?.() ?? []);
        const attribution = asked.attribution ?? bringerOf(proposal.source, info);
        const kept = await planOf(
          {
            proposedBy: info.actor,
            authors:
              attribution === null
                ? []
                : groupedByAuthors(differingPaths(batch, states.before, states.proposed), attribution),
            session: info.session,
            call: info.toolCall,
            prompts: proposal.prompts?.(workspace) ?? [],
            source: proposal.source,
            sourceName: proposal.sourceName,
            updated: workspace.ports.clock.now(),
            base: checkpointNumber(made.before.id),
            ...states,
            listing: await addListing(batch, states, pace),
          },
          operating,
          batch,
        );
        return { plan: kept, commit: writePlan(batch, kept) };
      });
      keepPlan(workspace.store.refs, plan.id, commit);
      const { copy } = proposal;
      if (copy !== undefined) notePlanInCopy(workspace.ports, copy.place, { plan: plan.id, revision: plan.revision });
      const view = await viewOf(workspace, plan, false, pace);
      await tidyAfter(engine, operating);
      return view;
    },
    'existing-or-new',
  );
}

function newPlan({ ports }: Workspace, found: Found, intent: string): Plan {
  return {
    id: `plan_${ports.random.hex(4)}` as PlanId,
    intent: intent.slice(0, MAX_INTENT),
    ...found,
    created: found.updated,
    revision: 1,
    decisions: [],
    approval: null,
    words: [],
    checks: null,
    analysis: null,
    override: null,
    phases: [],
    applications: [],
    commits: [],
    failedRuns: 0,
    cancelled: null,
  };
}

/** The caller need not be the author of a branch, a worktree or a patch. @returns null for what the caller wrote */
function bringerOf(source: PlanSource, { actor, session, toolCall: call }: Operation['info']): Attribution | null {
  if (source !== 'branch' && source !== 'worktree' && source !== 'patch') return null;
  const bringer: Author = { actor, session, call, tool: null };
  const by: Authorship =
    source === 'patch'
      ? { authors: [bringer], grade: 'likely', evidence: 'operation' }
      : { authors: [bringer, FROM_OUTSIDE], grade: 'open', evidence: 'operation' };
  return () => by;
}

type PlanStates = Pick<Plan, 'before' | 'proposed'>;

/** A change in conflict keeps the file that it was proposed on: otherwise the plan would revert what the file has now. */
function withOpenConflicts(
  batch: ObjectBatch,
  { before, proposed }: Proposed,
  open: readonly OpenConflict[],
): PlanStates {
  const edits = (which: 'before' | 'proposed') =>
    open.map(({ path, ...states }) => ({ path, to: states[which].entry, ignored: states[which].ignored }));
  return {
    before: editSnapshot(batch, before.snapshot, edits('before')),
    proposed: editSnapshot(batch, proposed, edits('proposed')),
  };
}

function assertNotEmpty({ before, proposed }: PlanStates): void {
  if (!sameSnapshot(before, proposed)) return;
  const hint = 'The folder already has all that it proposes, so there is nothing to do.';
  throw new SavepointError('USAGE', 'The plan would change nothing.', { argument: 'files' }, { hint });
}
