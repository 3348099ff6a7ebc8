/** The part of a restore, or of its undo, that is about branches. */
import type { Plan } from '../act/plan.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint, MovedHead } from '../model/checkpoint.ts';
import { checkpointId, type ObjectId } from '../model/ids.ts';
import { type DiskPath, isWithin, type TreePath } from '../model/names.ts';
import { hashObject } from '../store/objects/object-hash.ts';
import { readBlob } from '../store/snapshot.ts';
import type { Workspace } from '../timeline/capture.ts';
import { problemOf } from '../workspace/git-file.ts';
import { plainIndexOf } from '../workspace/git-index-plain.ts';
import { findGit } from '../workspace/git-program.ts';
import { readRepository } from '../workspace/git-state.ts';
import { diskOf, planHeads, positionOf, samePosition, type WantedHead } from '../workspace/head-moves.ts';

/** Every root of the checkpoint that lies in the scope as a whole. */
export async function withHeadsOf(
  workspace: Workspace,
  plan: Plan,
  target: Checkpoint,
  { scope, root }: { readonly scope: readonly TreePath[]; readonly root: TreePath | null },
  pace: Pace,
): Promise<Plan> {
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
export async function withHeadsBack(workspace: Workspace, plan: Plan, act: Checkpoint, pace: Pace): Promise<Plan> {
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
  const why = `its branch was moved since ${act.id}`;
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
  const state = readRepository(ports.fs, diskOf(root, path));
  if (state === null || 'problem' in state) return false;
  const now = positionOf(state);
  return now !== null && samePosition(now, after);
}

async function withMoves(
  { ports, root, searchPath }: Workspace,
  plan: Plan,
  wanted: readonly WantedHead[],
  pace: Pace,
): Promise<Plan> {
  const { moves, refused } = await planHeads(ports, root, findGit(ports, searchPath, root), wanted, pace);
  return { ...plan, heads: moves, headsRefused: refused };
}
