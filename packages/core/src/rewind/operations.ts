/** The operations restore, undo and redo. */

import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Actor, Checkpoint, ConversationPosition, RecordedChange } from '../model/checkpoint.ts';
import { sameEntry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { checkpointId, type SessionId } from '../model/ids.ts';
import { isWithin, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { nextOperations } from '../timeline/activity/operations.ts';
import { checkpointInfo, checkpointsUntilNow } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { assertPathsKnown } from '../timeline/diff/known-paths.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { DamagedCheckpoint } from '../timeline/record/timeline.ts';
import type { IgnoreFile } from '../workspace/rules/ignore-rules.ts';
import {
  type AffectedAuthors,
  affectedAuthorsSince,
  type IsReplaceable,
  isByAgent,
  mayAgentsHaveWorkedSince,
  unrecordedChanges,
} from './affected-authors.ts';
import { broughtBackBy, broughtBackNotes } from './brought-back.ts';
import { type ConflictChoices, resolveConflicts } from './conflict-choices.ts';
import { withRestoredHeads, withRevertedHeads } from './head-changes.ts';
import { inverseChanges } from './inverse-changes.ts';
import { LineAuthors } from './line-authors.ts';
import { planMergingRestore, type RestoreInput, reasonToKeepOf, restoreChanges } from './restore-changes.ts';
import { rollbackChanges } from './rollback-changes.ts';
import { rootsInside, withoutFailedRoots } from './roots.ts';
import { type SkippedChange, STATE_BEFORE_GONE, selectChanges } from './selection.ts';

/**
 * How a restore treats changes that were not made by agents.
 * - `exact`: the paths become equal to the checkpoint
 * - `keep-outside`: reverts only what agents changed since the checkpoint, merged with the other changes. If no agent
 *   changed anything, changes made since the last checkpoint are kept
 */
export type RestoreMode = 'exact' | 'keep-outside';

export interface RestoreRequest {
  readonly target: Checkpoint;
  readonly scope: readonly TreePath[];
  /** Null: like `exact` if the changes are all by agents or all by others. A mix of both is a conflict. */
  readonly mode: RestoreMode | null;
  /** Only this root, without the roots inside it. Null: everything in the scope. */
  readonly root: TreePath | null;
  /** Leave roots alone that one of the two states does not have. Without it, a missing root stops the whole restore. */
  readonly allowPartial: boolean;
  /** Also set the branch, HEAD and index of each root to what the checkpoint recorded. */
  readonly git: boolean;
  readonly actor: Actor;
  /** The session that goes back in its conversation. Only its own work is reverted without asking. */
  readonly session?: { readonly id: SessionId; readonly conversation: ConversationPosition | null };
  readonly global: IgnoreFile;
  readonly choices: ConflictChoices;
}

const EVERYTHING: readonly TreePath[] = [WORKSPACE_ITSELF];

const MIXED_AUTHORS_HINT =
  'Nothing was changed. --keep-outside reverts only the changes of agents; --exact makes everything equal to ' +
  'the checkpoint.';

export function restoreOperation(
  workspace: Workspace,
  request: RestoreRequest,
  pace: Pace,
): { readonly operation: Operation; readonly affectedAuthors: () => AffectedAuthors | null } {
  const { target, mode, global, root, session } = request;
  const scope = root === null ? request.scope : [root];
  let affectedAuthors: AffectedAuthors | null = null;
  const operation: Operation = {
    info: {
      ...checkpointInfo('restore', request.actor),
      ...(session === undefined ? {} : { session: session.id, conversation: session.conversation }),
      target: target.id,
      description: describeRestore(target, scope),
    },
    backups: null,
    plan: async (current) => {
      const authors = new LineAuthors(workspace, current, pace);
      const resolved = await resolveConflicts(await planned(current), current, request.choices, authors);
      const plan = withoutFailedRoots(resolved, { ...request, scope }, current);
      return request.git ? withRestoredHeads(workspace, plan, target, { scope, root }, pace) : plan;
    },
  };
  const planned = async (current: CurrentState): Promise<ChangeSet> => {
    if (root === null) {
      const states = [
        { name: target.id, snapshot: target.snapshot },
        { name: 'the workspace', snapshot: current.snapshot },
      ] as const;
      const hint = `Nothing was changed. \`savepoint diff ${target.id} --stat\` lists the paths that differ.`;
      assertPathsKnown(current.objects, states, scope, hint);
    }
    const input = {
      objects: current.objects,
      now: current.snapshot,
      own: current.own,
      rootsNow: current.roots,
      target,
      scope: scope.length === 0 ? EVERYTHING : scope,
      except: root === null ? [] : rootsInside(root, target, current),
      global,
    };
    const unnoted =
      mode === 'keep-outside'
        ? await planKeepOutside(workspace, current, input, request, pace)
        : await current.entries.keepIn(await restoreChanges(input, pace));
    if (unnoted.paths.length === 0 || unnoted.rolledBack !== undefined) return unnoted;
    const since = await checkpointsUntilNow(workspace, current, pace, target.number);
    const stores = { objects: current.objects, readable: workspace.timeline.reader() };
    const broughtBack = await broughtBackBy(unnoted, target, since, stores, pace);
    const plan = { ...unnoted, notes: [...(unnoted.notes ?? []), ...broughtBackNotes(broughtBack)] };
    if (mode !== null) return plan;
    const isReplaceable: IsReplaceable = session === undefined ? isByAgent : (author) => author.session === session.id;
    const isOfEntries = ({ path, before, after }: Pick<RecordedChange, 'path' | 'before' | 'after'>): boolean =>
      current.entries.mayBeIn(path) && current.entries.isSameWithout(path, before, after);
    const about = { target, plan, isReplaceable, isOfEntries, broughtBack };
    const { agents, outside, unrecorded } = await affectedAuthorsSince(current.objects, since, about, pace);
    const isByAgents = agents.length > 0 || unrecorded.size > 0;
    if (outside.length === 0 || (session === undefined && !isByAgents)) return plan;
    affectedAuthors = { agents, outside };
    const others = session === undefined ? 'by others than agents' : 'from outside this session';
    const why = `changed, or perhaps changed, ${others} since ${target.id}`;
    const reverted = new Map(broughtBack.map(({ path, text }) => [path, `${why}; it ${text}`]));
    const reasonOf = (path: TreePath): string =>
      unrecorded.has(path) ? unrecordedBecause(target) : (reverted.get(path) ?? why);
    return {
      ...plan,
      conflicts: [...plan.conflicts, ...outside.map((path) => ({ path, why: reasonOf(path) }))],
      hint: MIXED_AUTHORS_HINT,
    };
  };
  return { operation, affectedAuthors: () => affectedAuthors };
}

/** @throws SavepointError NOTHING_TO_UNDO, STORE_DAMAGED if an unreadable checkpoint may be the operation */
export function undoOperation(workspace: Workspace, actor: Actor, choices: ConflictChoices, pace: Pace): Operation {
  const { undo: operation, unreadable } = nextOperations(workspace.timeline.newestFirst());
  assertOperationKnown('undo', unreadable.undo);
  if (operation === null) throw new SavepointError('NOTHING_TO_UNDO', 'There is no operation to undo.');
  return inverseOperation(workspace, { operation, trigger: 'undo', actor, choices }, pace);
}

/** @throws SavepointError NOTHING_TO_REDO, STORE_DAMAGED if an unreadable checkpoint may be the operation */
export function redoOperation(workspace: Workspace, actor: Actor, choices: ConflictChoices, pace: Pace): Operation {
  const { redo: operation, unreadable } = nextOperations(workspace.timeline.newestFirst());
  assertOperationKnown('redo', unreadable.redo);
  if (operation === null) throw new SavepointError('NOTHING_TO_REDO', 'There is no operation to redo.');
  return inverseOperation(workspace, { operation, trigger: 'redo', actor, choices }, pace);
}

function unrecordedBecause({ id }: Checkpoint): string {
  return `it changed since ${id}, and the record of who changed it was dropped or cannot be read`;
}

/**
 * Reverts what agents surely or likely changed since the target. If agents changed nothing, keeps changes since the last
 * checkpoint. What changed where checkpoints are missing is kept.
 */
async function planKeepOutside(
  workspace: Workspace,
  current: CurrentState,
  input: RestoreInput & { readonly objects: ObjectBatch },
  { root, session }: Pick<RestoreRequest, 'root' | 'session'>,
  pace: Pace,
): Promise<ChangeSet> {
  const { target, scope } = input;
  const checkpoints = await checkpointsUntilNow(workspace, current, pace);
  if (session === undefined && !(await mayAgentsHaveWorkedSince(current.objects, checkpoints, target, pace))) {
    return current.last === null
      ? restoreChanges(input, pace)
      : planMergingRestore({ ...input, last: current.last.snapshot, entries: current.entries }, pace);
  }
  const selection = {
    after: { checkpoint: target.number },
    files: scope,
    ...(root === null ? {} : { root }),
    ...(session === undefined ? {} : { session: session.id }),
  };
  const { chosen, skipped } = await selectChanges(current.objects, checkpoints, selection, 'likely', pace);
  const isUnknown = ({ grade, why }: SkippedChange): boolean => grade !== null || why === STATE_BEFORE_GONE.why;
  const inDoubt = skipped.filter((one) => isUnknown(one) && one.change.by.authors.some(isByAgent));
  const options = { prefer: new Map(), skipConflicts: false, keep: reasonToKeepOf(input) };
  const { changeSet, rolledBack } = await rollbackChanges({ current, chosen, ...options }, pace);
  return {
    ...changeSet,
    rolledBack,
    kept: [
      ...changeSet.kept,
      ...inDoubt.map(({ change, why }) => ({ path: change.path, why })),
      ...unrecordedPaths(current, checkpoints, input).map((path) => ({ path, why: unrecordedBecause(target) })),
    ],
  };
}

/** Returns the chosen paths that differ from the target, and that changed where checkpoints are missing. */
function unrecordedPaths(
  { objects, snapshot }: CurrentState,
  checkpoints: readonly Checkpoint[],
  { target, scope, except }: Pick<RestoreInput, 'target' | 'scope' | 'except'>,
): readonly TreePath[] {
  const read = cachedFolderReader(objects);
  const isChosen = (path: TreePath): boolean =>
    scope.some((one) => isWithin(path, one)) && !except.some((root) => isWithin(path, root));
  const differs = (path: TreePath): boolean => {
    const [now, then] = [snapshot, target.snapshot].map((state) => stateAt(read, state, path));
    return !sameEntry(now?.entry ?? null, then?.entry ?? null);
  };
  const paths = new Set<TreePath>();
  for (const [path] of unrecordedChanges(objects, checkpoints, target, [])) {
    if (isChosen(path) && differs(path)) paths.add(path);
  }
  return [...paths].sort();
}

interface InverseRequest {
  readonly operation: Checkpoint;
  readonly trigger: 'undo' | 'redo';
  readonly actor: Actor;
  readonly choices: ConflictChoices;
}

function inverseOperation(
  workspace: Workspace,
  { operation, trigger, actor, choices }: InverseRequest,
  pace: Pace,
): Operation {
  const previous = workspace.timeline.list().find(({ number }) => `cp_${number}` === operation.previous);
  if (previous === undefined) {
    const code = trigger === 'undo' ? 'NOTHING_TO_UNDO' : 'NOTHING_TO_REDO';
    throw new SavepointError(
      code,
      `${operation.id} cannot be ${trigger === 'undo' ? 'undone' : 'redone'}: the checkpoint before it has been dropped.`,
    );
  }
  const found = workspace.timeline.read(previous);
  return {
    info: {
      ...checkpointInfo(trigger, actor),
      undoes: operation.id,
      description: `${trigger === 'undo' ? 'Undid' : 'Redid'} ${describeInverse(workspace, operation, trigger)}`,
    },
    backups: null,
    plan: async (current) => {
      const plan = await inverseChanges(
        {
          objects: current.objects,
          before: found.snapshot,
          after: operation.snapshot,
          now: current.snapshot,
          own: current.own,
          entries: current.entries,
          isOneOperation: true,
          reasonToKeep: () => null,
          within: EVERYTHING,
          except: [],
        },
        pace,
      );
      const resolved = await resolveConflicts(plan, current, choices, new LineAuthors(workspace, current, pace));
      return withRevertedHeads(workspace, resolved, operation, pace);
    },
  };
}

function assertOperationKnown(trigger: 'undo' | 'redo', unreadable: DamagedCheckpoint | null): void {
  if (unreadable === null) return;
  const { id, error } = unreadable;
  throw new SavepointError(
    'STORE_DAMAGED',
    `It is unknown what ${trigger} would revert, because ${id} may be an operation and cannot be read.`,
    { checkpoints: [id] },
    { cause: error, hint: 'Run `savepoint repair`, or go back with `savepoint restore` and the name of a checkpoint.' },
  );
}

/**
 * Names the operation that an undo reverts, or the one that a redo applies again, with the title of the operation that
 * was requested in the first place: an undo of a redo of a restore is described by the restore.
 */
function describeInverse({ timeline }: Workspace, operation: Checkpoint, trigger: 'undo' | 'redo'): string {
  const refs = timeline.list();
  const revertedBy = ({ undoes }: Checkpoint): Checkpoint | null => {
    const ref = refs.find(({ number }) => checkpointId(number) === undoes);
    return ref === undefined ? null : timeline.read(ref);
  };
  const applied = trigger === 'redo' ? (revertedBy(operation) ?? operation) : operation;
  let requested = applied;
  while (requested.trigger === 'redo') {
    const undo = revertedBy(requested);
    const before = undo === null ? null : revertedBy(undo);
    if (before === null) break;
    requested = before;
  }
  const named = trigger === 'redo' ? requested : applied;
  return `${named.id} (${requested.description})`;
}

function describeRestore(target: Checkpoint, scope: readonly TreePath[]): string {
  if (scope.length === 0 || scope.includes(WORKSPACE_ITSELF)) return `Restored ${target.id}`;
  const named = scope.slice(0, 3).map(showName).join(', ');
  return `Restored ${named}${scope.length > 3 ? ', …' : ''} from ${target.id}`;
}
