/** The operation that applies a plan to the workspace. */

import { applyPlan as bringChanges } from '../copy/apply-copy.ts';
import { withWholeRenames } from '../copy/whole-renames.ts';
import type { Pace } from '../io/pace.ts';
import type { Authorship } from '../model/checkpoint.ts';
import { type Snapshot, sameEntry, sameSnapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { Plan, PlanApplication, PlanAuthors, PlanInfo } from '../model/plan.ts';
import { type ChangeSet, ChangeSetDraft, type PathConflict } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import type { ConflictChoices } from '../rewind/conflict-choices.ts';
import { byAuthors, LineAuthors } from '../rewind/line-authors.ts';
import { withResolved } from '../rewind/resolved-authors.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { type Attribution, attributionTo } from '../timeline/capture/attribution.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { appliedDescription } from '../timeline/record/plan-descriptions.ts';
import { storePlan } from '../timeline/record/plan-records.ts';
import { isInPart, type PhaseScope, type PlanPart, pathsOf, scopeOfParts } from './phases.ts';
import { isAnythingAccepted, type Selection, selectionOf } from './selection.ts';

export interface ApplyPlanRequest {
  readonly plan: Plan;
  /** Merge with what changed in the folder since the plan was made. Otherwise such changes are conflicts. */
  readonly rebase: boolean;
  readonly choices: ConflictChoices;
  /** One of them, unless it is only looked at. None: nothing is done, and nothing recorded. */
  readonly parts: readonly PlanPart[];
  /** The actor that applies it. */
  readonly by: PlanApplication['by'];
  /** It is applied only if the folder is exactly this. Absent or null: to any folder. */
  readonly onlyOn?: Snapshot | null;
}

/** What applies all of a plan. */
export const WHOLE_PLAN: readonly PlanPart[] = [{ phase: null, paths: null }];

/**
 * Changes the workspace as the plan says, without what was rejected. The plan records it before it happens, so that it
 * counts exactly if the checkpoint after exists. If all files are already as it says, it records that. The caller has
 * checked the approval.
 */
export function applyPlanOperation(workspace: Workspace, request: ApplyPlanRequest, pace: Pace): Operation {
  const { plan, parts, by, choices, onlyOn = null } = request;
  const [part = null, ...others] = parts;
  const phase = others.length === 0 && part !== null ? part.phase : null;
  let [fingerprint, isAllLeft, left]: [string, boolean, readonly TreePath[]] = ['', false, []];
  const record = async (checkpoint: number, isEmpty: boolean): Promise<void> => {
    if (part === null) return;
    const time = workspace.ports.clock.now();
    const made = { by, time, checkpoint, isEmpty, phase, paths: part.paths, left, fingerprint };
    await storePlan(workspace.store, withApplied(plan, made));
  };
  return {
    info: {
      ...checkpointInfo('apply', plan.proposedBy),
      session: plan.session,
      toolCall: plan.call,
      description: appliedDescription(plan, phase),
    },
    backups: null,
    isApproved: true,
    attribution: withResolved(authorsIn(plan), choices, { actor: by, session: null, call: null, tool: null }),
    plan: async (current) => {
      if (onlyOn !== null && !sameSnapshot(onlyOn, current.snapshot)) throw checkedElsewhere(plan);
      const selection = await selectionOf(current.objects, plan, pace);
      fingerprint = selection.fingerprint;
      const { changes, untouched } = await planChanges(workspace, request, selection, current, pace);
      if (part === null) return changes;
      const wanted = selection.changes.filter((one) => isAnythingAccepted(one) && isInPart(plan.phases, part, one));
      const leftOut = wanted.filter((one) => pathsOf(one).some((path) => untouched.has(path)));
      isAllLeft = leftOut.length === wanted.length;
      left = leftOut.flatMap(pathsOf);
      return changes;
    },
    beforeChange: ({ number }) => record(number, false),
    withoutChange: async ({ number }) => {
      if (!isAllLeft) await record(number, true);
    },
  };
}

/** The plan with the record of an application. It must be approved. */
export function withApplied(plan: Plan, made: Omit<PlanApplication, 'approval' | 'validation'>): Plan {
  const { approval } = plan;
  // A dry run has none, and does not get here.
  if (approval === null) throw new Error(`${plan.id} is not approved`);
  // A process that died may have recorded the same checkpoint, which then did not come to exist.
  const isReplaced = (one: PlanApplication): boolean =>
    !made.isEmpty && !one.isEmpty && one.checkpoint === made.checkpoint;
  const known = plan.applications.filter((one) => !isReplaced(one));
  return { ...plan, updated: made.time, applications: [...known, { ...made, approval, validation: null }] };
}

/** The authors of the proposed changes. They need not be the one who applies them. */
export function authorsIn({
  authors,
  proposedBy,
  session,
  call,
}: Pick<PlanInfo, 'authors' | 'proposedBy' | 'session' | 'call'>): Attribution {
  const byPath = new Map(authors.flatMap(({ paths, ...by }) => paths.map((path) => [path, by] as const)));
  const others = attributionTo({ actor: proposedBy, session, call, tool: null });
  return (path) => byPath.get(path) ?? others(path);
}

/** The paths by author, so that each author is written once. */
export function groupedByAuthors(paths: Iterable<TreePath>, by: Attribution): readonly PlanAuthors[] {
  const groups = new Map<string, Authorship & { readonly paths: TreePath[] }>();
  for (const path of paths) {
    const authorship = by(path);
    const key = JSON.stringify(authorship);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ...authorship, paths: [path] });
    else group.paths.push(path);
  }
  return [...groups.values()];
}

interface PlannedChanges {
  readonly changes: ChangeSet;
  /** What they leave because it does not merge. */
  readonly untouched: ReadonlySet<TreePath>;
}

async function planChanges(
  workspace: Workspace,
  { plan, rebase, choices, parts }: ApplyPlanRequest,
  { changes: listed, selected }: Selection,
  current: CurrentState,
  pace: Pace,
): Promise<PlannedChanges> {
  const scope = scopeOfParts(plan.phases, listed, parts);
  if (scope.within.length === 0) return { changes: new ChangeSetDraft().finish(), untouched: new Set() };
  const states = { base: plan.before, proposed: selected, paths: scope.within, except: scope.except, choices };
  const { plan: changes, skipped } = await bringChanges(workspace, states, current, pace);
  const moved = rebase ? [] : await movedPaths(workspace, { before: plan.before, selected, scope }, current, pace);
  const known = new Set(moved.map(({ path }) => path));
  const conflicts = [...moved, ...changes.conflicts.filter(({ path }) => !known.has(path))];
  if (conflicts.length === 0) return { changes, untouched: new Set(skipped) };
  if (!choices.skipConflicts) {
    const hint = moved.length === 0 || changes.refused.length > 0 ? changes.hint : MOVED_HINT;
    return { changes: { ...changes, conflicts, hint }, untouched: new Set(skipped) };
  }
  const found = withoutConflicts(changes, conflicts, { current, selected });
  const left = [...conflicts.map(({ path }) => path), ...found.left];
  const whole = await withWholeRenames(
    found.rest,
    left,
    { base: plan.before, proposed: selected },
    current.objects,
    pace,
  );
  return { changes: whole.plan, untouched: new Set([...skipped, ...left, ...whole.left]) };
}

/** Leaves out the conflicts. If one is about a folder that another kind of file is or was at, all below it is left out, too. */
function withoutConflicts(
  changes: ChangeSet,
  conflicts: readonly PathConflict[],
  { current, selected }: { readonly current: CurrentState; readonly selected: Snapshot },
): { readonly rest: ChangeSet; readonly left: readonly TreePath[] } {
  const read = cachedFolderReader(current.objects);
  const isFolder = (snapshot: Snapshot, path: TreePath): boolean =>
    stateAt(read, snapshot, path).entry?.kind === 'folder';
  const exact = new Set(conflicts.map(({ path }) => path));
  const whole = conflicts.flatMap(({ path }) =>
    isFolder(current.snapshot, path) && isFolder(selected, path) ? [] : [path],
  );
  const isLeft = (path: TreePath): boolean => exact.has(path) || whole.some((each) => isWithin(path, each));
  const rest = {
    ...changes,
    paths: changes.paths.filter(({ path }) => !isLeft(path)),
    conflicts: [],
    kept: [
      ...changes.kept.filter(({ path }) => !exact.has(path)),
      ...conflicts.map(({ path, why }) => ({ path, why: `skipped: ${why}` })),
    ],
  };
  return { rest, left: changes.paths.flatMap(({ path }) => (isLeft(path) ? [path] : [])) };
}

const MOVED_HINT =
  'Nothing was changed. `--rebase` merges both changes, `--skip-conflicts` leaves these paths out and applies the rest. Or ' +
  'propose the plan again.';
/** To find out who changed a path, the timeline is read. */
const NAMED_PATHS = 50;

/** The paths of the plan that are neither as they were when it was made, nor as the plan wants them, and who changed them. */
async function movedPaths(
  workspace: Workspace,
  { before, selected, scope: { within, except } }: MovedInput,
  current: CurrentState,
  pace: Pace,
): Promise<readonly PathConflict[]> {
  const { objects, snapshot } = current;
  const read = cachedFolderReader(objects);
  const authors = new LineAuthors(workspace, current, pace);
  const moved: PathConflict[] = [];
  for (const { path, before: was, after: wanted } of differences(objects, before, selected)) {
    if (!within.some((each) => isWithin(path, each)) || except.some((each) => isWithin(path, each))) continue;
    const { entry } = stateAt(read, snapshot, path);
    if (sameEntry(entry, was.entry) || sameEntry(entry, wanted.entry)) continue;
    const by = moved.length < NAMED_PATHS ? byAuthors(await authors.since(path, was.entry)) : '';
    moved.push({ path, why: `it changed after the plan was made${by === '' ? '' : `, ${by}`}` });
  }
  return moved;
}

interface MovedInput extends Pick<Plan, 'before'> {
  readonly selected: Snapshot;
  readonly scope: PhaseScope;
}

function checkedElsewhere({ id }: Pick<Plan, 'id'>): SavepointError {
  return new SavepointError(
    'NEEDS_CONFIRMATION',
    `${id} is not approved, and the folder changed since its checks ran.`,
    { verb: 'plan apply' },
    { hint: 'Nothing was changed. Check the plan again, or ask the user to review it.' },
  );
}
