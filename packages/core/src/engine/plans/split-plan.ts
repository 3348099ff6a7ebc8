/** Splits a plan along the imports of its files: into phases, or into plans that do not depend on each other. */

import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId, PlanId } from '../../model/ids.ts';
import { exactName, foldersAbove, type TreePath } from '../../model/names.ts';
import type { Plan, PlanAct, PlanPhase } from '../../model/plan.ts';
import { addListing } from '../../plan/listing.ts';
import { pathsOf } from '../../plan/phases.ts';
import { type PlanChange, selectionOf } from '../../plan/selection.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { cachedFolderReader } from '../../store/snapshot/snapshot.ts';
import { removeReviewFile } from '../../store/state/review-file.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { stateAt } from '../../timeline/diff/snapshot-diff.ts';
import { keepPlanWithParts, writePlan } from '../../timeline/record/plan-records.ts';
import type { Engine } from '../engine.ts';
import { makeRoom, tidyAfter } from '../maintenance.ts';
import { callerOf } from '../served-call.ts';
import { type PlanView, viewOf } from './plan-view.ts';
import { assertRevisable } from './propose.ts';
import { setPhases } from './set-phases.ts';
import { changedSince, findPlan } from './stored-plans.ts';

export interface SplitPlanOptions extends CallOptions {
  /**
   * - `phases`: sets the phases of the plan
   * - `groups`: makes a plan of each group, and cancels this one
   *
   * Default: nothing is changed.
   */
  readonly into?: 'phases' | 'groups';
}

export interface PlanGroup {
  /** Everything of the plan that is in the group. */
  readonly paths: readonly TreePath[];
  /** The plan that was made of it. Null: none was made. */
  readonly plan: PlanId | null;
}

export interface PlanSplit {
  /** The plan as it is now. */
  readonly plan: PlanView;
  /** In their order: no file is in an earlier phase than one that it imports. */
  readonly phases: readonly PlanPhase[];
  /** No file imports one of another group. */
  readonly groups: readonly PlanGroup[];
  /** Files of which it is not known what they import. */
  readonly unknown: readonly TreePath[];
}

/** What a plan can be split into, and the plan that this is about. */
interface Found extends Pick<PlanSplit, 'phases' | 'unknown'> {
  readonly seen: Plan;
  readonly groups: readonly (readonly TreePath[])[];
}

/**
 * @throws SavepointError UNKNOWN_PLAN, CANCELLED, USAGE if all files belong together or if it cannot be revised, CONFLICT if
 *   the plan changed meanwhile
 */
export async function splitPlan(
  engine: Engine,
  id: string,
  { into, ...options }: SplitPlanOptions,
): Promise<PlanSplit> {
  const found = await engine.read((workspace) => lookAt(engine, workspace, id, options));
  const { phases, unknown, seen } = found;
  const groups = found.groups.map((paths): PlanGroup => ({ paths, plan: null }));
  if (into === 'phases') return { plan: await phased(engine, found, options), phases, groups, unknown };
  if (into === 'groups') return { ...(await makeGroups(engine, found, options)), phases, unknown };
  const plan = await engine.read((workspace) => viewOf(workspace, seen, false, engine.pace(options)));
  return { plan, phases, groups, unknown };
}

async function lookAt(engine: Engine, workspace: Workspace, id: string, options: CallOptions): Promise<Found> {
  const seen = findPlan(workspace, id);
  const objects = new OverlayBatch(workspace.store.objects);
  const { changes } = await selectionOf(objects, seen, engine.pace(options));
  const together = inseparable(objects, seen, changes);
  const states = { objects, base: seen.before, proposed: seen.proposed };
  // Loaded lazily: most calls analyse nothing.
  const { splitStates } = await import('../code/split.ts');
  const { phases, groups, unknown } = await splitStates(engine, workspace, states, together, options);
  return { seen, phases: phases.map((paths, index) => ({ name: `phase ${index + 1}`, paths })), groups, unknown };
}

/** The paths of each change. Those in a folder that goes are together: otherwise an empty folder would be left. */
function inseparable(
  objects: ObjectBatch,
  plan: Plan,
  changes: readonly PlanChange[],
): readonly (readonly TreePath[])[] {
  const read = cachedFolderReader(objects);
  const inFolder = new Map<TreePath, TreePath[]>();
  for (const path of changes.flatMap(pathsOf)) {
    for (const folder of foldersAbove(path)) {
      if (stateAt(read, plan.proposed, folder).entry !== null) break;
      const others = inFolder.get(folder);
      if (others === undefined) inFolder.set(folder, [path]);
      else others.push(path);
    }
  }
  return [...changes.map(pathsOf), ...inFolder.values()];
}

function phased(engine: Engine, { seen, phases }: Found, options: CallOptions): Promise<PlanView> {
  const requests = phases.map(({ name, paths }) => ({ name, paths: paths.map((path) => exactName(path)) }));
  return setPhases(engine, seen.id, requests, options, (plan) => assertSame(plan, seen));
}

async function makeGroups(
  engine: Engine,
  { seen, groups }: Found,
  options: CallOptions,
): Promise<Pick<PlanSplit, 'plan' | 'groups'>> {
  if (groups.length < 2) {
    const message = `The files of ${seen.id} depend on each other, so it stays one plan.`;
    const hint = `\`savepoint plan split ${seen.id} --phases\` applies it step by step.`;
    throw new SavepointError('USAGE', message, { argument: 'into' }, { hint });
  }
  return engine.operate(options, async (operating) => {
    const { workspace, pace } = operating;
    const { store, ports } = workspace;
    const plan = findPlan(workspace, seen.id);
    assertSame(plan, seen);
    await assertRevisable(workspace, plan, pace);
    await makeRoom(operating, 'all');
    const act: PlanAct = { by: callerOf(engine, workspace, options), time: ports.clock.now() };
    const batch = store.objects.batch();
    try {
      const parts = new Map<PlanId, ObjectId>();
      for (const [index, paths] of groups.entries()) {
        const part = await partOf(batch, plan, paths, act, pace);
        const id = `plan_${ports.random.hex(4)}` as PlanId;
        const intent = withNumber(plan.intent, `group ${index + 1} of ${groups.length}`);
        // Lists are in this order.
        const created = act.time + index;
        parts.set(id, writePlan(batch, { ...part, id, intent, created, updated: act.time }));
      }
      const ids = [...parts.keys()];
      const words = [...plan.words, { ...act, text: `Split into ${ids.join(', ')}.`, revision: plan.revision }];
      const cancelled = { ...plan, words, cancelled: act, updated: act.time };
      const commit = writePlan(batch, cancelled);
      await batch.finish();
      keepPlanWithParts(store.refs, { id: plan.id, commit }, parts);
      removeReviewFile(ports, store.layout, plan.id);
      const view = await viewOf(workspace, cancelled, false, pace);
      await tidyAfter(engine, operating);
      return { plan: view, groups: groups.map((paths, index) => ({ paths, plan: ids[index] ?? null })) };
    } finally {
      batch.abandon();
    }
  });
}

/** The plan with some of its paths only: without the others, as if they were rejected. */
async function partOf(
  batch: ObjectBatch,
  plan: Plan,
  paths: readonly TreePath[],
  act: PlanAct,
  pace: Pace,
): Promise<Omit<Plan, 'id'>> {
  const own = new Set(paths);
  const { changes } = await selectionOf(batch, plan, pace);
  const decisions = changes
    .filter(({ change }) => !own.has(change.path))
    .map(({ change: { path } }) => ({ ...act, path, hunk: null, accepted: false }));
  const { selected } = await selectionOf(batch, { ...plan, decisions }, pace);
  const states = { before: plan.before, proposed: selected };
  return {
    ...plan,
    ...states,
    listing: await addListing(batch, states, pace),
    authors: plan.authors.flatMap((one) => {
      const some = one.paths.filter((path) => own.has(path));
      return some.length === 0 ? [] : [{ ...one, paths: some }];
    }),
    decisions: plan.decisions.filter(({ path }) => own.has(path)),
    ...{
      revision: 1,
      approval: null,
      words: [],
      checks: null,
      analysis: null,
      override: null,
      failedRuns: 0,
      phases: [],
    },
  };
}

/** In the first line, which lists show. */
function withNumber(intent: string, number: string): string {
  const [first = '', ...rest] = intent.split('\n');
  return [`${first} (${number})`, ...rest].join('\n');
}

/** @throws SavepointError CONFLICT */
function assertSame(now: Plan, seen: Plan): void {
  const isSame = sameSnapshot(now.before, seen.before) && sameSnapshot(now.proposed, seen.proposed);
  if (!isSame) throw changedSince(seen.id);
}
