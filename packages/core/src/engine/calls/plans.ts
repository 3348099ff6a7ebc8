/** Calls that make plans, and decide about them. */

import type { Patch } from '../../content/unified-patch.ts';
import { givenPath, givenPaths } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { PlanId } from '../../model/ids.ts';
import type { JsonName } from '../../model/names.ts';
import type { PlanDecision } from '../../model/plan.ts';
import { selectionOf } from '../../plan/selection.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { compare } from '../../timeline/diff/compare.ts';
import { readPlans } from '../../timeline/record/plan-records.ts';
import type { Engine } from '../engine.ts';
import { assertOpen, findPlan, type PlanView, viewOf } from '../plans/plan-view.ts';
import { updatePlan } from '../plans/propose.ts';
import { callerOf } from '../served-call.ts';
import { assertByUser } from '../shell-call.ts';

export interface PlanOptions extends CallOptions {
  /** Also returns a patch, as `diff` does. Default false. */
  readonly patch?: boolean;
}

export interface PlanList {
  /** The oldest first. */
  readonly plans: readonly PlanView[];
  /** How long a plan is kept after its last change, in milliseconds. */
  readonly keptMs: number;
  /** Plans that cannot be read, for display. */
  readonly problems: readonly string[];
}

/** A decision about a proposed change, or one of its hunks. */
export interface DecisionRequest {
  readonly path: JsonName;
  /** The number of the hunk, from 1. Absent: the whole change. */
  readonly hunk?: number;
  readonly accepted: boolean;
}

export interface DecideOptions extends CallOptions {
  /** The fingerprint of the plan as the person saw it. If the plan is another one now, nothing is recorded. */
  readonly expected?: string;
}

export interface PlanCalls {
  plans(options?: CallOptions): Promise<PlanList>;
  /** @throws SavepointError UNKNOWN_PLAN, STORE_DAMAGED */
  plan(id: string, options?: PlanOptions): Promise<PlanView>;
  /**
   * Returns a patch of some of the proposed changes.
   * @param paths these and everything below them
   * @throws SavepointError UNKNOWN_PLAN, STORE_DAMAGED
   */
  planPatch(id: string, paths: readonly JsonName[], options?: CallOptions): Promise<Patch>;
  /**
   * Records which changes and hunks are accepted and rejected. Rejected ones are not applied.
   * @throws SavepointError UNKNOWN_PLAN, USAGE for a path or hunk that the plan does not have, or if it is applied or
   *   cancelled, CONFLICT if it is not what was seen
   */
  decidePlan(id: string, decisions: readonly DecisionRequest[], options?: DecideOptions): Promise<PlanView>;
  /**
   * Approves exactly what the plan would apply now. Only a person may do this. A plan that was applied and rolled back
   * needs another approval.
   * @param fingerprint of what the person saw
   * @throws SavepointError UNKNOWN_PLAN, USAGE if it is applied or cancelled, CONFLICT if it is not what was seen,
   *   NEEDS_CONFIRMATION if an agent asks
   */
  approvePlan(id: string, fingerprint: string, options?: CallOptions): Promise<PlanView>;
  /** Records words about the current revision, for its author. @throws SavepointError UNKNOWN_PLAN */
  notePlan(id: string, text: string, options?: CallOptions): Promise<PlanView>;
  /** @throws SavepointError UNKNOWN_PLAN, USAGE if it is applied */
  cancelPlan(id: string, options?: CallOptions): Promise<PlanView>;
}

const MAX_WORDS = 10_000;
/** The oldest words about a plan are dropped beyond this. */
const MAX_NOTES = 1_000;

export function planCalls(engine: Engine): PlanCalls {
  return {
    plans: (options = {}) =>
      engine.read(async (workspace, context) => {
        const { plans, damaged } = readPlans(workspace.store.objects, workspace.store.refs);
        const pace = engine.pace(options);
        const views: PlanView[] = [];
        for (const plan of plans) views.push(await viewOf(workspace, plan, false, pace, 'decided'));
        const { planMs: keptMs } = context.effectiveSettings(workspace.root);
        return { plans: views, keptMs, problems: damaged.map(({ id, error }) => `${id}: ${error.message}`) };
      }),
    plan: (id, { patch = false, ...options } = {}) =>
      engine.read((workspace) => viewOf(workspace, findPlan(workspace, id), patch, engine.pace(options))),
    planPatch: (id, given, options = {}) =>
      engine.read(async (workspace) => {
        const { before, proposed: after } = findPlan(workspace, id);
        const paths = givenPaths(workspace, given);
        const wanted = { before, after, paths, patch: true, uncaptured: false };
        const { patch } = await compare(new OverlayBatch(workspace.store.objects), wanted, engine.pace(options));
        return patch ?? { text: Buffer.alloc(0), gaps: [] };
      }),
    decidePlan: (id, decisions, options = {}) =>
      updatePlan(engine, id, options, async (plan, { workspace, pace }) => {
        await assertOpen(workspace, plan, pace, 'decided about');
        const { changes, fingerprint } = await selectionOf(new OverlayBatch(workspace.store.objects), plan, pace);
        if (options.expected !== undefined && options.expected !== fingerprint) throw changedSince(plan.id);
        const byPath = new Map(changes.map((one) => [one.change.path, one]));
        const by = callerOf(engine, workspace, options);
        const made = decisions.map(({ path: given, hunk, accepted }): PlanDecision => {
          const path = givenPath(workspace, given);
          const found = byPath.get(path);
          if (found === undefined) throw notInPlan(plan.id, JSON.stringify(given));
          const digest = hunk === undefined ? null : (found.hunks?.find(({ number }) => number === hunk)?.digest ?? '');
          if (digest === '') throw notInPlan(plan.id, `${JSON.stringify(given)} hunk ${hunk}`);
          return { by, time: workspace.ports.clock.now(), path, hunk: digest, accepted };
        });
        return { ...plan, decisions: withDecisions(plan.decisions, made) };
      }),
    approvePlan: (id, fingerprint, options = {}) =>
      updatePlan(engine, id, options, async (plan, { workspace, pace }) => {
        assertByUser(engine, workspace, 'planReview');
        const selection = await assertOpen(workspace, plan, pace, 'approved');
        if (selection.fingerprint !== fingerprint) throw changedSince(plan.id);
        const by = callerOf(engine, workspace, options);
        // It counts only if it is later than what was applied and rolled back, also if the clock was set back.
        const applied = Math.max(0, ...plan.applications.map(({ time }) => time + 1));
        return {
          ...plan,
          approval: { by, time: Math.max(applied, workspace.ports.clock.now()), fingerprint, isByPolicy: false },
        };
      }),
    notePlan: (id, text, options = {}) =>
      updatePlan(engine, id, options, (plan, { workspace }) => {
        const by = callerOf(engine, workspace, options);
        const time = workspace.ports.clock.now();
        const words = { by, time, text: text.slice(0, MAX_WORDS), revision: plan.revision };
        return { ...plan, words: [...plan.words, words].slice(-MAX_NOTES) };
      }),
    cancelPlan: (id, options = {}) =>
      updatePlan(engine, id, options, async (plan, { workspace, pace }) => {
        if (plan.cancelled === null) await assertOpen(workspace, plan, pace, 'cancelled');
        const by = callerOf(engine, workspace, options);
        return { ...plan, cancelled: { by, time: workspace.ports.clock.now() } };
      }),
  };
}

/** A later decision about the same hunk replaces an earlier one, and one about the whole change replaces all of its hunks'. */
function withDecisions(old: readonly PlanDecision[], made: readonly PlanDecision[]): readonly PlanDecision[] {
  return made.reduce<readonly PlanDecision[]>(
    (all, one) => [
      ...all.filter(({ path, hunk }) => path !== one.path || (one.hunk !== null && hunk !== one.hunk)),
      one,
    ],
    old,
  );
}

function notInPlan(id: PlanId, what: string): SavepointError {
  return new SavepointError('USAGE', `${id} does not change ${what}.`, { argument: 'decisions' });
}

function changedSince(id: PlanId): SavepointError {
  return new SavepointError(
    'CONFLICT',
    `${id} is not what was shown: it has changed since.`,
    { paths: [] },
    { hint: `Look at it again: \`savepoint plan show ${id}\`.` },
  );
}
