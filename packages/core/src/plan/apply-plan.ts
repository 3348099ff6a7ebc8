/** The operation that applies a plan to the workspace. */

import { applyPlan as bringChanges } from '../copy/apply-copy.ts';
import type { Pace } from '../io/pace.ts';
import type { Authorship } from '../model/checkpoint.ts';
import { type Snapshot, sameEntry, sameSnapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { Plan, PlanApplication, PlanAuthors, PlanInfo } from '../model/plan.ts';
import { type ChangeSet, ChangeSetDraft } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import type { ConflictChoices } from '../rewind/conflict-choices.ts';
import { withResolved } from '../rewind/resolved-authors.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { type Attribution, attributionTo } from '../timeline/capture/attribution.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { appliedDescription } from '../timeline/record/plan-descriptions.ts';
import { storePlan } from '../timeline/record/plan-records.ts';
import { type PhaseScope, scopeOfPhases } from './phases.ts';
import { type Selection, selectionOf } from './selection.ts';

export interface ApplyPlanRequest {
  readonly plan: Plan;
  /** Merge with what changed in the folder since the plan was made. Otherwise such changes are conflicts. */
  readonly rebase: boolean;
  readonly choices: ConflictChoices;
  /** Only these phases; null: the whole plan. */
  readonly phases: readonly number[] | null;
  /** The actor that applies it. */
  readonly by: PlanApplication['by'];
  /** It is applied only if the folder is exactly this. Absent or null: to any folder. */
  readonly onlyOn?: Snapshot | null;
}

/**
 * Changes the workspace as the plan says, without what was rejected. The plan records it before it happens, so that it
 * counts exactly if the checkpoint after exists. The caller has checked the approval.
 */
export function applyPlanOperation(workspace: Workspace, request: ApplyPlanRequest, pace: Pace): Operation {
  const { plan, phases, by, choices, onlyOn = null } = request;
  const phase = phases?.length === 1 ? (phases[0] ?? null) : null;
  let fingerprint = '';
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
      return planChanges(workspace, request, selection, current, pace);
    },
    beforeChange: async ({ number }) => {
      const time = workspace.ports.clock.now();
      await storePlan(workspace.store, withApplied(plan, { by, time, checkpoint: number, phase, fingerprint }));
    },
  };
}

/** The plan with the record of an application. It must be approved. */
export function withApplied(plan: Plan, made: Omit<PlanApplication, 'approval' | 'validation'>): Plan {
  const { approval } = plan;
  // A dry run has none, and does not get here.
  if (approval === null) throw new Error(`${plan.id} is not approved`);
  // A process that died may have recorded the same checkpoint, which then did not come to exist.
  const known = plan.applications.filter(({ checkpoint }) => checkpoint !== made.checkpoint);
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

async function planChanges(
  workspace: Workspace,
  { plan, rebase, choices, phases }: ApplyPlanRequest,
  { changes: listed, selected }: Selection,
  current: CurrentState,
  pace: Pace,
): Promise<ChangeSet> {
  const scope = scopeOfPhases(plan.phases, listed, phases);
  if (scope.within.length === 0) return new ChangeSetDraft().finish();
  const states = { base: plan.before, proposed: selected, paths: scope.within, except: scope.except, choices };
  const { plan: changes } = await bringChanges(workspace, states, current, pace);
  if (rebase) return changes;
  const moved = movedPaths(plan.before, selected, scope, current);
  if (moved.length === 0) return changes;
  return {
    ...changes,
    conflicts: [
      ...moved.map((path) => ({ path, why: 'it changed after the plan was made' })),
      ...changes.conflicts.filter(({ path }) => !moved.includes(path)),
    ],
    hint: 'Apply it with `--rebase` to merge both changes, or propose the plan again.',
  };
}

/** The paths of the plan that are neither as they were when it was made, nor as the plan wants them. */
function movedPaths(
  before: Snapshot,
  selected: Snapshot,
  { within, except }: PhaseScope,
  { objects, snapshot }: CurrentState,
): readonly TreePath[] {
  const read = cachedFolderReader(objects);
  const moved: TreePath[] = [];
  for (const { path, before: was, after: wanted } of differences(objects, before, selected)) {
    if (!within.some((each) => isWithin(path, each)) || except.some((each) => isWithin(path, each))) continue;
    const { entry } = stateAt(read, snapshot, path);
    if (!sameEntry(entry, was.entry) && !sameEntry(entry, wanted.entry)) moved.push(path);
  }
  return moved;
}

function checkedElsewhere({ id }: Pick<Plan, 'id'>): SavepointError {
  return new SavepointError(
    'NEEDS_CONFIRMATION',
    `${id} is not approved, and the folder changed since its checks ran.`,
    { verb: 'plan apply' },
    { hint: 'Nothing was changed. Check the plan again, or ask the user to review it.' },
  );
}
