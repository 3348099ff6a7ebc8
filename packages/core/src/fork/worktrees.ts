/**
 * Makes the repositories of a fork worktrees of the workspace's repositories. git only registers the worktree: it checks
 * nothing out, and runs no hooks and no filters (git/program.ts). The files are those of the copy.
 */

import { showName } from '../content/show-name.ts';
import type { ForkWorktree } from '../copy/copy.ts';
import { findGit, firstErrorLine, type Git } from '../git/program.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import { containingFolder } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { removeTree } from '../io/remove-tree.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, nameToJson, onDisk, type TreePath, textFromBytes } from '../model/names.ts';
import type { UntouchedPath } from '../operation/change-set.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';

export interface WorktreeRequest {
  /** The folder of the fork. */
  readonly tree: DiskPath;
  /** The repositories, as paths in the workspace. */
  readonly roots: readonly TreePath[];
  /** Null: HEAD is detached. */
  readonly branch: string | null;
  /** The branch may have commits of its own: a fork that was dropped had it before. */
  readonly isOwnBranch: boolean;
}

export interface RemovedWorktrees {
  /** What remains, for display. */
  readonly notes: readonly string[];
  /** Otherwise git refused, and it can be tried again. */
  readonly isComplete: boolean;
}

const SIDE_NAME = 'tree.files';

/** @throws SavepointError GIT_REFUSED, IO: the caller removes the worktrees that `made` received. @returns why repositories did not become worktrees, for display */
export async function makeWorktrees(
  workspace: Workspace,
  { tree, roots, branch, isOwnBranch }: WorktreeRequest,
  made: ForkWorktree[],
): Promise<readonly string[]> {
  const { ports, root } = workspace;
  const git = gitOf(workspace);
  const notes: string[] = [];
  for (const path of roots) {
    const repository = readRepository(ports.fs, onDisk(root, path));
    if (repository === null || 'problem' in repository || repository.link === 'elsewhere') {
      notes.push(`${shown(path)}: its repository cannot be used, so it is a plain copy`);
      continue;
    }
    const commit = repository.head?.commit ?? null;
    if (commit === null) {
      notes.push(`${shown(path)}: it has no commit yet, so it is a plain copy`);
      continue;
    }
    const before = branch === null ? null : await commitOf(git, repository, branch);
    if (before !== null && before !== commit && !isOwnBranch) {
      throw refused(path, `its branch ${JSON.stringify(branch)} is at another commit than HEAD`);
    }
    made.push({ path, commit, createdBranch: branch !== null && before === null });
    await addWorktree({
      ...{ ports, git, repository, at: onDisk(tree, path), commit, branch, path },
      isNew: before === null,
      isAtCommit: before === null || before === commit,
    });
  }
  return notes;
}

/**
 * Removes the registration of the worktrees, whose folders are gone already, and the branches that were created for them
 * and never got a commit.
 */
export async function removeWorktrees(
  workspace: Workspace,
  tree: DiskPath,
  worktrees: readonly ForkWorktree[],
  branch: string | null,
): Promise<RemovedWorktrees> {
  if (worktrees.length === 0) return { notes: [], isComplete: true };
  const { ports, root } = workspace;
  const git = gitOf(workspace);
  const notes: string[] = [];
  let isComplete = true;
  for (const { path, commit, createdBranch } of worktrees) {
    const repository = readRepository(ports.fs, onDisk(root, path));
    if (repository === null || 'problem' in repository) continue;
    const at = textOf(onDisk(tree, path), path);
    const listed = await git.run(repository, ['worktree', 'list', '--porcelain']);
    if (listed.exit !== 0) isComplete = false;
    if (listed.stdout.toString('utf8').split('\n').includes(`worktree ${at}`)) {
      const done = await git.run(repository, ['worktree', 'remove', '--force', '--force', at]);
      if (done.exit !== 0) {
        isComplete = false;
        notes.push(`${shown(path)}: git keeps its worktree: ${firstErrorLine(done)}`);
      }
    }
    if (branch === null) continue;
    const now = await commitOf(git, repository, branch);
    if (now === null) continue;
    if (createdBranch && now === commit) {
      await git.run(repository, ['update-ref', '-d', `refs/heads/${branch}`, commit]);
    } else if (now !== commit) notes.push(`${shown(path)}: the branch ${branch} and its commits stay`);
  }
  return { notes, isComplete };
}

/** A merge brings files. @returns for each worktree with commits that the workspace does not have: how to get them */
export async function commitNotes(
  { ports, root, searchPath }: Workspace,
  tree: DiskPath,
  worktrees: readonly ForkWorktree[],
): Promise<readonly UntouchedPath[]> {
  const notes: UntouchedPath[] = [];
  for (const { path, commit } of worktrees) {
    const [own, workspace] = [tree, root].map((folder) => readRepository(ports.fs, onDisk(folder, path)));
    if (own == null || workspace == null || 'problem' in own || 'problem' in workspace) continue;
    const last = own.head?.commit ?? null;
    if (last === null || last === commit || last === workspace.head?.commit) continue;
    const git = findGit(ports, searchPath, root);
    const counted = await git?.run(workspace, ['rev-list', '--count', last, '--not', 'HEAD', '--']);
    const count = counted?.exit === 0 ? Number(counted.stdout.toString('latin1')) : null;
    if (count === 0) continue;
    const branch = own.head?.branch ?? '';
    // The text has a command, which may be copied into a shell.
    const name = /^\w[\w./-]*$/.test(branch) ? branch : last.slice(0, 10);
    const which = `${count === null ? 'commits' : count === 1 ? '1 commit' : `${count} commits`} on ${name}`;
    const how = `\`git merge ${name}\` brings them instead, before this merge or after its undo`;
    notes.push({ path, why: `gets files only: the fork has ${which}, which a merge of files does not bring. ${how}` });
  }
  return notes;
}

/** @throws SavepointError USAGE */
export async function assertBranchName(workspace: Workspace, branch: string): Promise<void> {
  const git = gitOf(workspace);
  const repository = { gitDir: workspace.root } as GitState;
  const { exit } = await git.run(repository, ['check-ref-format', '--branch', branch]);
  if (exit === 0 && !branch.startsWith('-')) return;
  throw new SavepointError('USAGE', `${JSON.stringify(branch)} is not a valid name of a branch.`, {
    argument: 'branch',
  });
}

interface Addition {
  readonly ports: Ports;
  readonly git: Git;
  readonly repository: GitState;
  /** The folder of the copy that becomes the worktree. */
  readonly at: DiskPath;
  readonly commit: string;
  readonly branch: string | null;
  readonly isNew: boolean;
  /** Whether the branch is at that commit, so that what is staged in the workspace can be staged in the fork. */
  readonly isAtCommit: boolean;
  readonly path: TreePath;
}

/**
 * git wants an empty folder. So the files move aside, git registers the worktree in an empty one, its `.git` file moves to
 * the files, and these move back.
 */
async function addWorktree({
  ports: { fs },
  git,
  repository,
  at,
  commit,
  branch,
  isNew,
  isAtCommit,
  path,
}: Addition): Promise<void> {
  const aside = diskChild(containingFolder(at), SIDE_NAME);
  fs.rename(at, aside);
  fs.makeFolder(at, 0o700);
  const how =
    branch === null
      ? ['--detach', textOf(at, path), commit]
      : isNew
        ? ['--no-track', '-b', branch, textOf(at, path), commit]
        : [textOf(at, path), branch];
  const done = await git.run(repository, ['worktree', 'add', '--no-checkout', ...how]);
  if (done.exit !== 0) throw refused(path, `git cannot add a worktree: ${firstErrorLine(done)}`);
  removeTree(fs, diskChild(aside, '.git'));
  fs.rename(diskChild(at, '.git'), diskChild(aside, '.git'));
  fs.removeFolder(at);
  fs.rename(aside, at);
  const made = readRepository(fs, at);
  if (made === null || 'problem' in made) throw refused(path, 'the worktree that git added cannot be read');
  if (isAtCommit) await copyIndex(fs, repository, made, git);
  else await git.run(made, ['read-tree', 'HEAD']);
}

/** What is staged in the workspace is staged in the fork. An index in several files is made from the commit instead. */
async function copyIndex(fs: Ports['fs'], from: GitState, to: GitState, git: Git): Promise<void> {
  const target = diskChild(to.gitDir, 'index');
  const isSplit = fs.list(from.gitDir).some((name) => name.startsWith('sharedindex.'));
  if (!isSplit) {
    try {
      const fd = fs.openRead(diskChild(from.gitDir, 'index'));
      try {
        fs.close(await fs.copyFile(fd, target, 0o644, 'copy'));
        return;
      } finally {
        fs.close(fd);
      }
    } catch (error) {
      if (!isFsError(error, 'ENOENT')) throw error;
    }
  }
  await git.run(to, ['read-tree', 'HEAD']);
}

async function commitOf(git: Git, repository: GitState, branch: string): Promise<string | null> {
  const found = await git.run(repository, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`]);
  return found.exit === 0 ? found.stdout.toString('latin1').trim() : null;
}

function gitOf({ ports, searchPath, root }: Workspace): Git {
  const git = findGit(ports, searchPath, root);
  if (git !== null) return git;
  throw new SavepointError('GIT_REFUSED', 'Worktrees need git, which was not found.', { repositories: [] });
}

function textOf(at: DiskPath, path: TreePath): string {
  const text = textFromBytes(at);
  if (text !== null) return text;
  throw refused(path, 'its path is not valid UTF-8');
}

function refused(path: TreePath, why: string): SavepointError {
  return new SavepointError('GIT_REFUSED', `${shown(path)} cannot be a worktree: ${why}.`, {
    repositories: [{ path: nameToJson(path), why }],
  });
}

function shown(path: TreePath): string {
  return path === '' ? 'The folder' : showName(path);
}
