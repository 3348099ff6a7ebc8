/** The acts themselves: restore, undo, redo. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import { type Actor, type Checkpoint, type ConversationPosition, goesBack } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { SessionId } from '../model/ids.ts';
import { nameToJson, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { Operation, Today } from '../operation/operation.ts';
import type { ObjectBatch, ObjectReader } from '../store/objects/object-reader.ts';
import { rememberFolders } from '../store/snapshot/snapshot.ts';
import { nextOperations } from '../timeline/activity/operations.ts';
import { plainTelling, type Workspace } from '../timeline/capture/capture.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { IgnoreFile } from '../workspace/rules/ignore-rules.ts';
import { withHeadsBack, withHeadsOf } from './head-changes.ts';
import { inverseChanges } from './inverse-changes.ts';
import { type MayGo, OF_AGENTS, type Parties, partiesSince } from './parties.ts';
import { planRestoreKeeping, protectionOf, type RestoreInput, restoreChanges } from './restore-changes.ts';
import { untilNow } from './rollback.ts';
import { rollbackChanges } from './rollback-changes.ts';
import { rootsInside, withoutFailedRoots } from './roots.ts';
import { changesOf, selectChanges } from './selection.ts';

/**
 * How a restore treats what agents did not do.
 * - `exact`: the paths become equal to the checkpoint
 * - `keep-outside`: only what agents changed since the checkpoint is taken back, merged with the rest; where no agent
 *   changed anything, what changed since the last checkpoint stays
 */
export type RestoreMode = 'exact' | 'keep-outside';

export interface RestoreRequest {
  readonly target: Checkpoint;
  readonly scope: readonly TreePath[];
  /** Null: as `exact` where either agents or others changed the paths; where both did, it is a conflict. */
  readonly mode: RestoreMode | null;
  /** Only this root, without those that lie in it; null: all of the scope. */
  readonly root: TreePath | null;
  /** Leave alone the roots that one of the two states does not have; without it nothing is restored then. */
  readonly allowPartial: boolean;
  /** Also put the branch, HEAD and index of each root where the checkpoint saw them. */
  readonly git: boolean;
  readonly actor: Actor;
  /** Who goes back in its conversation: its own work alone may go without a question. */
  readonly session?: { readonly id: SessionId; readonly conversation: ConversationPosition | null };
  readonly global: IgnoreFile;
}

const EVERYTHING: readonly TreePath[] = [WORKSPACE_ITSELF];

const TWO_PARTIES_HINT =
  'Nothing was changed. --keep-outside reverts only the changes of agents; --exact makes everything equal to ' +
  'the checkpoint.';

export function restoreOperation(
  workspace: Workspace,
  request: RestoreRequest,
  pace: Pace,
): { readonly act: Operation; readonly parties: () => Parties | null } {
  const { target, mode, global, root, session } = request;
  const scope = root === null ? request.scope : [root];
  let parties: Parties | null = null;
  const act: Operation = {
    telling: {
      ...plainTelling('restore', request.actor),
      ...(session === undefined ? {} : { session: session.id, conversation: session.conversation }),
      target: target.id,
      description: describeRestore(target, scope),
    },
    backups: null,
    plan: async (today) => {
      const plan = withoutFailedRoots(await planned(today), { ...request, scope }, today);
      return request.git ? withHeadsOf(workspace, plan, target, { scope, root }, pace) : plan;
    },
  };
  const planned = async (today: Today): Promise<ChangeSet> => {
    if (root === null) refuseUnknown(today, target, scope);
    const input = {
      objects: today.objects,
      now: today.snapshot,
      own: today.own,
      rootsNow: today.roots,
      target,
      scope: scope.length === 0 ? EVERYTHING : scope,
      except: root === null ? [] : rootsInside(root, target, today),
      global,
    };
    if (mode === 'keep-outside') return planKeeping(workspace, today, input, session?.id ?? null, pace);
    const plan = await restoreChanges(input, pace);
    if (mode === 'exact' || plan.paths.length === 0) return plan;
    const mayGo: MayGo = session === undefined ? OF_AGENTS : (author) => author.session === session.id;
    const since = await untilNow(workspace, today, pace, target.number);
    const found = await partiesSince(today.objects, since, { target, plan, mayGo }, pace);
    if (found.outside.length === 0 || (session === undefined && found.agents.length === 0)) return plan;
    parties = found;
    const others = session === undefined ? 'changes that no agent made' : 'changes from outside this session';
    const why = `it has, or may have, ${others} since ${target.id}`;
    return {
      ...plan,
      conflicts: [...plan.conflicts, ...found.outside.map((path) => ({ path, why }))],
      hint: TWO_PARTIES_HINT,
    };
  };
  return { act, parties: () => parties };
}

/** @throws SavepointError NOTHING_TO_UNDO */
export function undoOperation(workspace: Workspace, actor: Actor, pace: Pace): Operation {
  const act = nextOperations(workspace.timeline.upTo()).undo;
  if (act === null) throw new SavepointError('NOTHING_TO_UNDO', 'There is no operation to undo.');
  return inverseAct(workspace, act, 'undo', actor, pace);
}

/** @throws SavepointError NOTHING_TO_REDO */
export function redoOperation(workspace: Workspace, actor: Actor, pace: Pace): Operation {
  const act = nextOperations(workspace.timeline.upTo()).redo;
  if (act === null) throw new SavepointError('NOTHING_TO_REDO', 'There is no operation to redo.');
  return inverseAct(workspace, act, 'redo', actor, pace);
}

/** What agents did since the target is taken back; where they did nothing, what changed since the last look is kept. */
async function planKeeping(
  workspace: Workspace,
  today: Today,
  input: RestoreInput & { readonly objects: ObjectBatch },
  session: SessionId | null,
  pace: Pace,
): Promise<ChangeSet> {
  const { target, scope } = input;
  const checkpoints = await untilNow(workspace, today, pace);
  const selection = {
    after: { checkpoint: target.number },
    files: scope,
    ...(session === null ? {} : { session }),
  };
  const { chosen, skipped, whereabouts } = await selectChanges(today.objects, checkpoints, selection, false, pace);
  const inDoubt = skipped.filter(
    ({ change: { by } }) => !by.sure && by.authors.some(({ actor }) => actor.kind === 'agent'),
  );
  if (session === null && !(await didAgentsWork(today.objects, checkpoints, target, pace))) {
    return today.last === null
      ? restoreChanges(input, pace)
      : planRestoreKeeping({ ...input, last: today.last.snapshot }, pace);
  }
  const keep = protectionOf(input);
  const options = { prefer: new Map(), skipConflicts: false, keep };
  const { plan, rolledBack } = await rollbackChanges({ today, chosen, whereabouts, ...options }, pace);
  return {
    ...plan,
    rolledBack,
    kept: [...plan.kept, ...inDoubt.map(({ change, why }) => ({ path: change.path, why }))],
  };
}

/** Since the target, anywhere in the workspace: also where it was taken back again. */
async function didAgentsWork(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  target: Checkpoint,
  pace: Pace,
): Promise<boolean> {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  for (const checkpoint of checkpoints) {
    if (checkpoint.number <= target.number || goesBack(checkpoint.trigger)) continue;
    const previous = checkpoint.previous === null ? undefined : byId.get(checkpoint.previous);
    const changes = await changesOf(objects, checkpoint, previous, pace);
    if (changes.some(({ by }) => by.authors.some(({ actor }) => actor.kind === 'agent'))) return true;
  }
  return false;
}

/** A path that is in neither state is a slip of the hand: "nothing to restore" would sound as if all were well. */
function refuseUnknown(today: Today, target: Checkpoint, scope: readonly TreePath[]): void {
  const read = rememberFolders(today.objects);
  const isNowhere = (path: TreePath): boolean =>
    [target.snapshot, today.snapshot].every((snapshot) => {
      const { entry, skip } = stateAt(read, snapshot, path);
      return entry === null && skip === null;
    });
  const unknown = scope.filter((path) => path !== '' && isNowhere(path));
  const [first] = unknown;
  if (first === undefined) return;
  const why = `is neither in ${target.id} nor in the workspace`;
  throw new SavepointError(
    'PATH_REFUSED',
    `${showName(first)} ${why}.`,
    { path: nameToJson(first), why, paths: unknown.map((path) => ({ path: nameToJson(path), why })) },
    { hint: `Nothing was changed. \`savepoint diff ${target.id} --stat\` lists the paths that differ.` },
  );
}

function inverseAct(
  workspace: Workspace,
  act: Checkpoint,
  trigger: 'undo' | 'redo',
  actor: Actor,
  pace: Pace,
): Operation {
  const previous = workspace.timeline.list().find(({ number }) => `cp_${number}` === act.previous);
  if (previous === undefined) {
    const code = trigger === 'undo' ? 'NOTHING_TO_UNDO' : 'NOTHING_TO_REDO';
    throw new SavepointError(
      code,
      `${act.id} cannot be ${trigger === 'undo' ? 'undone' : 'redone'}: the checkpoint before it has been dropped.`,
    );
  }
  const found = workspace.timeline.read(previous);
  return {
    telling: {
      ...plainTelling(trigger, actor),
      undoes: act.id,
      description: `${trigger === 'undo' ? 'Undid' : 'Redid'} ${describeInverse(workspace, act, trigger)}`,
    },
    backups: null,
    plan: async (today) => {
      const plan = await inverseChanges(
        {
          objects: today.objects,
          before: found.snapshot,
          after: act.snapshot,
          now: today.snapshot,
          own: today.own,
          ofOneAct: true,
          keep: () => null,
          within: EVERYTHING,
        },
        pace,
      );
      return withHeadsBack(workspace, plan, act, pace);
    },
  };
}

/** A redo is told by the act that it brings again, not by the undo that it takes back. */
function describeInverse(workspace: Workspace, act: Checkpoint, trigger: 'undo' | 'redo'): string {
  let told = act;
  if (trigger === 'redo') {
    const ref = workspace.timeline.list().find(({ number }) => `cp_${number}` === act.undoes);
    if (ref !== undefined) told = workspace.timeline.read(ref);
  }
  return `${told.id} (${told.description})`;
}

function describeRestore(target: Checkpoint, scope: readonly TreePath[]): string {
  if (scope.length === 0 || scope.includes(WORKSPACE_ITSELF)) return `Restored ${target.id}`;
  const named = scope.slice(0, 3).map(showName).join(', ');
  return `Restored ${named}${scope.length > 3 ? ', …' : ''} from ${target.id}`;
}
