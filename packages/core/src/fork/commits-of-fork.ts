/** Commits that only the repositories of a fork have, and how to get them. */

import { shellWord } from '../content/shell-word.ts';
import { showName } from '../content/show-name.ts';
import { type CommitsOfCopy, type CopyCommit, commitsOfCopy } from '../copy/commits-of-copy.ts';
import { stateOfCopy } from '../copy/state-of-copy.ts';
import type { Pace } from '../io/pace.ts';
import { onDisk, textFromBytes } from '../model/names.ts';
import type { UntouchedPath } from '../operation/change-set.ts';
import { OverlayBatch } from '../store/snapshot/overlay.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Fork } from './fork.ts';
import { baseOf } from './fork-base.ts';
import { folderOf, lookAtFork } from './open-fork.ts';

export async function commitsOfFork(workspace: Workspace, fork: Fork, pace: Pace): Promise<CommitsOfCopy> {
  const { ports, root, timeline, store } = workspace;
  const known = (timeline.latest()?.roots ?? []).filter(({ kind }) => kind === 'repository').map(({ path }) => path);
  return lookAtFork(workspace, fork, async (copy) => {
    const objects = new OverlayBatch(store.objects);
    const { repositories } = await stateOfCopy(workspace, copy, baseOf(workspace, fork).snapshot, objects, pace);
    const started = new Set(fork.worktrees.map(({ commit }) => commit));
    return commitsOfCopy(ports, root, copy, [...known, ...repositories], started);
  });
}

/** Why the fork cannot be removed without a loss, for display; null if it can. */
export function commitsText({ commits, problems }: CommitsOfCopy): string | null {
  const [first] = commits;
  if (first === undefined) return problems[0] === undefined ? null : `refs that cannot be read: ${problems[0]}`;
  const more = commits.length > 1 ? ` and ${commits.length - 1} more` : '';
  return `commits that the repository of the workspace does not have: ${placeOf(first)}${showName(shortName(first.ref))} (${first.commit.slice(0, 10)})${more}`;
}

/** How to get the commits, at most three of them. */
export function howToGet(fork: Fork, { commits }: CommitsOfCopy): string {
  if (folderOf(fork) === null && commits.length > 0) {
    return `\`savepoint fork open ${fork.name}\` makes a folder of it, which \`git fetch\` gets them from`;
  }
  return commits
    .slice(0, 3)
    .map((one) => `\`${fetchCommand(fork, one)}\``)
    .join(', ');
}

/** A merge brings files. @returns for each ref with commits that the workspace does not have: how to get them */
export function forkCommitNotes(fork: Fork, found: CommitsOfCopy): readonly UntouchedPath[] {
  return found.commits.map((one) => ({
    path: one.path,
    why:
      `has commits on ${showName(shortName(one.ref))}, which a merge of files does not bring. ` +
      `${howToGet(fork, { commits: [one], problems: [] })}${folderOf(fork) === null ? '' : ' does'}`,
  }));
}

/** Not FETCH_HEAD alone, which the next fetch replaces. */
function fetchCommand(fork: Fork, { path, ref }: CopyCommit): string {
  const where = path === '' ? 'git' : `git -C ${wordOf(path)}`;
  const folder = wordOf(onDisk(folderOf(fork) ?? fork.copy.root, path));
  const target = ref.startsWith('refs/tags/') ? ref : `${fork.name}-${shortName(ref).replaceAll('/', '-')}`;
  return `${where} fetch ${folder} ${wordOf(`${shortName(ref)}:${target}`)}`;
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
