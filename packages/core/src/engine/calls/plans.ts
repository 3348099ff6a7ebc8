/** Calls that make plans, and decide about them. */

import { showName } from '../../content/show-name.ts';
import type { Patch } from '../../content/unified-patch.ts';
import { givenPath, givenPaths } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Actor, Change } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { PlanId } from '../../model/ids.ts';
import { isWithin, type JsonName, nameFromJson, type TreePath } from '../../model/names.ts';
import type { Plan, PlanDecision } from '../../model/plan.ts';
import { isListingTrue, type ListedChange, type ListedHunk, listedHunks, listingOf } from '../../plan/listing.ts';
import type { PlanChange } from '../../plan/selection.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { compare } from '../../timeline/diff/compare.ts';
import { hunksOf, type NumberedHunk } from '../../timeline/diff/hunks.ts';
import type { Engine } from '../engine.ts';
import { assertOpen, type PlanView, viewOf, withIgnored } from '../plans/plan-view.ts';
import { type ReviseOptions, updatePlan } from '../plans/propose.ts';
import { addDecisions, allPlans, changedSince, findPlan, withDecisions } from '../plans/stored-plans.ts';
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
  /** A change of the plan, or a folder: then all changes below it. */
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
   * Returns the hunks of a proposed change with their lines, or null if it has no separate hunks.
   * @throws SavepointError UNKNOWN_PLAN, USAGE for a path that the plan does not change, STORE_DAMAGED
   */
  planHunks(id: string, path: JsonName, options?: CallOptions): Promise<readonly NumberedHunk[] | null>;
  /**
   * Records which changes and hunks are accepted and rejected. Rejected ones are not applied.
   * @throws SavepointError UNKNOWN_PLAN, USAGE for a path or hunk that the plan does not have, or if it is applied or
   *   cancelled, CONFLICT if it is not what was seen
   */
  decidePlan(id: string, decisions: readonly DecisionRequest[], options?: DecideOptions): Promise<PlanView>;
  /**
   * Records decisions of a review as they are made, which costs little also for a large plan.
   * @param revision that the person saw
   * @throws SavepointError as for `decidePlan`
   */
  recordDecisions(
    id: string,
    revision: number,
    decisions: readonly DecisionRequest[],
    options?: CallOptions,
  ): Promise<void>;
  /**
   * Approves exactly what the plan would apply now. Only a person may do this. A plan that was applied and rolled back
   * needs another approval.
   * @param fingerprint of what the person saw
   * @throws SavepointError UNKNOWN_PLAN, USAGE if it is applied or cancelled, CONFLICT if it is not what was seen,
   *   NEEDS_CONFIRMATION if an agent asks
   */
  approvePlan(id: string, fingerprint: string, options?: CallOptions): Promise<PlanView>;
  /**
   * Records words about the current revision, for its author.
   * @throws SavepointError UNKNOWN_PLAN, CONFLICT if it has another revision than the caller saw
   */
  notePlan(id: string, text: string, options?: ReviseOptions): Promise<PlanView>;
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
        const { plans, damaged } = allPlans(workspace);
        const pace = engine.pace(options);
        const views: PlanView[] = [];
        for (const plan of plans) views.push(await viewOf(workspace, plan, false, pace));
        const { planMs: keptMs } = context.effectiveSettings(workspace.root);
        return { plans: views, keptMs, problems: damaged.map(({ id, error }) => `${id}: ${error.message}`) };
      }),
    plan: (id, { patch = false, ...options } = {}) =>
      engine.read(async (workspace, { places }) => {
        const view = await viewOf(workspace, findPlan(workspace, id), patch, engine.pace(options));
        return withIgnored(workspace, view, places.variables?.() ?? {});
      }),
    planPatch: (id, given, options = {}) =>
      engine.read(async (workspace) => {
        const { before, proposed: after } = findPlan(workspace, id);
        const paths = givenPaths(workspace, given);
        const wanted = { before, after, paths, patch: true, uncaptured: false };
        const { patch } = await compare(new OverlayBatch(workspace.store.objects), wanted, engine.pace(options));
        return patch ?? { text: Buffer.alloc(0), gaps: [] };
      }),
    planHunks: (id, given, options = {}) =>
      engine.read(async (workspace) => {
        const plan = findPlan(workspace, id);
        const listed = await listingOf(workspace.store.objects, plan, engine.pace(options));
        return hunksOf(workspace.store.objects, changeAt(workspace, plan, listed, given));
      }),
    decidePlan: (id, decisions, options = {}) =>
      updatePlan(engine, id, options, async (plan, { workspace, pace }) => {
        const { changes, fingerprint } = await assertOpen(workspace, plan, pace, 'decided about');
        if (options.expected !== undefined && options.expected !== fingerprint) throw changedSince(plan.id);
        const by = callerOf(engine, workspace, options);
        return { ...plan, decisions: withDecisions(plan.decisions, made(workspace, plan, changes, decisions, by)) };
      }),
    recordDecisions: (id, revision, decisions, options = {}) =>
      engine.operate(options, async ({ workspace, pace }) => {
        const plan = findPlan(workspace, id);
        if (plan.cancelled !== null || plan.applications.length > 0) {
          await assertOpen(workspace, plan, pace, 'decided about');
        }
        if (plan.revision !== revision) throw changedSince(plan.id);
        const listed = await listingOf(workspace.store.objects, plan, pace);
        const by = callerOf(engine, workspace, options);
        addDecisions(workspace, plan, made(workspace, plan, listed, decisions, by));
      }),
    approvePlan: (id, fingerprint, options = {}) =>
      updatePlan(engine, id, options, async (plan, { workspace, pace }) => {
        assertByUser(engine, workspace, 'planReview');
        const selection = await assertOpen(workspace, plan, pace, 'approved');
        if (selection.fingerprint !== fingerprint) throw changedSince(plan.id);
        if (!(await isListingTrue(workspace.store.objects, plan, pace))) throw wrongListing(plan);
        const by = callerOf(engine, workspace, options);
        // It counts only if it is later than what was applied and rolled back, also if the clock was set back.
        const applied = Math.max(0, ...plan.applications.map(({ time }) => time + 1));
        return {
          ...plan,
          approval: { by, time: Math.max(applied, workspace.ports.clock.now()), fingerprint, isByPolicy: false },
        };
      }),
    notePlan: (id, text, { revision, ...options } = {}) =>
      updatePlan(engine, id, options, (plan, { workspace }) => {
        if (revision !== undefined && revision !== plan.revision) throw changedSince(plan.id);
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

/** Hunks are identified by what their lines are now, not by what was kept about them. */
function made(
  workspace: Workspace,
  plan: Plan,
  changes: readonly Pick<PlanChange, 'change'>[],
  decisions: readonly DecisionRequest[],
  by: Actor,
): readonly PlanDecision[] {
  const byPath = new Map(changes.map(({ change }) => [change.path, change]));
  const time = workspace.ports.clock.now();
  const digests = new Map<TreePath, readonly ListedHunk[]>();
  return decisions.flatMap(({ path: given, hunk, accepted }): readonly PlanDecision[] => {
    const path = givenPath(workspace, given);
    const change = byPath.get(path);
    if (hunk === undefined) {
      const below = change === undefined ? [...byPath.keys()].filter((one) => isWithin(one, path)) : [path];
      if (below.length === 0) throw notInPlan(plan.id, pathGiven(given));
      return below.map((one) => ({ by, time, path: one, hunk: null, accepted }));
    }
    if (change === undefined) throw notInPlan(plan.id, pathGiven(given));
    const known = digests.get(path) ?? listedHunks(hunksOf(workspace.store.objects, change) ?? []);
    digests.set(path, known);
    const found = known.find(({ number }) => number === hunk);
    if (found === undefined) throw noSuchHunk(plan.id, pathGiven(given), hunk, known.length);
    return [{ by, time, path, hunk: found.digest, accepted }];
  });
}

function changeAt(workspace: Workspace, { id }: Plan, listed: readonly ListedChange[], given: JsonName): Change {
  const path = givenPath(workspace, given);
  const found = listed.find(({ change }) => change.path === path);
  if (found === undefined) throw notInPlan(id, pathGiven(given));
  return found.change;
}

function pathGiven(given: JsonName): string {
  const name = nameFromJson(given);
  return name === '' ? 'the workspace folder itself' : showName(name);
}

function notInPlan(id: PlanId, path: string): SavepointError {
  return new SavepointError(
    'USAGE',
    `${id} does not change ${path}.`,
    { argument: 'decisions' },
    { hint: `\`savepoint plan show ${id}\` lists what it changes. Paths are relative to the current folder.` },
  );
}

function noSuchHunk(id: PlanId, path: string, hunk: number, hunks: number): SavepointError {
  const has = hunks === 0 ? 'is decided as a whole' : `has ${hunks === 1 ? '1 hunk' : `${hunks} hunks`}`;
  return new SavepointError(
    'USAGE',
    `${id} has no hunk ${hunk} of ${path}, which ${has}.`,
    { argument: 'decisions' },
    { hint: `\`savepoint plan show ${id}\` numbers the hunks.` },
  );
}

function wrongListing({ id, listing }: Plan): SavepointError {
  const hint = 'Nothing was approved. Cancel the plan, and propose it again.';
  const message = `What was shown of ${id} is not what it would apply: its listing in the store was changed.`;
  return new SavepointError('STORE_DAMAGED', message, { object: listing ?? '' }, { hint });
}
