/** The branch changes that a restore, or its undo, makes. */

import { problemOf } from '../git/file.ts';
import { positionOf, prepareHeadMoves, samePosition, type TargetHead } from '../git/head-moves.ts';
import { plainIndexOf } from '../git/index-plain.ts';
import { findGit } from '../git/program.ts';
import { readRepository } from '../git/repository.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint, MovedHead } from '../model/checkpoint.ts';
import { checkpointId, type ObjectId } from '../model/ids.ts';
import { type DiskPath, isWithin, onDisk, type TreePath } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import { hashObject } from '../store/objects/object-hash.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { isKeptCommit } from '../timeline/record/kept-commits.ts';

/** Adds the HEAD moves for each repository root of the checkpoint that is entirely inside the scope. */
export async function withRestoredHeads(
  workspace: Workspace,
  plan: ChangeSet,
  target: Checkpoint,
  { scope, root }: { readonly scope: readonly TreePath[]; readonly root: TreePath | null },
  pace: Pace,
): Promise<ChangeSet> {
  const isSelected = (path: TreePath): boolean =>
    root === null ? scope.length === 0 || scope.some((one) => isWithin(path, one)) : path === root;
  const targets = target.roots
    .filter(({ path, kind, failed }) => kind === 'repository' && failed === undefined && isSelected(path))
    .map(
      ({ path, branch, commit, operation, index }): TargetHead => ({
        path,
        to: { branch, commit },
        operation,
        index: index?.id ?? null,
        plain: index?.id ?? null,
        recorded: index ?? null,
      }),
    );
  return withHeadMoves(workspace, plan, targets, pace);
}

/** Reverses the HEAD moves of the operation. A root whose branch has moved since is left alone and listed as kept. */
export async function withRevertedHeads(
  workspace: Workspace,
  plan: ChangeSet,
  operation: Checkpoint,
  pace: Pace,
): Promise<ChangeSet> {
  if (operation.heads.length === 0) return plan;
  const unmoved = operation.heads.filter((head) => isHeadAt(workspace, head));
  const targets = unmoved.map(
    ({ path, before, index }): TargetHead => ({
      path,
      to: before,
      operation: null,
      index,
      ...recordedIndexOf(workspace, operation, path, index),
    }),
  );
  const movedSince = operation.heads.filter((head) => !unmoved.includes(head));
  const why = `its branch has moved since ${operation.id}`;
  const kept = [...plan.kept, ...movedSince.map(({ path }) => ({ path, why }))];
  const found = await withHeadMoves(workspace, { ...plan, kept }, targets, pace);
  const instead =
    operation.previous === null
      ? ''
      : ` (\`savepoint restore ${operation.previous} --git\` goes back without what was staged)`;
  const refused = (found.headsRefused ?? []).map(({ path, why }) => ({ path, why: why + instead }));
  return { ...found, headsRefused: refused };
}

/**
 * The operation stored the index as it was on disk, and a purge drops that blob. The contents that the index refers to
 * may be known only to the checkpoint before the operation.
 */
function recordedIndexOf(
  { store: { objects }, timeline }: Workspace,
  operation: Checkpoint,
  path: TreePath,
  index: ObjectId | null,
): Pick<TargetHead, 'plain' | 'recorded'> {
  if (index === null || !objects.has(index)) return { plain: null, recorded: null };
  try {
    const plain = hashObject('blob', plainIndexOf('index' as DiskPath, readBlob(objects, index)));
    const { checkpoints } = timeline.readAll(
      timeline.list().filter(({ number }) => checkpointId(number) === operation.previous),
    );
    const recorded = checkpoints[0]?.roots.find((root) => root.path === path)?.index;
    return { plain, recorded: recorded?.id === plain ? recorded : null };
  } catch (error) {
    problemOf(error);
    return { plain: null, recorded: null };
  }
}

function isHeadAt({ ports, root }: Workspace, { path, after }: MovedHead): boolean {
  const state = readRepository(ports.fs, onDisk(root, path));
  if (state === null || 'problem' in state) return false;
  const now = positionOf(state);
  return now !== null && samePosition(now, after);
}

async function withHeadMoves(
  { ports, root, searchPath, store }: Workspace,
  plan: ChangeSet,
  targets: readonly TargetHead[],
  pace: Pace,
): Promise<ChangeSet> {
  const git = findGit(ports, searchPath, root);
  const kept = { objects: store.objects, isKept: (commit: string) => isKeptCommit(store, commit) };
  const { moves, refused } = await prepareHeadMoves(ports, root, targets, { git, kept, pace });
  return { ...plan, heads: moves, headsRefused: refused };
}
