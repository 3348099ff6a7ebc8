/** The operation that brings the changes of a copy into the workspace. */

import type { Pace } from '../io/pace.ts';
import type { Actor, Author, Checkpoint } from '../model/checkpoint.ts';
import { type Snapshot, sameEntry } from '../model/entries.ts';
import type { CallId, SessionId } from '../model/ids.ts';
import { isWithin, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { ChangeSet, PathChange, UntouchedPath } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import { type ConflictChoices, resolveConflicts } from '../rewind/conflict-choices.ts';
import { inverseChanges } from '../rewind/inverse-changes.ts';
import { LineAuthors } from '../rewind/line-authors.ts';
import { withResolved } from '../rewind/resolved-authors.ts';
import { attributionTo } from '../timeline/capture/attribution.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { BackupLocation } from '../transaction/backups.ts';
import type { OpenCopy } from './copy.ts';
import { stateOfCopy } from './state-of-copy.ts';
import { withWholeRenames } from './whole-renames.ts';

export interface ApplyRequest {
  readonly copy: OpenCopy;
  /** The checkpoint that the copy started from. */
  readonly base: Checkpoint;
  readonly trigger: 'apply' | 'merge';
  /** Who is recorded as the author of the changes. */
  readonly author: {
    readonly actor: Actor;
    readonly session: SessionId | null;
    readonly call: CallId | null;
  };
  readonly description: string;
  /** Only these paths and everything below them. Empty: everything. */
  readonly paths: readonly TreePath[];
  readonly choices: ConflictChoices;
  /** Who applies it. */
  readonly by: Author;
  readonly backups: BackupLocation | null;
  /** Receives the state of the copy that is applied. */
  readonly onProposed?: (proposed: Snapshot) => void;
}

/**
 * Changes the workspace as the copy was changed since its base. What changed in the workspace meanwhile stays, and is
 * merged where both changed a file.
 */
export function applyOperation(workspace: Workspace, request: ApplyRequest, pace: Pace): Operation {
  const { copy, base, author, by, trigger, description, paths, choices } = request;
  const made = attributionTo({ ...author, tool: null });
  return {
    info: {
      ...checkpointInfo(trigger, author.actor),
      session: author.session,
      toolCall: author.call,
      description,
    },
    backups: request.backups,
    ...(choices.resolutions.size === 0 ? {} : { attribution: withResolved(made, choices, by) }),
    plan: async (current) => {
      const { snapshot: proposed } = await stateOfCopy(workspace, copy, base.snapshot, current.objects, pace);
      request.onProposed?.(proposed);
      const { plan } = await applyPlan(workspace, { base: base.snapshot, proposed, paths, choices }, current, pace);
      return plan;
    },
  };
}

/** What brings the changes from one state to another into the workspace. */
export interface ApplyStates extends Pick<ApplyRequest, 'paths' | 'choices'> {
  readonly base: Snapshot;
  readonly proposed: Snapshot;
  /** Not these paths, nor anything below them. */
  readonly except?: readonly TreePath[];
  /** What the proposed lines are, for the text of a conflict. */
  readonly theirLines?: string;
}

/**
 * @returns the plan, the paths that it leaves although they changed between the states, and those of them that do not merge
 */
export async function applyPlan(
  workspace: Workspace,
  { base, proposed, paths, except = [], choices, theirLines = 'the lines to merge' }: ApplyStates,
  current: CurrentState,
  pace: Pace,
): Promise<{
  readonly plan: ChangeSet;
  readonly untouched: readonly TreePath[];
  readonly skipped: readonly TreePath[];
}> {
  const found = await inverseChanges(
    {
      objects: current.objects,
      before: proposed,
      after: base,
      now: current.snapshot,
      own: current.own,
      entries: current.entries,
      isOneOperation: false,
      isMerge: true,
      theirLines,
      reasonToKeep: () => null,
      within: paths.length === 0 ? [WORKSPACE_ITSELF] : paths,
      except,
    },
    pace,
  );
  const resolved = await resolveConflicts(found, current, choices, new LineAuthors(workspace, current, pace));
  const plan = withoutSpecialBits(resolved);
  const { prefer, resolutions } = choices;
  const isDecided = (path: TreePath): boolean =>
    resolutions.has(path) || [...prefer.keys()].some((each) => isWithin(path, each));
  const undecided = found.conflicts.filter(({ path }) => !isDecided(path)).map(({ path }) => path);
  const whole = await withWholeRenames(
    plan,
    choices.skipConflicts ? undecided : [],
    { base, proposed },
    current.objects,
    pace,
  );
  const skipped = [...undecided, ...whole.left];
  return { plan: whole.plan, untouched: [...found.kept.map(({ path }) => path), ...skipped], skipped };
}

const SPECIAL_BITS = 0o6000;

/** In a copy, a program may make itself setuid or setgid unseen. In the workspace, only a person gives such bits. */
function withoutSpecialBits(plan: ChangeSet): ChangeSet {
  const notes: UntouchedPath[] = [];
  const paths = plan.paths.flatMap((change): readonly PathChange[] => {
    const { path, from, to } = change;
    if (to?.kind !== 'file') return [change];
    const added = to.mode & SPECIAL_BITS & ~(from?.kind === 'file' ? from.mode : 0);
    if (added === 0) return [change];
    notes.push({ path, why: 'its setuid or setgid bit was not applied' });
    const without = { ...to, mode: to.mode & ~added };
    return sameEntry(from, without) ? [] : [{ ...change, to: without }];
  });
  return notes.length === 0 ? plan : { ...plan, paths, notes: [...(plan.notes ?? []), ...notes] };
}
