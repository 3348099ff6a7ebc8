/** Prepares moving a repository's branch, HEAD and index back to a checkpoint, or gives the reason for refusing. */

import { gitBoolean } from '../content/git-config.ts';
import { showName } from '../content/show-name.ts';
import { FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { HeadPosition, RecordedIndex } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { isObjectId, type ObjectId } from '../model/ids.ts';
import { type DiskPath, diskChild, onDisk, type TreePath, textFromBytes } from '../model/names.ts';
import { decodeCommit } from '../store/objects/commit.ts';
import { hashObject } from '../store/objects/object-hash.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { findGap, findLostCommits, type LostCommits } from './bring-back.ts';
import { problemOf, readGitFile, UnusableGitFile } from './file.ts';
import { type Head, readBranch, readHead } from './head.ts';
import { plainIndexOf } from './index-plain.ts';
import { GitObjects } from './objects.ts';
import { firstErrorLine, type Git } from './program.ts';
import { type GitState, readRepository } from './repository.ts';
import { stagedBlobsIn } from './staged.ts';
import { findLinkOnWritePath } from './write-paths.ts';

export interface RefUpdate {
  readonly name: string;
  /** Null if the ref does not exist. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface TargetHead {
  /** The root's folder, relative to the workspace. */
  readonly path: TreePath;
  readonly to: HeadPosition;
  /** The git operation (merge, rebase, …) that was in progress at the checkpoint. */
  readonly operation: string | null;
  /** The store's blob to use as the index. Null: the index is built from the commit. */
  readonly index: ObjectId | null;
  /** That index stripped to its entries, for comparison with the current one. Null if unknown. */
  readonly plain: ObjectId | null;
  /** The objects that the index refers to, if recorded. */
  readonly recorded: RecordedIndex | null;
}

export interface HeadMove {
  readonly path: TreePath;
  readonly before: HeadPosition;
  readonly after: HeadPosition;
  readonly refs: readonly RefUpdate[];
  /** False if only the branch changes: the index then stays unchanged. */
  readonly movesIndex: boolean;
  readonly index: ObjectId | null;
  /** That index as the checkpoint after records it; null: not recorded. */
  readonly recorded: RecordedIndex | null;
  /** Contents that the index has and the commit does not have. The store has them, and the repository may not. */
  readonly staged: readonly ObjectId[];
  /** Whether the repository has lost the commit, and the store adds it again first. */
  readonly bringsBack: boolean;
  /** Commits that no ref reaches after the move, newest first. */
  readonly unreachable: readonly { readonly commit: string; readonly subject: string }[];
}

/** Commits of repositories in the store. */
export interface KeptObjects {
  readonly objects: ObjectReader;
  isKept(commit: string): boolean;
}

export interface PreparedHeadMoves {
  readonly moves: readonly HeadMove[];
  readonly refused: readonly { readonly path: TreePath; readonly why: string }[];
}

/** Beyond this limit the store would become a copy of the repository. */
const MAX_UNREACHABLE = 1_000;
/** Names listed in a reason. */
const MAX_NAMED = 5;
const ID_DIGITS = 40;
const INDEX_BYTES = 1024 * 1024 * 1024;
const BRANCHES = 'refs/heads/';

export async function prepareHeadMoves(
  ports: Ports,
  root: DiskPath,
  wanted: readonly TargetHead[],
  { git, kept, pace }: { readonly git: Git | null; readonly kept: KeptObjects; readonly pace: Pace },
): Promise<PreparedHeadMoves> {
  const moves: HeadMove[] = [];
  const refused: { path: TreePath; why: string }[] = [];
  for (const one of wanted) {
    try {
      const state = readRepository(ports.fs, onDisk(root, one.path));
      if (state === null) continue;
      if ('problem' in state) throw new Refusal(`its .git cannot be used: ${state.problem.detail}`);
      const link = findLinkOnWritePath(ports.fs, { root, path: one.path }, state, refsOf(state.head, one.to));
      if (link !== null) throw new Refusal(linkReason(link));
      const before = positionOf(state);
      if (before === null) throw new Refusal('the position of its HEAD is unknown');
      const hasOtherIndex = indexDiffers(ports, state, one.plain);
      if (samePosition(before, one.to) && !hasOtherIndex) continue;
      if (git === null) throw new Refusal('git is required but not installed');
      await pace.yieldNow();
      moves.push(await prepareMove({ ports, git, kept, pace }, { state, before, hasOtherIndex }, one));
    } catch (error) {
      refused.push({ path: one.path, why: refusalReason(error) });
    }
  }
  return { moves, refused };
}

/** Returns null if the position is unknown. */
export function positionOf({ head }: GitState): HeadPosition | null {
  return head === null ? null : { branch: head.branch, commit: head.commit };
}

export function samePosition(a: HeadPosition, b: HeadPosition): boolean {
  return a.branch === b.branch && a.commit === b.commit;
}

/** Returns the full names of the refs of these branches. A branch outside of refs/heads has a full name already. */
export function refsOf(...heads: readonly ({ readonly branch: string | null } | null)[]): readonly string[] {
  return heads.flatMap((head) => {
    const branch = head?.branch ?? null;
    if (branch === null) return [];
    return [branch.startsWith('refs/') ? branch : refOf(branch)];
  });
}

export function linkReason(link: DiskPath): string {
  return `${showName(link)} is a link, and git would write to where it leads`;
}

export function refOf(branch: string): string {
  return BRANCHES + branch;
}

/** Returns the first existing lock file that blocks writing to the repository, or null. */
export function findLock(ports: Ports, { gitDir, commonDir }: GitState, refs: readonly string[]): string | null {
  const locks = [
    `${gitDir}/index.lock`,
    `${gitDir}/HEAD.lock`,
    `${commonDir}/packed-refs.lock`,
    ...refs.map((ref) => `${commonDir}/${ref}.lock`),
  ];
  return locks.find((lock) => ports.fs.lstat(lock as DiskPath) !== null) ?? null;
}

/** Returns why Savepoint must never write to this repository, whatever the move. Null if it may. */
export function readOnlyReason({ link, config, objectFormat, bare }: GitState): string | null {
  if (link === 'elsewhere') return 'its .git points to a repository that does not know this folder';
  if (bare) return 'it is a bare repository';
  if (objectFormat !== 'sha1') return `its object format ${objectFormat} is not supported`;
  if (link === 'inside' && config.has('core.worktree')) return 'its files are elsewhere (core.worktree)';
  if (gitBoolean(config.get('core.sparsecheckout')) === true) return 'it is a sparse checkout';
  return null;
}

/**
 * Newer versions of git read hooks from the configuration, and no setting overrides that list.
 * @returns why git must not write to this repository; null: it may
 */
export async function configuredHooks(git: Git, state: GitState): Promise<string | null> {
  const listed = await git.run(state, ['config', '--includes', '--name-only', '-z', '--list']);
  if (listed.exit !== 0) return `git cannot read its configuration: ${firstErrorLine(listed)}`;
  const names = listed.stdout.toString('latin1').split('\0');
  return names.some((name) => name.startsWith('hook.')) ? 'its configuration names hooks' : null;
}

class Refusal extends Error {}

/** An index that cannot be parsed counts as different. */
function indexDiffers({ fs }: Ports, { gitDir }: GitState, plain: ObjectId | null): boolean {
  if (plain === null) return false;
  const path = diskChild(gitDir, 'index');
  const bytes = readGitFile(fs, path, INDEX_BYTES);
  if (bytes === null) return true;
  try {
    return hashObject('blob', plainIndexOf(path, bytes)) !== plain;
  } catch (error) {
    problemOf(error);
    return true;
  }
}

interface MoveContext {
  readonly ports: Ports;
  readonly git: Git;
  readonly kept: KeptObjects;
  readonly pace: Pace;
}

/** The current state of a repository. */
interface RepositoryState {
  readonly state: GitState;
  readonly before: HeadPosition;
  readonly hasOtherIndex: boolean;
}

async function prepareMove(
  context: MoveContext,
  { state, before, hasOtherIndex }: RepositoryState,
  { path, to, operation, index, recorded }: TargetHead,
): Promise<HeadMove> {
  const { ports, git, pace } = context;
  const never = readOnlyReason(state);
  if (never !== null) throw new Refusal(never);
  if (to.branch === null && to.commit === null)
    throw new Refusal('the checkpoint does not record its branch and commit');
  if (state.operation !== null) throw new Refusal(`a ${state.operation} is in progress`);
  if (operation !== null) throw new Refusal(`the checkpoint was taken in the middle of a ${operation}`);
  for (const branch of [before.branch, to.branch]) {
    if (branch?.startsWith('refs/')) throw new Refusal('its HEAD does not point to a branch');
    if (branch !== null && textFromBytes(branch) === null) throw new Refusal('the name of its branch is not UTF-8');
  }
  const refs = refUpdates(ports, state, to);
  const lock = findLock(
    ports,
    state,
    refs.map(({ name }) => name),
  );
  if (lock !== null) throw new Refusal(`git is running there or was killed: ${lock} exists`);
  if (to.branch !== null && to.branch !== before.branch) refuseIfInUse(ports, state, to.branch);
  await refuseHooks(git, state);
  const objects = new GitObjects(ports, state);
  try {
    const lostTarget = to.commit === null ? null : await findTarget(context, state, objects, to.commit);
    const reached = lostTarget?.boundary ?? (to.commit === null ? [] : [to.commit]);
    const lost = await unreachableCommits(git, state, before, reached, refs);
    if (lost.length > MAX_UNREACHABLE)
      throw new Refusal(`more than ${MAX_UNREACHABLE} commits would become unreachable`);
    await pace.yieldNow();
    const movesIndex = before.commit !== to.commit || hasOtherIndex;
    return {
      path,
      before,
      after: to,
      refs,
      movesIndex,
      index,
      recorded,
      staged: movesIndex ? await findStaged(context, state, to.commit, index) : [],
      bringsBack: lostTarget !== null,
      unreachable: lost.map((commit) => ({ commit, subject: subjectOf(objects, commit) })),
    };
  } finally {
    objects.close();
  }
}

function refUpdates({ fs }: Ports, { commonDir }: GitState, { branch, commit }: HeadPosition): readonly RefUpdate[] {
  if (branch === null) return [];
  const name = refOf(branch);
  const from = readBranch(fs, commonDir, name, ID_DIGITS);
  return from === commit ? [] : [{ name, from, to: commit }];
}

/** A branch can be checked out in one worktree only. Moving it would change HEAD under the other worktree. */
function refuseIfInUse({ fs }: Ports, { gitDir, commonDir }: GitState, branch: string): void {
  const others: DiskPath[] = gitDir === commonDir ? [] : [commonDir];
  const folder = diskChild(commonDir, 'worktrees');
  if (fs.lstat(folder) !== null) {
    for (const name of fs.list(folder)) others.push(diskChild(folder, name));
  }
  for (const other of others.filter((one) => one !== gitDir)) {
    let head: Head;
    try {
      head = readHead(fs, other, commonDir, ID_DIGITS);
    } catch (error) {
      problemOf(error);
      continue;
    }
    if (head.branch === branch) throw new Refusal(`branch ${textFromBytes(branch)} is checked out in another worktree`);
  }
}

async function refuseHooks(git: Git, state: GitState): Promise<void> {
  const why = await configuredHooks(git, state);
  if (why !== null) throw new Refusal(why);
}

/** @returns what the repository has lost of the commit, and the store can add again; null: nothing */
async function findTarget(
  { git, kept, pace }: MoveContext,
  state: GitState,
  objects: GitObjects,
  commit: string,
): Promise<LostCommits | null> {
  try {
    objects.treeOf(commit);
    return null;
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
  }
  const lost = kept.isKept(commit) ? await findLostCommits(objects, kept.objects, commit, pace) : null;
  if (lost === null || lost.missing.length === 0) throw new Refusal(`its commit ${commit} is not in the repository`);
  const gap = await findGap(git, state, lost.boundary);
  if (gap !== null) throw new Refusal(`the history of its commit ${commit} is not complete in the repository (${gap})`);
  return lost;
}

/** Returns the staged contents of the index that the store has. @throws Refusal if one exists nowhere anymore */
async function findStaged(
  { ports, kept, pace }: MoveContext,
  state: GitState,
  commit: string | null,
  index: ObjectId | null,
): Promise<readonly ObjectId[]> {
  if (index === null || !kept.objects.has(index)) return [];
  const all = new GitObjects(ports, state, kept.objects);
  try {
    const staged =
      (await stagedBlobsIn(kept.objects.read(index).data, all, commit, pace)) ?? new Map<string, TreePath>();
    const isPartial = state.config.has('extensions.partialclone');
    const lost = isPartial ? [] : [...staged].filter(([id]) => !all.has(id)).map(([, path]) => showName(path));
    if (lost.length > 0) {
      const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : '';
      const names = lost.slice(0, MAX_NAMED).join(', ');
      throw new Refusal(`the staged content of ${names}${more} is neither in the repository anymore nor in the store`);
    }
    return [...staged.keys()].filter((id) => isObjectId(id) && kept.objects.has(id)) as ObjectId[];
  } finally {
    all.close();
  }
}

async function unreachableCommits(
  git: Git,
  state: GitState,
  before: HeadPosition,
  reached: readonly string[],
  refs: readonly RefUpdate[],
): Promise<readonly ObjectId[]> {
  const left = refs.flatMap(({ from }) => from ?? []);
  if (before.branch === null && before.commit !== null) left.push(before.commit);
  if (left.length === 0) return [];
  const found = await git.run(state, [
    'rev-list',
    `--max-count=${MAX_UNREACHABLE + 1}`,
    ...left,
    '--not',
    ...reached,
    ...refs.map(({ name }) => `--exclude=${textFromBytes(name) ?? ''}`),
    '--glob=refs/*',
  ]);
  if (found.exit !== 0)
    throw new Refusal(`git cannot list the commits that would become unreachable: ${firstErrorLine(found)}`);
  return found.stdout.toString('latin1').split('\n').filter(isObjectId);
}

function subjectOf(objects: GitObjects, id: ObjectId): string {
  return decodeCommit(objects.readerFor(id).read(id).data, id).message.split('\n')[0] ?? '';
}

function refusalReason(error: unknown): string {
  if (error instanceof Refusal || error instanceof SavepointError) return error.message;
  if (error instanceof UnusableGitFile || error instanceof FsError) return problemOf(error).detail;
  throw error;
}
