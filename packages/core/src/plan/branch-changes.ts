/**
 * The operation that brings what a branch changed since it left HEAD, as `git diff HEAD...BRANCH` shows it, into the
 * folder as it is. Objects are read without git. Only the common ancestor is found by git, which runs nothing that the
 * repository configures (git/program.ts). No branch, index or commit is changed.
 */

import { someOf } from '../content/some-of.ts';
import { modeForNewFile } from '../edit/targets.ts';
import { problemOf, UnusableGitFile } from '../git/file.ts';
import { readBranch } from '../git/head.ts';
import { GitObjects } from '../git/objects.ts';
import { findGit, firstErrorLine, type Git } from '../git/program.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import { type CommittedChange, type CommittedEntry, treeChanges } from '../git/tree-diff.ts';
import { FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import { checkTreePath } from '../io/safe-path.ts';
import type { Entry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { isObjectId } from '../model/ids.ts';
import { bytesFromText, type DiskPath, joinPaths, nameToJson, onDisk, type TreePath } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { bringEntries, committedEntry, type EntryChange, problemOfCommitted, withExecutable } from './entry-changes.ts';
import { attributesOf } from './repository-attributes.ts';

export interface BranchRequest {
  /** A branch, also one of a remote (`origin/x`). Every repository of the workspace that has it counts. */
  readonly branch: string;
  readonly actor: Operation['info']['actor'];
  /** The attribute files of the user's git; null: they cannot be known. */
  readonly attributes: readonly DiskPath[] | null;
}

/** What the plan of this operation throws: USAGE if no repository has the branch, GIT_REFUSED if it cannot be read. */
export function branchOperation(workspace: Workspace, request: BranchRequest, pace: Pace): Operation {
  return {
    info: { ...checkpointInfo('merge', request.actor), description: `Changes of branch ${request.branch}` },
    backups: null,
    plan: (current) => branchPlan(workspace, request, current, pace),
  };
}

/** Names listed in a reason. */
const MAX_NAMED = 5;

async function branchPlan(
  workspace: Workspace,
  { branch, attributes }: BranchRequest,
  current: CurrentState,
  pace: Pace,
): Promise<ChangeSet> {
  const { ports, searchPath, root } = workspace;
  const git = findGit(ports, searchPath, root);
  const edits: EntryChange[] = [];
  let isFound = false;
  for (const { path, kind } of current.roots) {
    if (kind !== 'repository') continue;
    const state = readRepository(ports.fs, onDisk(root, path));
    if (state === null || 'problem' in state) continue;
    const tip = tipOf(workspace, path, state, branch);
    if (tip === null) continue;
    isFound = true;
    if (git === null) throw refused(path, 'git was not found');
    edits.push(...(await changesIn({ workspace, path, state, git, attributes }, tip, current, pace)));
  }
  if (!isFound) {
    throw new SavepointError(
      'USAGE',
      `No repository of the workspace has a branch ${JSON.stringify(branch)}.`,
      { argument: 'branch' },
      { hint: '`git branch --all` lists the branches of a repository.' },
    );
  }
  return bringEntries(workspace, edits, current, pace);
}

interface Repository {
  readonly workspace: Workspace;
  readonly path: TreePath;
  readonly state: GitState;
  readonly git: Git;
  readonly attributes: BranchRequest['attributes'];
}

function tipOf({ ports }: Workspace, path: TreePath, { commonDir }: GitState, branch: string): string | null {
  if (checkTreePath(bytesFromText(branch), ports.platform) !== null) return null;
  const name = bytesFromText(branch);
  try {
    return (
      readBranch(ports.fs, commonDir, `refs/heads/${name}`, 40) ??
      readBranch(ports.fs, commonDir, `refs/remotes/${name}`, 40)
    );
  } catch (error) {
    if (error instanceof UnusableGitFile || error instanceof FsError) throw refused(path, problemOf(error).detail);
    throw error;
  }
}

async function changesIn(
  repository: Repository,
  tip: string,
  current: CurrentState,
  pace: Pace,
): Promise<readonly EntryChange[]> {
  const { workspace, path: root, state, git } = repository;
  const head = state.head?.commit ?? null;
  if (head === null) throw refused(root, 'it has no commit yet');
  const found = await git.run(state, ['merge-base', head, tip]);
  const base = found.stdout.toString('latin1').split('\n')[0] ?? '';
  if (!isObjectId(base)) {
    throw refused(root, found.exit === 1 ? 'the branch and HEAD have no commit in common' : firstErrorLine(found));
  }
  let objects: GitObjects;
  try {
    objects = new GitObjects(workspace.ports, state);
  } catch (error) {
    if (error instanceof UnusableGitFile || error instanceof FsError) throw refused(root, problemOf(error).detail);
    throw error;
  }
  try {
    const changes = await treeChanges(objects, objects.treeOf(base), objects.treeOf(tip), pace);
    assertPlain(repository, objects, changes);
    const read = cachedFolderReader(current.objects);
    return changes.map(({ path: inside, before, after }) => {
      const path = joinPaths(root, inside);
      const now = stateAt(read, current.snapshot, path).entry;
      const mode = now?.kind === 'file' ? now.mode : modeForNewFile(workspace.ports, workspace.root, path);
      const entry = (one: CommittedEntry | null, likeNow: boolean): Entry | null =>
        one === null
          ? null
          : committedEntry(current.objects, objects, one, likeNow ? mode : withExecutable(mode, one.mode));
      // A mode counts only if the branch changed it.
      const sameMode = before !== null && after !== null && before.mode === after.mode;
      return { path, before: entry(before, sameMode), after: entry(after, sameMode) };
    });
  } finally {
    objects.close();
  }
}

/** Refuses what the committed bytes do not tell: the files of filters and encodings, and submodules. */
function assertPlain(
  { workspace: { ports, root: top }, path: root, state, attributes: user }: Repository,
  objects: GitObjects,
  changes: readonly CommittedChange[],
): void {
  if (user === null) throw refused(root, 'the attributes files of your git cannot be known. Merge it with git');
  const places = { folder: onDisk(top, root), user };
  const paths = changes.map(({ path }) => path);
  const attributes = attributesOf(ports.fs, state, places, paths);
  const problems: string[] = [];
  for (const { path, before, after } of changes) {
    const why = problemOfChange(ports.platform, objects, path, before, after);
    if (why !== null) problems.push(`${JSON.stringify(nameToJson(path))} ${why}`);
    else if (attributes.of(path).content) {
      problems.push(`${JSON.stringify(nameToJson(path))} is converted by git (a filter, an encoding or keywords)`);
    }
  }
  if (problems.length === 0) return;
  throw refused(root, `${someOf(problems, MAX_NAMED)}. Merge these with git`);
}

function problemOfChange(
  platform: Parameters<typeof checkTreePath>[1],
  objects: GitObjects,
  path: TreePath,
  ...sides: readonly (CommittedEntry | null)[]
): string | null {
  const refusal = checkTreePath(path, platform);
  if (refusal !== null) return `has a name that ${refusal.why}`;
  for (const side of sides) {
    if (side === null) continue;
    const problem = problemOfCommitted(objects, side);
    if (problem !== null) return problem;
    if (!path.endsWith('.gitattributes')) continue;
    const text = objects.readerFor(side.id).read(side.id).data.toString('latin1');
    if (/[ \t](?:filter=|working-tree-encoding=|ident(?:\s|$))/m.test(text)) return 'changes which files git converts';
  }
  return null;
}

function refused(path: TreePath, why: string): SavepointError {
  return new SavepointError(
    'GIT_REFUSED',
    `The branch cannot be planned in ${path === '' ? 'the folder' : JSON.stringify(nameToJson(path))}: ${why}.`,
    { repositories: [{ path: nameToJson(path), why }] },
    { hint: 'Nothing was changed.' },
  );
}
