/**
 * The operation that brings the uncommitted changes of a git worktree into the folder as it is: staged, unstaged and
 * untracked ones, as the files lie on disk, without what git ignores. Nothing of the worktree is changed, and git does not
 * run.
 */

import { showName } from '../content/show-name.ts';
import { someOf } from '../content/some-of.ts';
import { modeForNewFile } from '../edit/targets.ts';
import { problemOf, UnusableGitFile } from '../git/file.ts';
import { GitObjects } from '../git/objects.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import { readIndex } from '../git/tracked.ts';
import { type Fs, FsError, kindOf, permissions } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import { checkTreePath } from '../io/safe-path.ts';
import type { Entry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import {
  type DiskPath,
  foldersAbove,
  joinPaths,
  nameToJson,
  onDisk,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import { OwnPaths } from '../store/own-paths.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { captureFile } from '../workspace/scan/capture-file.ts';
import { survey } from '../workspace/survey/survey.ts';
import type { ChangedPath } from '../workspace/survey/work-state.ts';
import { type CommittedFile, CommittedFiles } from './committed-files.ts';
import {
  bringEntries,
  committedEntry,
  type EntryChange,
  MAX_BYTES,
  problemOfCommitted,
  withExecutable,
} from './entry-changes.ts';
import { attributesOf } from './repository-attributes.ts';

export interface WorktreeRequest {
  /** The folder of the worktree, of a repository that the workspace has, too. */
  readonly folder: DiskPath;
  readonly actor: Operation['info']['actor'];
  /** The attribute files of the user's git; null: they cannot be known. */
  readonly attributes: readonly DiskPath[] | null;
  readonly globalIgnore: DiskPath | null;
}

/** What the plan of this operation throws: USAGE if it is not such a worktree, GIT_REFUSED if it cannot be read. */
export function worktreeOperation(workspace: Workspace, request: WorktreeRequest, pace: Pace): Operation {
  return {
    info: { ...checkpointInfo('merge', request.actor), description: `Changes of worktree ${showName(request.folder)}` },
    backups: null,
    plan: (current) => worktreePlan(workspace, request, current, pace),
  };
}

const MAX_NAMED = 5;

async function worktreePlan(
  workspace: Workspace,
  request: WorktreeRequest,
  current: CurrentState,
  pace: Pace,
): Promise<ChangeSet> {
  const { fs } = workspace.ports;
  try {
    const folder = fs.lstat(request.folder) === null ? request.folder : fs.realpath(request.folder);
    const state = readRepository(fs, folder);
    const root = state === null || 'problem' in state ? null : rootOf(workspace, current, state);
    if (state === null || 'problem' in state || root === null) {
      const message = `${showName(request.folder)} is not another worktree of a repository of this workspace.`;
      throw new SavepointError('USAGE', message, { argument: 'worktree' });
    }
    const changes = await changesIn({ workspace, request, folder, state, root }, current, pace);
    return await bringEntries(workspace, changes, current, pace);
  } catch (error) {
    if (!(error instanceof UnusableGitFile || error instanceof FsError)) throw error;
    throw refused(request, problemOf(error).detail);
  }
}

/** The repository of the workspace that has the worktree: the main one, if the workspace has several worktrees of it. */
function rootOf({ ports: { fs }, root }: Workspace, current: CurrentState, worktree: GitState): TreePath | null {
  const same = (a: DiskPath, b: DiskPath): boolean => fs.realpath(a) === fs.realpath(b);
  const found = current.roots.flatMap(({ path, kind }) => {
    if (kind !== 'repository') return [];
    const state = readRepository(fs, onDisk(root, path));
    if (state === null || 'problem' in state || !same(state.commonDir, worktree.commonDir)) return [];
    return same(state.gitDir, worktree.gitDir) ? [] : [{ path, isMain: same(state.gitDir, state.commonDir) }];
  });
  return (found.find(({ isMain }) => isMain) ?? found[0])?.path ?? null;
}

interface Worktree {
  readonly workspace: Workspace;
  readonly request: WorktreeRequest;
  /** Without links in it. */
  readonly folder: DiskPath;
  readonly state: GitState;
  /** The folder of the same repository in the workspace. */
  readonly root: TreePath;
}

async function changesIn(worktree: Worktree, current: CurrentState, pace: Pace): Promise<readonly EntryChange[]> {
  const { workspace, request, folder, state, root } = worktree;
  const { ports } = workspace;
  const head = state.head?.commit ?? null;
  if (head === null) throw refused(request, 'it has no commit yet');
  const changed = await changedPaths(worktree, pace);
  const { tracked } = readIndex(ports.fs, state.gitDir, state.objectFormat);
  const objects = new GitObjects(ports, state);
  try {
    const committedFiles = new CommittedFiles(objects, objects.treeOf(head));
    const attributes = attributesOf(
      ports.fs,
      state,
      { folder, user: request.attributes ?? [] },
      changed.map(({ path }) => path),
    );
    const read = cachedFolderReader(current.objects);
    const found: EntryChange[] = [];
    const problems: string[] = [];
    for (const { path: inside, how } of changed) {
      if (pace.isDue()) await pace.yieldNow();
      const path = joinPaths(root, inside);
      const committed = committedFiles.file(inside);
      const onDiskNow = how === 'deleted' ? null : await entryOnDisk(workspace, current, folder, inside);
      const problem =
        problemOfPath(ports.platform, inside, how) ??
        (committed === null ? null : problemOfCommitted(objects, committed)) ??
        (typeof onDiskNow === 'string' ? onDiskNow : null) ??
        (attributes.of(inside).content ? 'is converted by git (a filter, an encoding or keywords)' : null) ??
        (tracked.entry(inside)?.skipWorktree === true ? 'is not checked out (a sparse checkout)' : null);
      if (problem !== null || typeof onDiskNow === 'string') {
        problems.push(`${showName(inside)} ${problem}`);
        continue;
      }
      const now = stateAt(read, current.snapshot, path).entry;
      const mode = now?.kind === 'file' ? now.mode : modeForNewFile(ports, workspace.root, path);
      // A mode counts only if it differs from that in the commit.
      const sameMode = committed !== null && onDiskNow !== null && isExecutable(committed) === isExecutable(onDiskNow);
      const bits = (one: { readonly mode: number }): number => (sameMode ? mode : withExecutable(mode, one.mode));
      const before = committed === null ? null : committedEntry(current.objects, objects, committed, bits(committed));
      const after = onDiskNow?.kind === 'file' ? { ...onDiskNow, mode: bits(onDiskNow) } : onDiskNow;
      found.push({ path, before, after });
    }
    if (problems.length > 0) throw refused(request, someOf(problems, MAX_NAMED));
    return found;
  } finally {
    objects.close();
  }
}

/** The files that differ from the commit, as `git status` names them. @throws SavepointError GIT_REFUSED */
async function changedPaths(
  { workspace: { ports }, request, folder }: Worktree,
  pace: Pace,
): Promise<readonly ChangedPath[]> {
  if (request.attributes === null) throw refused(request, 'the attributes files of your git cannot be known');
  const rules = { maxFileBytes: MAX_BYTES, maxIgnoredBytes: 0 };
  const { globalIgnore } = request;
  const input = { ports, root: folder, rules, globalIgnore, own: OwnPaths.NONE, pace, eachUntracked: true };
  const { roots, unreadable } = await survey(input);
  const work = roots.find(({ root }) => root.path === WORKSPACE_ITSELF)?.work;
  const [first] = unreadable;
  if (first !== undefined) throw refused(request, `${showName(first.path)} cannot be read (${first.code})`);
  if (work === undefined) throw refused(request, 'its .git cannot be used');
  if (work.problems.length > 0) throw refused(request, someOf(work.problems, MAX_NAMED));
  return work.changes;
}

function problemOfPath(
  platform: Parameters<typeof checkTreePath>[1],
  path: TreePath,
  how: ChangedPath['how'],
): string | null {
  if (how === 'conflict') return 'has a merge conflict';
  if (path.endsWith('/')) return 'is a folder of dependencies that git does not ignore';
  const refusal = checkTreePath(path, platform);
  return refusal === null ? null : `has a name that ${refusal.why}`;
}

/** @returns why it cannot be planned, as the end of a sentence; null: there is nothing */
async function entryOnDisk(
  { ports }: Workspace,
  { objects }: CurrentState,
  folder: DiskPath,
  path: TreePath,
): Promise<Entry | null | string> {
  const { fs } = ports;
  // What is beyond a link is not in the worktree.
  if ([...foldersAbove(path)].some((at) => !isFolder(fs, onDisk(folder, at)))) return null;
  const disk = onDisk(folder, path);
  const stat = fs.lstat(disk);
  if (stat === null) return null;
  switch (kindOf(stat)) {
    case 'folder':
      return fs.lstat(onDisk(folder, joinPaths(path, '.git' as TreePath))) === null ? null : 'is another repository';
    case 'link':
      return { kind: 'link', id: objects.add('blob', Buffer.from(fs.readLink(disk), 'latin1')) };
    case 'special':
      return 'is not a file';
    case 'file': {
      if (stat.size > MAX_BYTES) return 'is too large';
      const found = await captureFile(ports, objects, disk, () => false);
      if (found.outcome !== 'captured') return found.outcome === 'changed' ? null : `cannot be read (${found.code})`;
      return found.stable ? { kind: 'file', id: found.id, mode: permissions(found.stat) } : 'keeps changing';
    }
  }
}

function isFolder(fs: Fs, disk: DiskPath): boolean {
  const stat = fs.lstat(disk);
  return stat !== null && kindOf(stat) === 'folder';
}

function isExecutable(one: Entry | CommittedFile): boolean {
  return 'mode' in one && (one.mode & 0o100) !== 0;
}

function refused({ folder }: WorktreeRequest, why: string): SavepointError {
  const path = nameToJson(folder);
  return new SavepointError(
    'GIT_REFUSED',
    `The changes of worktree ${showName(folder)} cannot be planned: ${why}.`,
    { repositories: [{ path, why }] },
    { hint: 'Nothing was changed.' },
  );
}
