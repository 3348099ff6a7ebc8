/** Examines the repositories that a plan changed, before the first of them gets a commit. */

import { gitBoolean } from '../content/git-config.ts';
import { sameBytes } from '../content/same-bytes.ts';
import { showName } from '../content/show-name.ts';
import { someOf } from '../content/some-of.ts';
import { ignoredOf, settingsOf } from '../git/as-user.ts';
import { writePacks } from '../git/bring-back.ts';
import { problemOf, UnusableGitFile } from '../git/file.ts';
import { configuredHooks, findLock, linkReason, readOnlyReason, refsOf } from '../git/head-moves.ts';
import { GitObjects } from '../git/objects.ts';
import { findGit, firstErrorLine, type Git } from '../git/program.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import { type IndexEntry, readIndex, type TrackedPaths } from '../git/tracked.ts';
import { findLinkOfObjects, findLinkOnWritePath } from '../git/write-paths.ts';
import { diskState, matchesEntry } from '../io/disk-state.ts';
import { type Fs, FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Entry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import {
  type DiskPath,
  foldersAbove,
  isWithin,
  joinPaths,
  nameToJson,
  onDisk,
  relativePath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences } from '../timeline/diff/snapshot-diff.ts';
import { type ExaminedIndex, examineIndex, releaseLeftLock } from '../transaction/swap-index.ts';
import { givenMessage, messageInStyle } from './commit-message.ts';
import { type CommittedFile, CommittedFiles } from './committed-files.ts';
import { repositoryOf } from './ignored-paths.ts';
import { recentSubjects } from './recent-subjects.ts';
import { attributesOf } from './repository-attributes.ts';

export interface CommittedStep {
  readonly before: Checkpoint;
  readonly after: Checkpoint;
  /** The paths at which it was reverted since. */
  readonly reverted: readonly TreePath[];
  /** The paths of the plan, if more than the plan was merged. Null: all that changed. */
  readonly only: ReadonlySet<TreePath> | null;
}

export interface PlanCommitRequest {
  readonly plan: Plan;
  /** The checkpoints after its applications that are in effect, oldest first, each with the one before it. */
  readonly steps: readonly CommittedStep[];
  /** Null: made from the plan's intent, in the style of the repository. */
  readonly message: string | null;
  /** Null: the one that git would name. */
  readonly author: { readonly name: string; readonly email: string } | null;
  /** The environment of the user, from which git reads which configuration is the user's. */
  readonly variables: Readonly<Record<string, string>>;
  /** The attribute files of the user's git; null: they cannot be known. */
  readonly attributes: readonly DiskPath[] | null;
}

/** A path in a repository. */
export interface FileChange {
  readonly path: TreePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** What an index gets at a path; null: nothing. */
export interface IndexEdit {
  readonly path: TreePath;
  readonly to: CommittedFile | null;
}

/** A commit that a repository can get. */
export interface PreparedCommit {
  /** The repository's folder, relative to the workspace. */
  readonly root: TreePath;
  readonly state: GitState;
  readonly head: string;
  /** Of HEAD. */
  readonly tree: string;
  readonly index: ExaminedIndex;
  readonly changes: readonly FileChange[];
  /** What the commit changes in the index. */
  readonly edits: readonly IndexEdit[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
}

export interface PreparedCommits {
  readonly git: Git;
  readonly commits: readonly PreparedCommit[];
  /** What will be in no commit, for display. */
  readonly notes: readonly string[];
}

/** Why a repository cannot get its commit. */
export class Refusal extends Error {}

export interface RefusedRepository {
  readonly path: TreePath;
  readonly why: string;
}

/** @throws SavepointError GIT_REFUSED if one of them cannot get its commit, for example because a file has changes of the user */
export async function prepareCommits(
  workspace: Workspace,
  request: PlanCommitRequest,
  pace: Pace,
): Promise<PreparedCommits> {
  const git = findGit(workspace.ports, workspace.searchPath, workspace.root);
  if (git === null) throw refused([{ path: WORKSPACE_ITSELF, why: 'git was not found' }]);
  const notes: string[] = [];
  const commits: PreparedCommit[] = [];
  const problems: RefusedRepository[] = [];
  for (const [root, changes] of changesByRoot(workspace, request, notes)) {
    try {
      const one = await prepare({ workspace, git, root }, changes, request, notes, pace);
      if (one !== null) commits.push(one);
    } catch (error) {
      if (error instanceof Refusal) problems.push({ path: root, why: error.message });
      else if (error instanceof UnusableGitFile || error instanceof FsError)
        problems.push({ path: root, why: problemOf(error).detail });
      else throw error;
    }
  }
  if (problems.length > 0) throw refused(problems);
  return { git, commits, notes };
}

/** The contents that a commit needs, in its repository. */
export async function addContents(
  { store }: Workspace,
  git: Git,
  { state, changes }: PreparedCommit,
  pace: Pace,
): Promise<void> {
  const failed = await writePacks(git, state, store.objects, contentsOf(changes), pace);
  if (failed !== null) throw new Refusal(failed);
}

/** @throws Refusal if a file on disk is not as the plan made it any more, for example because a part of it was taken back */
export function assertUnchanged({ ports, root: folder }: Workspace, { root, changes }: PreparedCommit): void {
  const at = onDisk(folder, root);
  const changed = changes.filter(({ path, after }) => {
    const state = diskState(ports.fs, onDisk(at, path));
    // In place of a file, the plan may have made a folder.
    return !matchesEntry(state, after) && !(after === null && state.kind === 'folder');
  });
  if (changed.length === 0) return;
  throw new Refusal(`${named(changed.map(({ path }) => path))} changed since the plan was applied. Commit with git`);
}

/** As the input of `git update-index -z --index-info`. */
export function indexLines(edits: readonly IndexEdit[]): Buffer {
  const line = ({ path, to }: IndexEdit): string =>
    to === null ? `0 ${NO_ID}\t${path}\0` : `${to.mode.toString(8)} ${to.id}\t${path}\0`;
  return Buffer.from(edits.map(line).join(''), 'latin1');
}

export async function succeed(running: ReturnType<Git['run']>): Promise<string> {
  const done = await running;
  if (done.exit !== 0) throw new Refusal(firstErrorLine(done));
  return done.stdout.toString('latin1').trim();
}

export function refused(
  problems: readonly RefusedRepository[],
  done: readonly { readonly path: TreePath; readonly commit: string }[] = [],
): SavepointError {
  const repositories = problems.map(({ path, why }) => ({ path: nameToJson(path), why }));
  const text = problems.map(({ path, why }) => `${shown(path)}: ${why}`).join('. ');
  const before = done.map(({ path, commit }) => `${shown(path)} (${commit.slice(0, 10)})`).join(', ');
  return new SavepointError(
    'GIT_REFUSED',
    `Nothing was committed in ${text}${text.includes('\n') ? '' : '.'}${before === '' ? '' : ` Committed before: ${before}.`}`,
    { repositories },
    {
      hint: 'The files of the plan stay as they are. Commit them with git, or repeat `savepoint plan commit`, with --hooks if they are to run.',
    },
  );
}

/** Names of files in a message. */
export function named(paths: readonly TreePath[]): string {
  return someOf(paths.map(showName), MAX_NAMED);
}

/** A repository, in a message. */
export function shown(path: TreePath): string {
  return path === '' ? 'the folder' : showName(path);
}

const MAX_NAMED = 5;
const LINK = 0o120000;
const NO_ID = '0'.repeat(40);

/** What git needs of them, each once. */
function contentsOf(changes: readonly FileChange[]): readonly ObjectId[] {
  return [...new Set(changes.flatMap(({ after }) => indexed(after)?.id ?? []))];
}

function indexed(entry: Entry | null): CommittedFile | null {
  return entry === null || entry.kind === 'folder' ? null : { mode: modeOf(entry), id: entry.id };
}

function modeOf(entry: Entry): number {
  return entry.kind === 'link' ? LINK : entry.kind === 'file' && (entry.mode & 0o100) !== 0 ? 0o100755 : 0o100644;
}

function changesByRoot(
  { store }: Workspace,
  { steps }: PlanCommitRequest,
  notes: string[],
): ReadonlyMap<TreePath, readonly FileChange[]> {
  const all = new Map<TreePath, FileChange>();
  const ignored = new Set<TreePath>();
  const others = new Set<TreePath>();
  const takenBack = new Set(steps.flatMap(({ reverted }) => reverted));
  const roots = steps.at(-1)?.after.roots ?? [];
  for (const { before, after, only } of steps) {
    for (const one of differences(store.objects, before.snapshot, after.snapshot)) {
      const [old, now] = [fileIn(one.before.entry), fileIn(one.after.entry)];
      if (old === null && now === null) continue;
      if (only?.has(one.path) === false) {
        others.add(one.path);
        continue;
      }
      const first = all.get(one.path);
      all.set(one.path, { path: one.path, before: first === undefined ? old : first.before, after: now });
      if (one.after.ignored || (now === null && one.before.ignored)) ignored.add(one.path);
    }
  }
  const found = new Map<TreePath, FileChange[]>();
  const outside: TreePath[] = [];
  for (const change of all.values()) {
    if (takenBack.has(change.path)) continue;
    const root = repositoryOf(roots, change.path);
    if (root === null || ignored.has(change.path)) {
      outside.push(change.path);
      continue;
    }
    const list = found.get(root) ?? [];
    list.push({ ...change, path: relativePath(root, change.path) });
    found.set(root, list);
  }
  const left = [...takenBack].filter((path) => all.has(path));
  if (left.length > 0) notes.push(`not committed, because the plan was taken back there: ${named(left)}`);
  if (others.size > 0)
    notes.push(`not committed, because the merge brought them, and not the plan: ${named([...others])}`);
  if (outside.length > 0)
    notes.push(`in no commit, because git ignores them or they are in no repository: ${named(outside)}`);
  return found;
}

function fileIn(entry: Entry | null): Entry | null {
  return entry === null || entry.kind === 'folder' ? null : entry;
}

interface Place {
  readonly workspace: Workspace;
  readonly git: Git;
  readonly root: TreePath;
}

/** @returns null if the repository has everything already */
async function prepare(
  { workspace, git, root }: Place,
  changes: readonly FileChange[],
  { plan, message, author, variables, attributes }: PlanCommitRequest,
  notes: string[],
  pace: Pace,
): Promise<PreparedCommit | null> {
  const { ports } = workspace;
  const folder = onDisk(workspace.root, root);
  const state = readRepository(ports.fs, folder);
  if (state === null || 'problem' in state) throw new Refusal('its .git cannot be used');
  const never = readOnlyReason(state);
  if (never !== null) throw new Refusal(never);
  if (state.operation !== null) throw new Refusal(`a ${state.operation} is in progress`);
  const head = state.head?.commit ?? null;
  if (head === null || state.head === null) throw new Refusal('it has no commit yet');
  const refs = refsOf(state.head);
  const link =
    findLinkOnWritePath(ports.fs, { root: workspace.root, path: root }, state, refs) ??
    findLinkOfObjects(ports.fs, state, contentsOf(changes), true);
  if (link !== null) throw new Refusal(linkReason(link));
  releaseLeftLock(ports, state);
  const lock = findLock(ports, state, refs);
  if (lock !== null) throw new Refusal(`git is running there or was killed: ${lock} exists`);
  const hooks = await configuredHooks(git, state);
  if (hooks !== null) throw new Refusal(hooks);
  const index = examineIndex(ports.fs, state);
  const { tracked, problem } = readIndex(ports.fs, state.gitDir, state.objectFormat);
  if (problem !== null) throw new Refusal(`its index cannot be read: ${problem.detail}`);
  for (const { stage, path } of tracked.entries()) {
    if (stage > 0) throw new Refusal(`${showName(path)} has a conflict in the index`);
  }
  if (!sameBytes(examineIndex(ports.fs, state).bytes, index.bytes)) {
    throw new Refusal('something was staged meanwhile. Try again');
  }
  const objects = new GitObjects(ports, state);
  try {
    const tree = objects.treeOf(head);
    const committedFiles = new CommittedFiles(objects, tree);
    const left: FileChange[] = [];
    const mixed: TreePath[] = [];
    /** Committed already, but not as the plan made them: for example, a hook has changed them. */
    const same: FileChange[] = [];
    const isKnown = (path: TreePath): boolean => tracked.entry(path) !== null || committedFiles.file(path) !== null;
    const added = changes.filter(({ path, after }) => after !== null && ![path, ...foldersAbove(path)].some(isKnown));
    const asUser = { git, state, variables };
    const ignored = await ignoredOf(
      asUser,
      folder,
      added.map(({ path }) => path),
    );
    if (ignored.size > 0) {
      const paths = added.filter(({ path }) => ignored.has(path)).map(({ path }) => joinPaths(root, path));
      notes.push(`not committed, because git ignores them: ${named(paths)}`);
    }
    for (const change of changes) {
      if (ignored.has(change.path)) continue;
      const committed = committedFiles.file(change.path);
      if (isEntry(committed, change.after)) continue;
      const staged = tracked.entry(change.path);
      const isStaged = isEntry(staged, change.after);
      const isAsBefore = isEntry(committed, change.before);
      const isClean = sameIndexed(staged, committed);
      if (!isAsBefore && isClean && isOnDisk(ports.fs, onDisk(folder, change.path), committed)) same.push(change);
      else if (!isAsBefore || !(isStaged || isClean)) mixed.push(change.path);
      else if (staged?.assumeUnchanged === true || staged?.skipWorktree === true) {
        throw new Refusal(`${showName(change.path)} is marked in the index (assume-unchanged or skip-worktree)`);
      } else left.push(change);
    }
    mixed.push(...inTheWay(changes, tracked, committedFiles));
    if (mixed.length > 0) {
      throw new Refusal(`${named(mixed)} had changes of yours that are not committed. Commit or stash these first`);
    }
    if (same.length > 0) {
      const paths = same.map(({ path }) => joinPaths(root, path));
      notes.push(
        `left out, because git has them as the folder has them, though not as the plan made them: ${named(paths)}`,
      );
    }
    if (left.length === 0) return null;
    const settings = await settingsOf(asUser, ['core.autocrlf', 'commit.gpgsign']);
    assertPlain(workspace, { folder, state, autocrlf: settings.get('core.autocrlf') }, left, attributes);
    if (gitBoolean(settings.get('commit.gpgsign')) === true) notes.push(`${shown(root)}: the commit is not signed`);
    const recent = recentSubjects(objects, head);
    const paths = left.map(({ path }) => path);
    const text = message === null ? messageInStyle(plan.intent, recent, paths) : givenMessage(message);
    if (text.trim() === '') throw new Refusal('the message is empty');
    await pace.yieldNow();
    return {
      root,
      state,
      head,
      tree,
      index,
      changes: left,
      edits: left.map(({ path, after }) => ({ path, to: indexed(after) })),
      message: text,
      author: author ?? (await ownAuthor(git, state, variables)),
    };
  } finally {
    objects.close();
  }
}

async function ownAuthor(
  git: Git,
  state: GitState,
  variables: PlanCommitRequest['variables'],
): Promise<PreparedCommit['author']> {
  const [, name, email] = /^(.+) <(.*)> \d+ [+-]\d{4}$/.exec((await git.author(state, variables)) ?? '') ?? [];
  if (name !== undefined && email !== undefined) return { name, email };
  throw new Refusal('git knows no author: set `user.name` and `user.email`');
}

/** What git has, and the plan did not remove, where the plan has a folder or above one of its files. */
function inTheWay(
  changes: readonly FileChange[],
  tracked: TrackedPaths,
  committed: CommittedFiles,
): readonly TreePath[] {
  const gone = new Set(changes.flatMap(({ path, after }) => (after === null ? [path] : [])));
  const found = new Set<TreePath>();
  for (const { path, after } of changes) {
    if (after === null) continue;
    for (const at of foldersAbove(path)) {
      if (tracked.entry(at) !== null || committed.file(at) !== null) found.add(at);
    }
    for (const below of committed.below(path)) found.add(below);
    if (!tracked.hasBelow(path)) continue;
    for (const one of tracked.entries()) if (isWithin(one.path, path) && one.path !== path) found.add(one.path);
  }
  return [...found].filter((path) => !gone.has(path));
}

function isEntry(committed: Pick<IndexEntry, 'mode' | 'id'> | null, entry: Entry | null): boolean {
  if (committed === null || entry === null) return committed === null && entry === null;
  return entry.kind !== 'folder' && committed.id === entry.id && committed.mode === modeOf(entry);
}

function isOnDisk(fs: Fs, path: DiskPath, committed: CommittedFile | null): boolean {
  const state = diskState(fs, path);
  if (committed === null) return state.kind === 'absent';
  return state.kind === (committed.mode === LINK ? 'link' : 'file') && 'id' in state && state.id === committed.id;
}

function sameIndexed(staged: IndexEntry | null, committed: CommittedFile | null): boolean {
  if (staged === null || committed === null) return staged === null && committed === null;
  return staged.id === committed.id && staged.mode === committed.mode && !staged.intentToAdd;
}

/** What git would store can differ from what is in the file. */
function assertPlain(
  { ports: { fs }, store }: Workspace,
  {
    folder,
    state,
    autocrlf,
  }: { readonly folder: DiskPath; readonly state: GitState; readonly autocrlf: string | undefined },
  changes: readonly FileChange[],
  user: PlanCommitRequest['attributes'],
): void {
  if (user === null) throw new Refusal('the attributes files of your git cannot be known. Commit with git');
  const attributes = attributesOf(
    fs,
    state,
    { folder, user },
    changes.map(({ path }) => path),
  );
  const convertsLines = autocrlf !== undefined && gitBoolean(autocrlf) !== false;
  const converted = changes.filter(({ path, after }) => {
    if (after?.kind !== 'file') return false;
    const { content, lines } = attributes.of(path);
    return content || ((lines || convertsLines) && store.objects.read(after.id).data.includes('\r\n'));
  });
  if (converted.length > 0) {
    throw new Refusal(`git would convert ${named(converted.map(({ path }) => path))}. Commit these with git`);
  }
}
