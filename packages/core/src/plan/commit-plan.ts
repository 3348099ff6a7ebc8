/**
 * Commits what a plan changed, on request: one commit in each repository, of the plan's files only.
 *
 * C1 git runs nothing that the repository configures: no hooks, filters, editors or signing programs (git/program.ts).
 *    Files that git would convert are refused.
 * C2 A file is committed only if it had no changes of the user: before the plan it was as in HEAD, and it still is in the
 *    index. Otherwise nothing is committed at all. All other entries of the index stay as they are.
 * C3 All repositories are examined before the first is changed.
 * C4 In each repository: objects first, then the index, then the branch, from the commit that was examined. The last two
 *    happen under git's lock of the index, and only if index and HEAD still are as examined. A process that dies in between
 *    leaves the plan's files staged, and the lock. The next attempt removes the lock and continues there.
 */

import { gitBoolean } from '../content/git-config.ts';
import { showName } from '../content/show-name.ts';
import { someOf } from '../content/some-of.ts';
import { writePacks } from '../git/bring-back.ts';
import { problemOf, readGitFile, UnusableGitFile } from '../git/file.ts';
import { configuredHooks, findLock, linkReason, readOnlyReason, refsOf } from '../git/head-moves.ts';
import { GitObjects } from '../git/objects.ts';
import { findGit, firstErrorLine, type Git } from '../git/program.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import { type IndexEntry, readIndex, type TrackedPaths } from '../git/tracked.ts';
import { findLinkOfObjects, findLinkOnWritePath } from '../git/write-paths.ts';
import { FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint, RootState } from '../model/checkpoint.ts';
import type { Entry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { isObjectId, type ObjectId } from '../model/ids.ts';
import {
  type DiskPath,
  foldersAbove,
  isWithin,
  nameToJson,
  onDisk,
  relativePath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { decodeCommit, encodeCommit } from '../store/objects/commit.ts';
import { copiedCommitIndex, newCommitIndex, removeCommitIndex } from '../store/state/commit-index.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences } from '../timeline/diff/snapshot-diff.ts';
import {
  type ExaminedIndex,
  examineIndex,
  headOf,
  releaseLeftLock,
  sameBytes,
  swapIndex,
} from '../transaction/swap-index.ts';
import { givenMessage, messageInStyle } from './commit-message.ts';
import { type CommittedFile, CommittedFiles } from './committed-files.ts';
import { attributesOf } from './repository-attributes.ts';

export interface PlanCommitRequest {
  readonly plan: Plan;
  /** The checkpoints after its applications that are in effect, oldest first, each with the one before it. */
  readonly steps: readonly { readonly before: Checkpoint; readonly after: Checkpoint }[];
  /** Null: made from the plan's intent, in the style of the repository. */
  readonly message: string | null;
  /** Null: the one that git would name. */
  readonly author: { readonly name: string; readonly email: string } | null;
  /** The environment of the user, from which git reads which configuration is the user's. */
  readonly variables: Readonly<Record<string, string>>;
  /** The attribute files of the user's git; null: they cannot be known. */
  readonly attributes: readonly DiskPath[] | null;
}

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

/** @throws SavepointError GIT_REFUSED, CONFLICT if a file has changes of the user; nothing is committed then */
export async function commitPlan(workspace: Workspace, request: PlanCommitRequest, pace: Pace): Promise<PlanCommits> {
  const git = findGit(workspace.ports, workspace.searchPath, workspace.root);
  if (git === null) throw refused([{ path: WORKSPACE_ITSELF, why: 'git was not found' }]);
  const notes: string[] = [];
  const prepared: Prepared[] = [];
  const problems: Problem[] = [];
  for (const [root, changes] of changesByRoot(workspace, request, notes)) {
    try {
      const one = await prepare({ workspace, git, root }, changes, request, notes, pace);
      if (one !== null) prepared.push(one);
    } catch (error) {
      if (error instanceof Refusal) problems.push({ path: root, why: error.message });
      else if (error instanceof UnusableGitFile || error instanceof FsError)
        problems.push({ path: root, why: problemOf(error).detail });
      else throw error;
    }
  }
  if (problems.length > 0) throw refused(problems);
  const commits: PlanCommit[] = [];
  for (const one of prepared) {
    try {
      commits.push(await commitIn(workspace, git, one, pace));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw refused([{ path: one.root, why: error.message }], commits);
    }
  }
  return { commits, notes };
}

class Refusal extends Error {}

interface Problem {
  readonly path: TreePath;
  readonly why: string;
}

/** A path in a repository. */
interface FileChange {
  readonly path: TreePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

interface Prepared {
  readonly root: TreePath;
  readonly state: GitState;
  readonly head: string;
  readonly index: ExaminedIndex;
  readonly changes: readonly FileChange[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
}

const MAX_NAMED = 5;
const RECENT = 20;
const INDEX_BYTES = 256 * 1024 * 1024;
const LINK = 0o120000;
const NO_ID = '0'.repeat(40);

function changesByRoot(
  { store }: Workspace,
  { steps }: PlanCommitRequest,
  notes: string[],
): ReadonlyMap<TreePath, readonly FileChange[]> {
  const all = new Map<TreePath, FileChange>();
  const ignored = new Set<TreePath>();
  const roots = steps.at(-1)?.after.roots ?? [];
  for (const { before, after } of steps) {
    for (const one of differences(store.objects, before.snapshot, after.snapshot)) {
      const [old, now] = [fileIn(one.before.entry), fileIn(one.after.entry)];
      if (old === null && now === null) continue;
      const first = all.get(one.path);
      all.set(one.path, { path: one.path, before: first === undefined ? old : first.before, after: now });
      if (one.after.ignored || (now === null && one.before.ignored)) ignored.add(one.path);
    }
  }
  const found = new Map<TreePath, FileChange[]>();
  const outside: TreePath[] = [];
  for (const change of all.values()) {
    const root = rootOf(roots, change.path);
    if (root === null || ignored.has(change.path)) {
      outside.push(change.path);
      continue;
    }
    const list = found.get(root) ?? [];
    list.push({ ...change, path: relativePath(root, change.path) });
    found.set(root, list);
  }
  if (outside.length > 0)
    notes.push(`in no commit, because git ignores them or they are in no repository: ${named(outside)}`);
  return found;
}

function fileIn(entry: Entry | null): Entry | null {
  return entry === null || entry.kind === 'folder' ? null : entry;
}

/** The innermost root that has the path; null if that is not a repository. */
function rootOf(roots: readonly RootState[], path: TreePath): TreePath | null {
  const [inner] = roots.filter((root) => isWithin(path, root.path)).sort((a, b) => b.path.length - a.path.length);
  return inner?.kind === 'repository' ? inner.path : null;
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
): Promise<Prepared | null> {
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
  const blobs = changes.flatMap(({ after }) => (after === null || after.kind === 'folder' ? [] : [after.id]));
  const link =
    findLinkOnWritePath(ports.fs, { root: workspace.root, path: root }, state, refs) ??
    findLinkOfObjects(ports.fs, state, blobs, true);
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
    const committedFiles = new CommittedFiles(objects, objects.treeOf(head));
    const left: FileChange[] = [];
    const mixed: TreePath[] = [];
    for (const change of changes) {
      const committed = committedFiles.file(change.path);
      if (isEntry(committed, change.after)) continue;
      const staged = tracked.entry(change.path);
      const isStaged = isEntry(staged, change.after);
      if (!isEntry(committed, change.before) || !(isStaged || sameIndexed(staged, committed))) mixed.push(change.path);
      else if (staged?.assumeUnchanged === true || staged?.skipWorktree === true) {
        throw new Refusal(`${showName(change.path)} is marked in the index (assume-unchanged or skip-worktree)`);
      } else left.push(change);
    }
    mixed.push(...inTheWay(changes, tracked, committedFiles));
    if (mixed.length > 0) {
      throw new Refusal(`${named(mixed)} had changes of yours that are not committed. Commit or stash these first`);
    }
    if (left.length === 0) return null;
    assertPlain(workspace, folder, state, left, attributes);
    if (gitBoolean(state.config.get('commit.gpgsign')) === true) notes.push(`${shown(root)}: the commit is not signed`);
    const recent = recentSubjects(objects, head);
    const paths = left.map(({ path }) => path);
    const text = message === null ? messageInStyle(plan.intent, recent, paths) : givenMessage(message);
    if (text.trim() === '') throw new Refusal('the message is empty');
    await pace.yieldNow();
    return {
      root,
      state,
      head,
      index,
      changes: left,
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
): Promise<Prepared['author']> {
  const [, name, email] = /^(.+) <(.*)> \d+ [+-]\d{4}$/.exec((await git.author(state, variables)) ?? '') ?? [];
  if (name !== undefined && email !== undefined) return { name, email };
  throw new Refusal('git knows no author: set `user.name` and `user.email`');
}

function modeOf(entry: Entry): number {
  return entry.kind === 'link' ? LINK : entry.kind === 'file' && (entry.mode & 0o100) !== 0 ? 0o100755 : 0o100644;
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

function isEntry(committed: CommittedFile | null, entry: Entry | null): boolean {
  if (committed === null || entry === null) return committed === null && entry === null;
  return entry.kind !== 'folder' && committed.id === entry.id && committed.mode === modeOf(entry);
}

function sameIndexed(staged: IndexEntry | null, committed: CommittedFile | null): boolean {
  if (staged === null || committed === null) return staged === null && committed === null;
  return staged.id === committed.id && staged.mode === committed.mode && !staged.intentToAdd;
}

/** What git would store can differ from what is in the file. */
function assertPlain(
  { ports: { fs }, store }: Workspace,
  folder: DiskPath,
  state: GitState,
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
  const autocrlf = state.config.get('core.autocrlf');
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

function recentSubjects(objects: GitObjects, head: string): readonly string[] {
  const found: string[] = [];
  for (let at: string | undefined = head; at !== undefined && isObjectId(at) && found.length < RECENT; ) {
    if (!objects.has(at)) break;
    const commit = decodeCommit(objects.readerFor(at).read(at).data, at);
    if (commit.parents.length < 2) found.push(commit.message.split('\n')[0] ?? '');
    at = commit.parents[0];
  }
  return found;
}

async function commitIn(workspace: Workspace, git: Git, prepared: Prepared, pace: Pace): Promise<PlanCommit> {
  const { ports, store } = workspace;
  const { state, head, index: examined, changes, message, author, root } = prepared;
  const ids = [
    ...new Set(changes.flatMap(({ after }) => (after === null || after.kind === 'folder' ? [] : [after.id]))),
  ];
  const failed = await writePacks(git, state, store.objects, ids, pace);
  if (failed !== null) throw new Refusal(failed);
  const index = newCommitIndex(ports.fs, store.layout);
  const entries = Buffer.from(changes.map(({ path, after }) => indexLine(path, after)).join(''), 'latin1');
  let tree: string;
  let wanted: Buffer;
  try {
    await succeed(git.run(state, ['read-tree', head], undefined, index));
    await succeed(git.run(state, ['update-index', '-z', '--index-info'], entries, index));
    tree = await succeed(git.run(state, ['write-tree'], undefined, index));
    removeCommitIndex(ports.fs, store.layout);
    if (examined.bytes !== null) copiedCommitIndex(ports.fs, store.layout, examined.bytes, examined.modifiedMs);
    await succeed(git.run(state, ['update-index', '-z', '--index-info'], entries, index));
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
  // git itself looks where HEAD leads at that moment.
  const moveBranch = async (): Promise<string | null> => {
    const moved = await git.run(state, ['update-ref', '-m', `commit: ${subject}`, 'HEAD', commit, head]);
    return moved.exit === 0 ? null : firstErrorLine(moved);
  };
  const why = await swapIndex(ports, state, { examined, wanted, moveBranch, commit });
  if (why !== null) throw new Refusal(why);
  const branch = headOf(ports.fs, state)?.branch ?? null;
  return { path: root, branch, commit, subject, files: changes.length };
}

function indexLine(path: TreePath, entry: Entry | null): string {
  if (entry === null || entry.kind === 'folder') return `0 ${NO_ID}\t${path}\0`;
  return `${modeOf(entry).toString(8)} ${entry.id}\t${path}\0`;
}

async function succeed(running: ReturnType<Git['run']>): Promise<string> {
  const done = await running;
  if (done.exit !== 0) throw new Refusal(firstErrorLine(done));
  return done.stdout.toString('latin1').trim();
}

function named(paths: readonly TreePath[]): string {
  return someOf(paths.map(showName), MAX_NAMED);
}

function shown(path: TreePath): string {
  return path === '' ? 'the folder' : showName(path);
}

function refused(problems: readonly Problem[], done: readonly PlanCommit[] = []): SavepointError {
  const repositories = problems.map(({ path, why }) => ({ path: nameToJson(path), why }));
  const text = problems.map(({ path, why }) => `${shown(path)}: ${why}`).join('. ');
  const before = done.map(({ path, commit }) => `${shown(path)} (${commit.slice(0, 10)})`).join(', ');
  return new SavepointError(
    'GIT_REFUSED',
    `Nothing was committed in ${text}.${before === '' ? '' : ` Committed before: ${before}.`}`,
    { repositories },
    { hint: 'The files of the plan stay as they are. Commit them with git, or repeat `savepoint plan commit`.' },
  );
}
