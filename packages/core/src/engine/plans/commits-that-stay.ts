/** Says of an operation that reverts what a plan applied that the commits of the plan stay. */

import { findGit, type Git } from '../../git/program.ts';
import { readRepository } from '../../git/repository.ts';
import { FsError } from '../../io/fs.ts';
import { SavepointError } from '../../model/errors.ts';
import { parseChangeId, parseHunkId } from '../../model/ids.ts';
import { onDisk } from '../../model/names.ts';
import type { PlanCommitMade } from '../../model/plan.ts';
import type { ChangeSet, UntouchedPath } from '../../operation/change-set.ts';
import type { Operation } from '../../operation/operation.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { allPlans } from './stored-plans.ts';

/** @param operation a rollback or an undo */
export function withCommitsThatStay(workspace: Workspace, operation: Operation): Operation {
  return {
    ...operation,
    plan: async (current) => {
      const changes = await operation.plan(current);
      if (changes.paths.length === 0) return changes;
      const notes = await notesOf(workspace, revertedBy(operation, changes));
      return notes.length === 0 ? changes : { ...changes, notes: [...(changes.notes ?? []), ...notes] };
    },
  };
}

/** The numbers of the checkpoints whose changes are reverted. */
function revertedBy({ info: { undoes } }: Operation, { rolledBack = [] }: ChangeSet): ReadonlySet<number> {
  const ids = rolledBack.map((id) => parseHunkId(id)?.change ?? id);
  const numbers = ids.flatMap((id) => parseChangeId(id)?.checkpoint ?? []);
  return new Set(undoes === null ? numbers : [...numbers, Number(undoes.slice('cp_'.length))]);
}

async function notesOf(workspace: Workspace, numbers: ReadonlySet<number>): Promise<readonly UntouchedPath[]> {
  const plans = allPlans(workspace).plans.filter(
    ({ commits, applications }) =>
      commits.length > 0 && applications.some(({ isEmpty, checkpoint }) => !isEmpty && numbers.has(checkpoint)),
  );
  if (plans.length === 0) return [];
  const git = findGit(workspace.ports, workspace.searchPath, workspace.root);
  const notes: UntouchedPath[] = [];
  for (const { id, commits } of plans) {
    for (const made of commits) {
      const { root: path, commit } = made;
      const isThere = git === null ? null : await hasCommit(workspace, git, made);
      if (isThere === false) continue;
      const short = commit.slice(0, 10);
      const keeps = isThere === null ? 'may have' : 'keeps';
      const why =
        `${keeps} commit ${short} of ${id}: only files are taken back. Commit these files again to take it back ` +
        `there, too, or run \`git revert ${short}\` when they are as in HEAD`;
      notes.push({ path, why });
    }
  }
  return notes;
}

/** Whether HEAD leads to the commit. Null: that cannot be known. */
async function hasCommit(
  { ports, root: folder }: Workspace,
  git: Git,
  { root, commit }: PlanCommitMade,
): Promise<boolean | null> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return false;
  try {
    const state = readRepository(ports.fs, onDisk(folder, root));
    if (state === null) return false;
    if ('problem' in state) return null;
    const { exit } = await git.run(state, ['merge-base', '--is-ancestor', commit, 'HEAD']);
    return exit === 0;
  } catch (error) {
    // Going back must not fail because of a note.
    if (error instanceof SavepointError || error instanceof FsError) return null;
    throw error;
  }
}
