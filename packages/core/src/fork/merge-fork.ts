/** The operation that merges a fork into the workspace. */

import { showText } from '../content/show-name.ts';
import { applyPlan } from '../copy/apply-copy.ts';
import type { OpenCopy } from '../copy/copy.ts';
import { treeIn } from '../copy/folder/folder-copy.ts';
import { stateOfCopy } from '../copy/state-of-copy.ts';
import type { Pace } from '../io/pace.ts';
import type { Actor, Author } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { isWithin, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { UntouchedPath } from '../operation/change-set.ts';
import type { Operation } from '../operation/operation.ts';
import type { ConflictChoices } from '../rewind/conflict-choices.ts';
import { withResolved } from '../rewind/resolved-authors.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { editSnapshot, type SnapshotEdit } from '../store/snapshot/edit-snapshot.ts';
import type { Attribution } from '../timeline/capture/attribution.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences } from '../timeline/diff/snapshot-diff.ts';
import { type ForkStateInfo, keepMergedState, writeForkState } from '../timeline/record/fork-states.ts';
import { commitsOfFork, forkCommitNotes } from './commits-of-fork.ts';
import type { Fork } from './fork.ts';
import { lookAtFork } from './open-fork.ts';
import { runningIn } from './runs.ts';
import { commitNotes } from './worktrees.ts';

export interface MergeRequest {
  readonly fork: Fork;
  /** What the changes of the fork are relative to. */
  readonly base: Snapshot;
  readonly actor: Actor;
  /** Only these paths and everything below them. Empty: everything. */
  readonly paths: readonly TreePath[];
  readonly choices: ConflictChoices;
  /** Who merges it. */
  readonly by: Author;
  /** Who made the changes of the fork. @param proposed its state */
  readonly authors: (proposed: Snapshot, objects: ObjectBatch) => Promise<Attribution>;
}

/**
 * Changes the workspace as the fork was changed since its base. What was merged becomes the fork's new base: its state is
 * stored before the merge happens, and counts only if it does.
 */
export function mergeOperation(workspace: Workspace, request: MergeRequest, pace: Pace): Operation {
  const { fork, base, actor, paths, choices, by, authors } = request;
  let merged: Snapshot | null = null;
  let attribution: Attribution | null = null;
  return {
    info: { ...checkpointInfo('merge', actor), description: `Merged fork ${fork.name}` },
    backups: null,
    attribution: (path) => {
      if (attribution === null) throw new Error('the plan comes first');
      return attribution(path);
    },
    plan: async (current) => {
      const { objects } = current;
      const proposed = await lookAtFork(workspace, fork, (copy) =>
        proposedBy(workspace, { copy, base, paths }, objects, pace),
      );
      const states = { base, proposed, paths, choices, theirLines: 'the lines of the fork' };
      const { plan, untouched } = await applyPlan(workspace, states, current, pace);
      merged = withoutPaths(objects, base, proposed, paths, untouched);
      attribution = withResolved(await authors(proposed, objects), choices, by);
      const notes = await commitNotes(workspace, treeIn(fork.copy.place), fork.worktrees);
      const own = forkCommitNotes(fork, await commitsOfFork(workspace, fork, pace));
      const running = runningNotes(workspace, fork);
      return { ...plan, notes: [...(plan.notes ?? []), ...notes, ...own, ...running] };
    },
    beforeChange: async ({ number }) => {
      if (merged === null) throw new Error('the plan comes first');
      const batch = workspace.store.objects.batch();
      try {
        const commit = writeForkState(batch, {
          ...stateInfo(fork, 'merged', workspace.ports.clock.now()),
          snapshot: merged,
          base: null,
        });
        await batch.finish();
        keepMergedState(workspace.store.refs, number, commit);
      } finally {
        batch.abandon();
      }
    },
  };
}

export function stateInfo(
  { copy, name, checkpoint, branch }: Fork,
  kind: ForkStateInfo['kind'],
  time: number,
): ForkStateInfo {
  return { kind, copy: copy.id, name, time, checkpoint: Number(checkpoint.slice(3)), branch };
}

/**
 * Scans the fork. Ignored files are as in its base: build results and settings of the machine are not merged, unless their
 * paths are named.
 */
export async function proposedBy(
  workspace: Workspace,
  { copy, base, paths }: { readonly copy: OpenCopy; readonly base: Snapshot; readonly paths: readonly TreePath[] },
  objects: ObjectBatch,
  pace: Pace,
): Promise<Snapshot> {
  const { snapshot: found } = await stateOfCopy(workspace, copy, base, objects, pace);
  return withIgnoredOf(objects, base, found, paths);
}

/**
 * Returns a state with the ignored files of another one, for what must not look at them.
 * @param paths ignored files at these paths and below them stay
 */
export function withIgnoredOf(
  objects: ObjectBatch,
  base: Snapshot,
  found: Snapshot,
  paths: readonly TreePath[],
): Snapshot {
  const back: SnapshotEdit[] = [];
  for (const { path, before, after } of differences(objects, base, found)) {
    const isIgnored = (after.entry === null ? before : after).ignored;
    if (!isIgnored || before.skip !== null || after.skip !== null) continue;
    if (paths.some((each) => each !== '' && isWithin(path, each))) continue;
    back.push({ path, to: before.entry, ignored: before.ignored });
  }
  return editSnapshot(objects, found, back);
}

/** A command that runs may have written only half of what it writes. */
function runningNotes({ ports }: Workspace, fork: Fork): readonly UntouchedPath[] {
  const running = runningIn(ports, fork);
  if (running === null) return [];
  const { command, end } = running;
  const ending = end === null ? 'ended' : `ended (\`${end}\` ends it)`;
  const why =
    `gets what fork ${fork.name} has now, while a command still runs there: ${showText(command.join(' '))}. ` +
    `Merge again when it has ${ending}`;
  return [{ path: WORKSPACE_ITSELF, why }];
}

/** The base with what was merged of the fork. */
function withoutPaths(
  objects: ObjectBatch,
  base: Snapshot,
  proposed: Snapshot,
  paths: readonly TreePath[],
  untouched: readonly TreePath[],
): Snapshot {
  const edits: SnapshotEdit[] = [];
  for (const { path, before, after } of differences(objects, base, proposed)) {
    if (before.skip !== null || after.skip !== null) continue;
    if (paths.length > 0 && !paths.some((each) => isWithin(path, each))) continue;
    // A folder that stays because of its contents stays in the base as well.
    if (untouched.some((each) => isWithin(path, each) || (after.entry === null && isWithin(each, path)))) continue;
    edits.push({ path, to: after.entry, ignored: after.ignored });
  }
  return editSnapshot(objects, base, edits);
}
