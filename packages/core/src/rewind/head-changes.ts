/** The part of a restore, or of its undo, that is about branches. */

import { problemOf } from '../git/file.ts';
import { planHeads, positionOf, samePosition, type WantedHead } from '../git/head-moves.ts';
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
import type { Workspace } from '../timeline/capture/capture.ts';

/** Every root of the checkpoint that lies in the scope as a whole. */
export async function withHeadsOf(
  workspace: Workspace,
  plan: ChangeSet,
  target: Checkpoint,
  { scope, root }: { readonly scope: readonly TreePath[]; readonly root: TreePath | null },
  pace: Pace,
): Promise<ChangeSet> {
  const chosen = (path: TreePath): boolean =>
    root === null ? scope.length === 0 || scope.some((one) => isWithin(path, one)) : path === root;
  const wanted = target.roots
    .filter(({ path, kind, failed }) => kind === 'repository' && failed === undefined && chosen(path))
    .map(
      ({ path, branch, commit, operation, index }): WantedHead => ({
        path,
        to: { branch, commit },
        operation,
        index: index?.id ?? null,
        plain: index?.id ?? null,
        recorded: index ?? null,
      }),
    );
  return withMoves(workspace, plan, wanted, pace);
}

/** What the act moved goes back; a branch that was moved again since stays where it is, and is named. */
export async function withHeadsBack(
  workspace: Workspace,
  plan: ChangeSet,
  act: Checkpoint,
  pace: Pace,
): Promise<ChangeSet> {
  if (act.heads.length === 0) return plan;
  const still = act.heads.filter((head) => standsAt(workspace, head));
  const wanted = still.map(
    ({ path, before, index }): WantedHead => ({
      path,
      to: before,
      operation: null,
      index,
      ...knownOf(workspace, act, path, index),
    }),
  );
  const others = act.heads.filter((head) => !still.includes(head));
  const why = `its branch has moved since ${act.id}`;
  const kept = [...plan.kept, ...others.map(({ path }) => ({ path, why }))];
  return withMoves(workspace, { ...plan, kept }, wanted, pace);
}

/** It is kept as it lay on the disk, and dropped by a purge; what it names only the checkpoint before the act may have. */
function knownOf(
  { store: { objects }, timeline }: Workspace,
  act: Checkpoint,
  path: TreePath,
  index: ObjectId | null,
): Pick<WantedHead, 'plain' | 'recorded'> {
  if (index === null || !objects.has(index)) return { plain: null, recorded: null };
  try {
    const plain = hashObject('blob', plainIndexOf('index' as DiskPath, readBlob(objects, index)));
    const { checkpoints } = timeline.readAll(
      timeline.list().filter(({ number }) => checkpointId(number) === act.previous),
    );
    const recorded = checkpoints[0]?.roots.find((root) => root.path === path)?.index;
    return { plain, recorded: recorded?.id === plain ? recorded : null };
  } catch (error) {
    problemOf(error);
    return { plain: null, recorded: null };
  }
}

function standsAt({ ports, root }: Workspace, { path, after }: MovedHead): boolean {
  const state = readRepository(ports.fs, onDisk(root, path));
  if (state === null || 'problem' in state) return false;
  const now = positionOf(state);
  return now !== null && samePosition(now, after);
}

async function withMoves(
  { ports, root, searchPath }: Workspace,
  plan: ChangeSet,
  wanted: readonly WantedHead[],
  pace: Pace,
): Promise<ChangeSet> {
  const { moves, refused } = await planHeads(ports, root, findGit(ports, searchPath, root), wanted, pace);
  return { ...plan, heads: moves, headsRefused: refused };
}
