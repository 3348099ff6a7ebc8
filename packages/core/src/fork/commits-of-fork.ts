/** Commits that are lost with a fork, and how to get them. */

import { shellWord } from '../content/shell-word.ts';
import { showName } from '../content/show-name.ts';
import { type CommitsOfCopy, type CopyCommit, commitsOfCopy } from '../copy/commits-of-copy.ts';
import { stateOfCopy } from '../copy/state-of-copy.ts';
import { findGit } from '../git/program.ts';
import { readRepository } from '../git/repository.ts';
import type { Pace } from '../io/pace.ts';
import { repositoriesOf } from '../model/checkpoint.ts';
import { onDisk, type TreePath, textFromBytes } from '../model/names.ts';
import type { UntouchedPath } from '../operation/change-set.ts';
import { OverlayBatch } from '../store/snapshot/overlay.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Fork } from './fork.ts';
import { baseOf } from './fork-base.ts';
import { folderOf, lookAtFork } from './open-fork.ts';

export interface CommitsOfFork extends CommitsOfCopy {
  /**
   * In worktrees, whose commits are in the repository of the workspace: HEAD, if it is detached and no ref leads to it. git
   * removes such a commit some time after the worktree.
   */
  readonly detached: readonly CopyCommit[];
}

export async function commitsOfFork(workspace: Workspace, fork: Fork, pace: Pace): Promise<CommitsOfFork> {
  const { ports, root, timeline, store } = workspace;
  const known = repositoriesOf(timeline.latest()?.roots ?? []);
  return lookAtFork(workspace, fork, async (copy) => {
    const objects = new OverlayBatch(store.objects);
    const { repositories } = await stateOfCopy(workspace, copy, baseOf(workspace, fork).snapshot, objects, pace);
    const started = new Set(fork.worktrees.map(({ commit }) => commit));
    const found = commitsOfCopy(ports, root, copy, [...known, ...repositories], started);
    return { ...found, detached: await detachedCommits(workspace, fork) };
  });
}

/** The commits of HEAD in the worktrees of a fork, where nothing else keeps them. */
export async function detachedCommits(
  { ports, root, searchPath }: Workspace,
  fork: Fork,
): Promise<readonly CopyCommit[]> {
  const files = folderOf(fork);
  if (files === null) return [];
  const found: CopyCommit[] = [];
  const git = findGit(ports, searchPath, root);
  for (const { path, commit: started } of fork.worktrees) {
    const [own, shared] = [files, root].map((folder) => readRepository(ports.fs, onDisk(folder, path)));
    if (own == null || 'problem' in own || own.head === null || own.head.branch !== null) continue;
    const { commit } = own.head;
    if (commit === null || commit === started) continue;
    const repository = shared == null || 'problem' in shared ? own : shared;
    // Otherwise `--all` includes the HEAD of the worktree itself.
    const refs = ['--single-worktree', '--all'];
    const unreached = await git?.run(repository, ['rev-list', '--max-count=1', commit, '--not', ...refs, '--']);
    // If git cannot tell, it is safe to keep the fork.
    if (unreached?.exit === 0 && unreached.stdout.length === 0) continue;
    found.push({ path, commit, ref: 'HEAD' });
  }
  return found;
}

/** What to say about commits that were lost with the fork, for display. */
export function detachedNotes({ name }: Fork, commits: readonly CopyCommit[]): readonly string[] {
  return commits.map(
    (one) =>
      `${placeOf(one)}no branch has the commit ${one.commit.slice(0, 10)}, which git will remove. ` +
      `\`${branchCommand(name, one)}\` keeps it`,
  );
}

/** What to say about commits that are gone with the fork, for display. */
export function lostNotes(commits: readonly CopyCommit[], problems: readonly string[]): readonly string[] {
  return [
    ...commits.map(
      (one) =>
        `${placeOf(one)}its commits on ${showName(shortName(one.ref))} (${one.commit.slice(0, 10)}) are gone: only its own repository had ` +
        'them. Its files are kept',
    ),
    ...problems.map((problem) => `refs that cannot be read are gone: ${problem}`),
  ];
}

/** Why the fork cannot be removed without a loss, for display; null if it can. */
export function commitsText({ commits, detached, problems }: CommitsOfFork): string | null {
  const [first] = commits;
  const [lost] = detached;
  if (first === undefined && lost !== undefined) {
    return `commits on a detached HEAD, which no branch has: ${placeOf(lost)}${lost.commit.slice(0, 10)}`;
  }
  if (first === undefined) return problems[0] === undefined ? null : `refs that cannot be read: ${problems[0]}`;
  const more = commits.length > 1 ? ` and ${commits.length - 1} more` : '';
  return `commits that the repository of the workspace does not have: ${placeOf(first)}${showName(shortName(first.ref))} (${first.commit.slice(0, 10)})${more}`;
}

/** How to get the commits, at most three of them. */
export function howToGet(fork: Fork, { commits, detached }: Omit<CommitsOfFork, 'problems'>): string {
  if (folderOf(fork) === null && commits.length > 0) {
    return `\`savepoint fork open ${fork.name}\` makes a folder of it, which \`git fetch\` gets them from`;
  }
  const commands = [
    ...commits.map((one) => fetchCommand(fork, one)),
    ...detached.map((one) => branchCommand(fork.name, one)),
  ];
  return commands
    .slice(0, 3)
    .map((one) => `\`${one}\``)
    .join(', ');
}

/** A merge brings files. @returns for each ref with commits that the workspace does not have: how to get them */
export function forkCommitNotes(fork: Fork, found: Pick<CommitsOfFork, 'commits'>): readonly UntouchedPath[] {
  return found.commits.map((one) => ({
    path: one.path,
    why:
      `gets files only: the fork has commits on ${showName(shortName(one.ref))}, which a merge of files does not bring. ` +
      `${howToGet(fork, { commits: [one], detached: [] })}${folderOf(fork) === null ? '' : ' does'}`,
  }));
}

/** Not FETCH_HEAD alone, which the next fetch replaces. */
function fetchCommand(fork: Fork, { path, ref }: CopyCommit): string {
  const where = gitIn(path);
  const folder = wordOf(onDisk(folderOf(fork) ?? fork.copy.root, path));
  const target = ref.startsWith('refs/tags/') ? ref : `${fork.name}-${shortName(ref).replaceAll('/', '-')}`;
  return `${where} fetch ${folder} ${wordOf(`${shortName(ref)}:${target}`)}`;
}

function branchCommand(name: string, { path, commit }: CopyCommit): string {
  return `${gitIn(path)} branch ${name}-HEAD ${commit.slice(0, 10)}`;
}

function gitIn(path: TreePath): string {
  return path === '' ? 'git' : `git -C ${wordOf(path)}`;
}

/** As git understands it. */
function shortName(ref: string): string {
  return ref.replace(/^refs\/heads\//, '').replace(/^worktrees\/.*/, 'HEAD');
}

function placeOf({ path }: CopyCommit): string {
  return path === '' ? '' : `${showName(path)}: `;
}

/** The text may be copied into a shell. */
function wordOf(bytes: string): string {
  return shellWord(textFromBytes(bytes) ?? bytes);
}
