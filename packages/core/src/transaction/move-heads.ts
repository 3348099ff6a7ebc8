/**
 * Moves branch, HEAD and index of repositories as a plan says. This is part of an operation's publication, so that it
 * happens with the files or not at all.
 *
 * H1 Nothing is written to a repository that is neither in the state that the plan found nor in its target state.
 *    Another git process changed it, which is a conflict.
 * H2 git moves the refs, all refs of one repository in one transaction, each from the value that the plan found. If git
 *    runs at the same moment, that is a conflict.
 * H3 The index is replaced under git's own lock, by a file that was complete before it got that name.
 * H4 Each step can be repeated, forward and backward: recovery does not know how far a dead process got.
 * H5 The objects that a ref or an index leads to are in the repository before that ref or index is.
 * H6 What a move leaves without a ref is durable in the store before the first ref moves
 *    (timeline/record/kept-commits.ts).
 */

import { findGap, findLostCommits, type LostCommits, writePacks } from '../git/bring-back.ts';
import { readBranch } from '../git/head.ts';
import {
  linkReason,
  positionOf,
  type RefUpdate,
  readOnlyReason,
  refOf,
  refsOf,
  samePosition,
} from '../git/head-moves.ts';
import { GitObjects } from '../git/objects.ts';
import { firstErrorLine, type Git } from '../git/program.ts';
import { type GitState, readRepository } from '../git/repository.ts';
import { findLinkOfObjects, findLinkOnWritePath } from '../git/write-paths.ts';
import { durableCreate, isTemporaryName, readEntireFile, syncFolder } from '../io/durable-write.ts';
import { isFsError, permissions } from '../io/fs.ts';
import { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { HeadPosition } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, diskChild, nameToJson, onDisk, textFromBytes } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { HeadStep } from './heads-file.ts';

export interface HeadsInput {
  readonly ports: Ports;
  /** The workspace's folder. */
  readonly root: DiskPath;
  readonly git: Git | null;
  /** Contains the indexes. */
  readonly objects: ObjectReader;
}

const NO_ID = '0'.repeat(40);
const MESSAGE = 'savepoint: restore';
const INDEX_MODE = 0o644;
const INDEX_BYTES = 1024 * 1024 * 1024;

/** @throws SavepointError CONFLICT, IO, GIT_REFUSED; some of the steps may have been done then */
export async function moveHeads(input: HeadsInput, steps: readonly HeadStep[]): Promise<void> {
  for (const step of steps) await moveOne(input, step);
}

/** Rolls back those of the steps that were done. */
export async function moveHeadsBack(input: HeadsInput, steps: readonly HeadStep[]): Promise<void> {
  for (const step of [...steps].reverse()) {
    const { path, before, after, refs, index } = step;
    const back: HeadStep = {
      path,
      before: after,
      after: before,
      refs: refs.map(({ name, from, to }) => ({ name, from: to, to: from })),
      bringsBack: false,
      index: index === null || index.before === null ? null : { before: index.after, after: index.before },
      // The repository had what its index named, and git does not drop that so soon.
      staged: [],
    };
    await moveOne(input, back);
  }
}

async function moveOne(input: HeadsInput, step: HeadStep): Promise<void> {
  const { ports, root, git } = input;
  const state = readRepository(ports.fs, onDisk(root, step.path));
  if (state === null || 'problem' in state) throw headConflictError(step, 'no longer exists');
  const never = readOnlyReason(state);
  if (never !== null) throw headConflictError(step, `cannot be written to: ${never}`);
  const refs = [...step.refs.map(({ name }) => name), ...refsOf(step.before, step.after)];
  const link =
    findLinkOnWritePath(ports.fs, { root, path: step.path }, state, refs) ??
    findLinkOfObjects(ports.fs, state, step.staged, step.bringsBack);
  if (link !== null) throw headConflictError(step, `cannot be written to: ${linkReason(link)}`);
  const updates = step.refs.filter((update) => isPendingUpdate(ports, state, step, update));
  const now = positionOf(state);
  if (now === null || !isBetween(now, step)) throw headConflictError(step, 'was moved by another process meanwhile'); // H1
  const detaches = step.after.branch === null && !samePosition(now, step.after);
  const attaches = step.after.branch !== null && now.branch !== step.after.branch;
  const commands = updates.map(updateCommand);
  if (detaches) commands.push(`option no-deref\0update HEAD\0${step.after.commit}\0${now.commit ?? NO_ID}\0`);
  if ((commands.length > 0 || attaches) && git === null) throw needsGitError(step);
  await bringBack(input, step, state);
  await writeStagedBlobs(input, step, state);
  if (git !== null && commands.length > 0) await updateRefs(git, state, step, commands);
  if (git !== null && attaches) {
    const branch = textFromBytes(refOf(step.after.branch ?? '')) ?? '';
    const done = await git.run(state, ['symbolic-ref', '-m', MESSAGE, 'HEAD', branch]);
    if (done.exit !== 0) throw headConflictError(step, `could not be moved (${firstErrorLine(done)})`);
  }
  if (step.index !== null) placeIndex(input, step, state, step.index.after, step.index.before);
}

/** Returns whether the ref still has to be moved. */
function isPendingUpdate(
  { fs }: Ports,
  { commonDir }: GitState,
  step: HeadStep,
  { name, from, to }: RefUpdate,
): boolean {
  const value = readBranch(fs, commonDir, name, NO_ID.length);
  if (value !== from && value !== to) throw headConflictError(step, 'was moved by another process meanwhile');
  return value !== to;
}

/** Between the two states, HEAD may be on the old branch while that branch or the new one has already moved. */
function isBetween(now: HeadPosition, { before, after, refs }: HeadStep): boolean {
  if (samePosition(now, before) || samePosition(now, after)) return true;
  return refs.some(({ name, to }) => now.branch !== null && refOf(now.branch) === name && now.commit === to);
}

/** H5 */
async function bringBack({ ports, git, objects }: HeadsInput, step: HeadStep, state: GitState): Promise<void> {
  const { commit } = step.after;
  if (!step.bringsBack || commit === null) return;
  if (git === null) throw needsGitError(step);
  const pace = new Pace(ports.clock);
  const own = new GitObjects(ports, state);
  let lost: LostCommits | null;
  try {
    lost = await findLostCommits(own, objects, commit, pace);
  } finally {
    own.close();
  }
  if (lost === null) throw headConflictError(step, `lacks objects of commit ${commit}`);
  const problem = (await writePacks(git, state, objects, lost.missing, pace)) ?? (await findGap(git, state, [commit]));
  if (problem !== null) throw headConflictError(step, `cannot store commit ${commit} again (${problem})`);
}

/** H5 */
async function writeStagedBlobs({ ports, git, objects }: HeadsInput, step: HeadStep, state: GitState): Promise<void> {
  if (step.staged.length === 0) return;
  const own = new GitObjects(ports, state);
  let missing: readonly ObjectId[];
  try {
    missing = step.staged.filter((id) => !own.has(id));
  } finally {
    own.close();
  }
  for (const id of missing) {
    if (git === null) throw needsGitError(step);
    const args = ['hash-object', '-t', 'blob', '-w', '--no-filters', '--stdin'];
    const done = await git.run(state, args, objects.read(id).data);
    if (done.exit === 0 && done.stdout.toString('latin1').trim() === id) continue;
    throw headConflictError(step, `cannot store staged content (${firstErrorLine(done)})`);
  }
}

function needsGitError({ path }: HeadStep): SavepointError {
  const message = 'git is required to restore a branch, but is not installed.';
  return new SavepointError('GIT_REFUSED', message, { repositories: [{ path: nameToJson(path), why: message }] });
}

function updateCommand({ name, from, to }: RefUpdate): string {
  return to === null ? `delete ${name}\0${from ?? NO_ID}\0` : `update ${name}\0${to}\0${from ?? NO_ID}\0`;
}

/** @param commands in the format of `git update-ref --stdin -z` */
async function updateRefs(git: Git, state: GitState, step: HeadStep, commands: readonly string[]): Promise<void> {
  const input = Buffer.from(commands.join(''), 'latin1');
  const done = await git.run(state, ['update-ref', '-m', MESSAGE, '--stdin', '-z'], input); // H2
  if (done.exit !== 0) throw headConflictError(step, `could not be moved (${firstErrorLine(done)})`);
}

/** @param known what the index may contain now; another process wrote anything else meanwhile */
function placeIndex(
  { ports: { fs }, objects }: HeadsInput,
  step: HeadStep,
  { gitDir }: GitState,
  wanted: ObjectId,
  known: ObjectId | null,
): void {
  const index = diskChild(gitDir, 'index');
  const lock = diskChild(gitDir, 'index.lock');
  const bytes = objects.read(wanted).data;
  removeLeftovers(fs, gitDir);
  const expected = known === null ? null : objects.read(known).data;
  const locked = fs.lstat(lock) === null ? null : readEntireFile(fs, lock, INDEX_BYTES);
  const isOurLock = locked?.equals(bytes) ?? false;
  // A process left this lock when it died while moving in the opposite direction.
  if (!isOurLock && expected !== null && locked?.equals(expected)) fs.unlink(lock);
  const stat = fs.lstat(index);
  const there = stat === null ? null : readEntireFile(fs, index, INDEX_BYTES);
  if (there?.equals(bytes)) {
    if (isOurLock) fs.unlink(lock);
    return;
  }
  if (there === null ? expected !== null : expected === null || !there.equals(expected)) {
    throw headConflictError(step, 'has an index that another process wrote meanwhile');
  }
  try {
    if (!isOurLock) durableCreate(fs, lock, bytes, stat === null ? INDEX_MODE : permissions(stat)); // H3
  } catch (error) {
    if (isFsError(error, 'EEXIST')) throw headConflictError(step, 'has an index that git is using');
    throw error;
  }
  fs.rename(lock, index);
  syncFolder(fs, gitDir);
}

/** Removes temporary files of a process that died while it made a lock. */
function removeLeftovers(fs: Ports['fs'], gitDir: DiskPath): void {
  for (const name of fs.list(gitDir)) {
    if (name.startsWith('index.lock.') && isTemporaryName(name)) fs.unlink(diskChild(gitDir, name));
  }
}

function headConflictError({ path }: HeadStep, why: string): SavepointError {
  const subject =
    path === '' ? 'The workspace’s repository' : `The repository ${JSON.stringify(textFromBytes(path) ?? path)}`;
  return new SavepointError(
    'CONFLICT',
    `${subject} ${why}.`,
    { paths: [{ path: nameToJson(path), why }] },
    { hint: 'Files and repositories were not changed. Run the preview again while git is not running.' },
  );
}
