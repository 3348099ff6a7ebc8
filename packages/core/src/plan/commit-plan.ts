/**
 * Commits what a plan changed, on request: one commit in each repository, of the plan's files only.
 *
 * C1 git runs nothing that the repository configures: no hooks, filters, editors or signing programs (git/program.ts).
 *    Files that git would convert are refused. Hooks run only on request (commit-hooks.ts).
 * C2 A file is committed only if it had no changes of the user: before the plan it was as in HEAD, and it still is in the
 *    index. Otherwise nothing is committed at all. All other entries of the index stay as they are.
 *    What was rolled back of the plan is left out. A file that is no longer as the plan made it is refused.
 * C3 All repositories are examined before the first is changed.
 * C4 In each repository: objects first, then the index, then the branch, from the commit that was examined. The last two
 *    happen under git's lock of the index, and only if index and HEAD still are as examined. A process that dies in between
 *    leaves the plan's files staged, and the lock. The next attempt removes the lock and continues there.
 */

import { readGitFile } from '../git/file.ts';
import { firstErrorLine, type Git } from '../git/program.ts';
import { isFsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import { sameEntry } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import { encodeCommit } from '../store/objects/commit.ts';
import { copiedCommitIndex, newCommitIndex, removeCommitIndex } from '../store/state/commit-index.ts';
import { notePlanCommit } from '../store/state/plan-commits.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { storePlan } from '../timeline/record/plan-records.ts';
import { headOf, swapIndex } from '../transaction/swap-index.ts';
import type { HookedCommit } from './commit-hooks.ts';
import {
  addContents,
  assertUnchanged,
  type FileChange,
  indexLines,
  type PlanCommitRequest,
  type PreparedCommit,
  prepareCommits,
  Refusal,
  refused,
  succeed,
} from './prepare-commit.ts';

export interface PlanCommit {
  /** The repository's folder, relative to the workspace. */
  readonly path: TreePath;
  readonly branch: string | null;
  readonly commit: string;
  readonly subject: string;
  readonly files: number;
}

export interface PlanCommits {
  readonly commits: readonly PlanCommit[];
  /** What is in no commit, for display. */
  readonly notes: readonly string[];
}

/**
 * @param hooked what the hooks of each repository made of its commit; null: they did not run
 * @throws SavepointError GIT_REFUSED, for example if a file has changes of the user; nothing is committed then
 */
export async function commitPlan(
  workspace: Workspace,
  request: PlanCommitRequest,
  hooked: readonly HookedCommit[] | null,
  pace: Pace,
): Promise<PlanCommits> {
  const { git, commits: prepared, notes } = await prepareCommits(workspace, request, pace);
  // What hooks made of the files is on disk then, and they were examined before the hooks ran.
  if (hooked === null) assertAllUnchanged(workspace, prepared);
  const wanted = hooked === null ? prepared : withHooks(prepared, hooked);
  const commits: PlanCommit[] = [];
  let { plan } = request;
  const record = async (root: TreePath, commit: string): Promise<void> => {
    plan = { ...plan, commits: [...plan.commits, { root, commit, time: workspace.ports.clock.now() }] };
    await storePlan(workspace.store, plan);
  };
  for (const one of wanted) {
    try {
      commits.push(await commitIn(workspace, git, one, record, pace));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw refused([{ path: one.root, why: error.message }], commits);
    }
  }
  const { fs, clock } = workspace.ports;
  if (commits.length > 0) notePlanCommit(fs, workspace.store.layout, request.plan.id, clock.now());
  return { commits, notes };
}

const INDEX_BYTES = 256 * 1024 * 1024;

/** @param record notes the commit before the branch moves there */
async function commitIn(
  workspace: Workspace,
  git: Git,
  prepared: PreparedCommit,
  record: (root: TreePath, commit: string) => Promise<void>,
  pace: Pace,
): Promise<PlanCommit> {
  const { ports, store } = workspace;
  const { state, head, index: examined, edits, message, author, root } = prepared;
  await addContents(workspace, git, prepared, pace);
  const index = newCommitIndex(ports.fs, store.layout);
  const lines = indexLines(edits);
  let tree: string;
  let wanted: Buffer;
  try {
    await succeed(git.run(state, ['read-tree', head], undefined, index));
    await succeed(git.run(state, ['update-index', '-z', '--index-info'], lines, index));
    tree = await succeed(git.run(state, ['write-tree'], undefined, index));
    removeCommitIndex(ports.fs, store.layout);
    if (examined.bytes !== null) copiedCommitIndex(ports.fs, store.layout, examined.bytes, examined.modifiedMs);
    await succeed(git.run(state, ['update-index', '-z', '--index-info'], lines, index));
    wanted = readGitFile(ports.fs, index, INDEX_BYTES) ?? Buffer.alloc(0);
  } finally {
    removeCommitIndex(ports.fs, store.layout);
  }
  const time = Math.floor(ports.clock.now() / 1000);
  const identity = { ...author, time, zone: '+0000' };
  const bytes = encodeCommit({
    tree: tree as ObjectId,
    parents: [head as ObjectId],
    author: identity,
    committer: identity,
    message,
  });
  const commit = await succeed(git.run(state, ['hash-object', '-t', 'commit', '-w', '--stdin'], bytes));
  const subject = message.split('\n')[0] ?? '';
  await record(root, commit);
  // git itself looks where HEAD leads at that moment.
  const moveBranch = async (): Promise<string | null> => {
    const moved = await git.run(state, ['update-ref', '-m', `commit: ${subject}`, 'HEAD', commit, head]);
    return moved.exit === 0 ? null : firstErrorLine(moved);
  };
  const why = await swapIndex(ports, state, { examined, wanted, moveBranch, commit });
  if (why !== null) throw new Refusal(why);
  const branch = headOf(ports.fs, state)?.branch ?? null;
  return { path: root, branch, commit, subject, files: edits.length };
}

/** @throws SavepointError GIT_REFUSED */
function assertAllUnchanged(workspace: Workspace, prepared: readonly PreparedCommit[]): void {
  const problems = prepared.flatMap((one) => {
    try {
      assertUnchanged(workspace, one);
      return [];
    } catch (error) {
      if (error instanceof Refusal || isFsError(error)) return [{ path: one.root, why: error.message }];
      throw error;
    }
  });
  if (problems.length > 0) throw refused(problems);
}

/** @throws SavepointError GIT_REFUSED if a repository is not as it was when its hooks started */
function withHooks(prepared: readonly PreparedCommit[], hooked: readonly HookedCommit[]): readonly PreparedCommit[] {
  const found = prepared.map((one) => ({ one, by: hooked.find(({ root }) => root === one.root) }));
  const isSame = found.map(({ one, by }) => by?.head === one.head && sameChanges(by.changes, one.changes));
  const gone = hooked.filter(({ root }) => prepared.every((one) => one.root !== root));
  const moved = [...prepared.filter((_, index) => isSame[index] === false), ...gone];
  if (moved.length > 0) {
    throw refused(moved.map(({ root }) => ({ path: root, why: 'it changed while its hooks ran. Try again' })));
  }
  return found.map(({ one, by }) => (by === undefined ? one : { ...one, edits: by.edits, message: by.message }));
}

function sameChanges(a: readonly FileChange[], b: readonly FileChange[]): boolean {
  const same = (one: FileChange, other: FileChange | undefined): boolean =>
    other?.path === one.path && sameEntry(one.before, other.before) && sameEntry(one.after, other.after);
  return a.length === b.length && a.every((one, index) => same(one, b[index]));
}
