/** Creates forks: several share one capture, and overlays one copy of the files. */

import { showName, showText } from '../../content/show-name.ts';
import type { RewoundConversation } from '../../conversation/conversations.ts';
import type { CopyRecord, CopyRung, DependencyPolicy, ForkRecord, ForkWorktree, PlanInCopy } from '../../copy/copy.ts';
import { type FolderBelow, makeCopy, makeFolderBelow } from '../../copy/open-copy.ts';
import { whyNoKeptOverlay } from '../../copy/overlay/kept-overlay.ts';
import { outerRepositories } from '../../copy/overlay/outer-repositories.ts';
import { beginCopy, makeCopiesFolder, removeCopyRecord } from '../../copy/records.ts';
import { type Fork, forkOf, freePort, isForkName } from '../../fork/fork.ts';
import { listForks, usedPorts } from '../../fork/fork-records.ts';
import { giveSettings } from '../../fork/fork-settings.ts';
import { stateInfo } from '../../fork/merge-fork.ts';
import { folderOf } from '../../fork/open-fork.ts';
import { type ForkCommand, startRun } from '../../fork/runs.ts';
import { assertBranchName, makeWorktrees } from '../../fork/worktrees.ts';
import { readRepository } from '../../git/repository.ts';
import { syncTree } from '../../io/sync-tree.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { type Checkpoint, repositoriesOf } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { PLAN_ID } from '../../model/ids.ts';
import { type DiskPath, isInside, onDisk, type TreePath } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import {
  type ForkState,
  keepForkState,
  type StoredForkState,
  writeForkState,
} from '../../timeline/record/fork-states.ts';
import { conversationRefused, type PlannedConversation, planConversation } from '../calls/restore-conversation.ts';
import type { Engine } from '../engine.ts';
import { makeRoom } from '../maintenance.ts';
import { planInFork } from '../plans/plan-in-fork.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { captureBefore } from './capture-before.ts';
import { assertCopiesFit } from './copy-limit.ts';
import { DROPPED, droppedForks, removeFiles } from './forks.ts';

export interface CreateForkOptions extends CallOptions {
  /**
   * A checkpoint; the id of an approved plan: the folder with the plan; or `dropped:NAME` for a dropped fork
   * (`dropped:NAME~1` for the one before of that name). Default: the folder as it is now.
   */
  readonly from?: string;
  /** Each repository becomes a worktree on this branch. With several forks, `-1`, `-2`, … are appended. */
  readonly branch?: string;
  /**
   * The conversation of the agent that was active there is copied, up to the place of the checkpoint `from`, so that it can be
   * continued in the fork.
   */
  readonly conversation?: boolean;
  /** Whose conversation: the id of a session, or a unique beginning. Default: the only one since. */
  readonly session?: string;
  /** Runs in each fork, in the background. Without a branch, the fork is then an overlay where that is possible. */
  readonly command?: ForkCommand;
  readonly rungs?: readonly CopyRung[];
  /** What the forks get of dependency folders. Default: from the settings, else `auto`. With `link`, they are folders. */
  readonly dependencies?: DependencyPolicy;
}

export interface CreatedFork {
  readonly fork: Fork;
  /** Null for an overlay. */
  readonly files: DiskPath | null;
  readonly notes: readonly string[];
  /** How the conversation continues in it; null if none was to. */
  readonly conversation: RewoundConversation | null;
}

/** @param names of the forks, all of which are created or none */
export async function createForks(
  engine: Engine,
  names: readonly string[],
  options: CreateForkOptions,
): Promise<readonly CreatedFork[]> {
  return engine.operate(
    options,
    async (operating) => {
      const { context, workspace } = operating;
      const { ports } = engine;
      const existing = listForks(ports, context.places.home, workspace.id).forks;
      assertNewNames(names, existing);
      const { branch, command } = options;
      if (branch !== undefined) await assertBranchName(workspace, branch);
      const dropped = options.from?.startsWith(DROPPED) === true ? droppedFork(workspace, options.from) : null;
      await makeRoom(operating, 'all');
      const { from } = options;
      const planned =
        from !== undefined && PLAN_ID.test(from) ? await planInFork(engine, operating, from, options) : null;
      const now = planned?.now ?? (await captureBefore(engine, operating, options));
      const isNow = from === undefined || dropped !== null || planned !== null;
      const target = isNow ? now : engine.resolve(workspace, from);
      const conversation = await conversationFor(engine, workspace, target, options);
      const start: Start = {
        now,
        checkpoint: target,
        state: planned?.state ?? dropped?.snapshot ?? target.snapshot,
        plan: planned === null ? null : { plan: planned.plan, revision: planned.revision },
        planFingerprint: planned?.fingerprint ?? null,
        base: dropped?.base ?? target.snapshot,
      };
      const used = [...usedPorts(ports, context.places.home)];
      const wanted = names.map((name, index): NewFork => {
        const port = freePort(used);
        used.push(port);
        if (branch === undefined && names.length === 1 && dropped !== null && dropped.branch !== null)
          return { name, port, branch: dropped.branch, isOwnBranch: true };
        const given = branch === undefined || names.length === 1 ? (branch ?? null) : `${branch}-${index + 1}`;
        return { name, port, branch: given, isOwnBranch: false };
      });
      const created: CreatedFork[] = [];
      try {
        await create(operating, wanted, start, options, created);
        assertCopiesFit(operating, new Set(created.map(({ fork }) => fork.copy.id)));
        for (const [index, { files, ...fork }] of created.entries()) {
          if (conversation === null || files === null) continue;
          created[index] = { ...fork, files, conversation: await conversation.rewind(files) };
        }
        if (command !== undefined) for (const { fork } of created) await startRun(workspace, fork, command);
        return created;
      } catch (error) {
        for (const { fork } of created) {
          removeCopyRecord(ports, fork.copy.place);
          await removeFiles(workspace, fork);
        }
        throw error;
      }
    },
    'existing-or-new',
  );
}

/** Null: none was asked for. @throws SavepointError USAGE, CONVERSATION_REFUSED */
async function conversationFor(
  engine: Engine,
  workspace: Workspace,
  target: Checkpoint,
  { conversation = false, session, from }: CreateForkOptions,
): Promise<PlannedConversation | null> {
  if (!conversation) return null;
  if (from === undefined || from.startsWith(DROPPED) || PLAN_ID.test(from)) {
    throw new SavepointError(
      'USAGE',
      'A conversation in a fork starts at a checkpoint.',
      { argument: 'from' },
      { hint: 'Name one with --from, for example `--from @prompt`.' },
    );
  }
  const planned = await planConversation(engine, workspace, target, session, 'in-copy');
  if (!planned.plan.isPossible) throw conversationRefused(planned);
  return planned;
}

interface Start {
  readonly now: Checkpoint;
  readonly checkpoint: Checkpoint;
  readonly state: Snapshot;
  readonly base: Snapshot;
  /** The plan that `state` has; null: it has none. */
  readonly plan: PlanInCopy | null;
  readonly planFingerprint: string | null;
}

interface NewFork {
  readonly name: string;
  readonly branch: string | null;
  /** It continues a dropped fork on the branch of that one. */
  readonly isOwnBranch: boolean;
  readonly port: number;
}

/** @param created receives the forks as they come to exist */
async function create(
  operating: WriteOperationContext,
  wanted: readonly NewFork[],
  start: Start,
  options: CreateForkOptions,
  created: CreatedFork[],
): Promise<void> {
  const why = await whyNoOverlays(operating, start, options);
  if (why === null) {
    await createOverlays(operating, wanted, start, options, created);
    return;
  }
  for (const [index, one] of wanted.entries()) {
    const { notes, ...made } = await createFolderOrPlain(operating, one, start, options);
    // Once is enough.
    const more = index === 0 && options.command !== undefined ? [`each fork is a folder: ${why}`] : [];
    created.push({ ...made, notes: [...more, ...notes] });
  }
}

/** @returns null if the forks can be overlays */
async function whyNoOverlays(
  operating: WriteOperationContext,
  { now, base, state, plan }: Start,
  options: CreateForkOptions,
): Promise<string | null> {
  const { branch, command, rungs, conversation = false } = options;
  const { context, workspace } = operating;
  const { ports, searchPath, root } = workspace;
  if (command === undefined) return 'people work in it';
  if (rungs?.includes('overlay') === false) return 'no overlay was asked for';
  if (conversation) return 'the conversation names its folder';
  if (branch !== undefined) return 'git must find a worktree';
  if (base !== state) return plan === null ? 'it continues a dropped fork' : 'it starts with a plan';
  // An overlay covers the packages that the links would lead to.
  if (dependenciesFor(operating, options) === 'link') return 'its packages are links to those of the workspace';
  const repositories = repositoriesOf(now.roots);
  const [outer] = outerRepositories(ports.fs, root, repositories);
  // It goes on changing, and must not do so below an overlay that is used for long.
  if (outer !== undefined) return `the repository ${showName(outer.path)} is outside of the folder`;
  const why = await whyNoKeptOverlay(ports, searchPath, root, makeCopiesFolder(ports, context.places.home));
  return why === null ? null : `no overlay is possible: ${why}`;
}

/** Their files are copied once. What each of them changes is above. */
async function createOverlays(
  operating: WriteOperationContext,
  wanted: readonly NewFork[],
  start: Start,
  options: CreateForkOptions,
  created: CreatedFork[],
): Promise<void> {
  const { context, workspace, pace } = operating;
  const { ports, searchPath, root, id: workspaceId } = workspace;
  const { home } = context.places;
  const dependencies = dependenciesFor(operating, options) === 'none' ? 'none' : 'all';
  const below = await makeFolderBelow({ workspace, home, now: start.now, state: start.state, dependencies }, pace);
  try {
    await syncTree(ports, searchPath, root, below.place);
    for (const one of wanted) {
      const making = beginCopy(ports, home);
      const { id, place } = making;
      const record: CopyRecord = {
        ...{ id, place, root, workspace: workspaceId, purpose: 'fork', rung: 'overlay', base: start.checkpoint.id },
        ...{ created: ports.clock.now(), name: one.name, owner: null, holder: null, below: below.id, fork: null },
        hasLinkedPackages: false,
        plan: start.plan,
        bytes: below.bytes,
      };
      try {
        const fork = await completeFork(operating, { ...one, record, start, tree: null, notes: [] });
        making.publish({ ...record, fork });
        created.push(createdFork({ ...record, fork }, []));
      } catch (error) {
        making.abandon();
        throw error;
      }
    }
    below.complete();
  } catch (error) {
    abandonBelow(below, created.length);
    throw error;
  }
}

/** Forks that exist already need it until they are removed. */
function abandonBelow(below: FolderBelow, users: number): void {
  if (users === 0) below.abandon();
  else below.complete();
}

/** A dropped fork comes back even if its branch is used elsewhere. */
async function createFolderOrPlain(
  operating: WriteOperationContext,
  wanted: NewFork,
  start: Start,
  options: CreateForkOptions,
): Promise<CreatedFork> {
  const { name, branch, isOwnBranch } = wanted;
  try {
    return await createFolder(operating, wanted, start, options);
  } catch (error) {
    const isRefused = error instanceof SavepointError && error.code === 'GIT_REFUSED';
    if (!isOwnBranch || branch === null || !isRefused) throw error;
    const made = await createFolder(operating, { ...wanted, branch: null, isOwnBranch: false }, start, options);
    const why = `it has its files, and not its branch ${showText(branch)}: ${error.message}`;
    const how = `To have one: \`savepoint fork drop ${name}\`, then create it with --branch`;
    return { ...made, notes: [`${why} ${how}`, ...made.notes] };
  }
}

async function createFolder(
  operating: WriteOperationContext,
  wanted: NewFork,
  start: Start,
  options: CreateForkOptions,
): Promise<CreatedFork> {
  const { rungs = ['reflink', 'copy'] } = options;
  const { context, workspace, pace } = operating;
  const more: string[] = [];
  const { copy, notes } = await makeCopy(
    {
      workspace,
      home: context.places.home,
      purpose: 'fork',
      now: start.now,
      base: start.checkpoint,
      state: start.state,
      name: wanted.name,
      ...(start.plan === null ? {} : { plan: start.plan }),
      dependencies: dependenciesFor(operating, options),
      rungs: rungs.filter((rung) => rung !== 'overlay'),
      completeFork: ({ record, files }) =>
        completeFork(operating, { ...wanted, record, start, tree: files, notes: more }),
    },
    pace,
  );
  return createdFork(copy.record, [...notes, ...more]);
}

function dependenciesFor(
  { context, workspace }: WriteOperationContext,
  { dependencies }: CreateForkOptions,
): DependencyPolicy {
  return dependencies ?? context.effectiveSettings(workspace.root).copyDependencies;
}

function createdFork(copy: CopyRecord, notes: readonly string[]): CreatedFork {
  const fork = forkOf(copy);
  if (fork === null) throw new Error('the record of a fork says what the fork is');
  return { fork, files: folderOf(fork), notes, conversation: null };
}

interface Completion extends NewFork {
  readonly record: CopyRecord;
  readonly start: Start;
  /** Its folder; null for an overlay. */
  readonly tree: DiskPath | null;
  /** Receives why repositories did not become worktrees. */
  readonly notes: string[];
}

/**
 * What a fork has outside of its folder, before it exists. What a process that dies before it does leaves is removed by
 * `cleanForks`.
 */
async function completeFork(
  { context, workspace, lock }: WriteOperationContext,
  { name, branch, isOwnBranch, port, record, start, tree, notes }: Completion,
): Promise<ForkRecord> {
  const worktrees: ForkWorktree[] = [];
  const made = (): Fork => ({
    ...{ name, copy: record, checkpoint: start.checkpoint.id, branch, worktrees, port },
    plan: start.plan?.plan ?? null,
    planFingerprint: start.planFingerprint,
  });
  try {
    giveSettings(workspace.ports, context.places.home, record.place);
    // First, so that a clean-up knows whose worktrees it finds.
    const time = workspace.ports.clock.now();
    await keepState(workspace, { ...stateInfo(made(), 'base', time), snapshot: start.base, base: null });
    const roots = tree === null ? [] : worktreeRoots(workspace, start.now, branch !== null);
    if (tree !== null && roots.length > 0) {
      notes.push(...(await makeWorktrees(workspace, { tree, roots, branch, isOwnBranch }, worktrees)));
    }
    // A power cut must not leave a fork with half of its files.
    if (tree !== null) await syncTree(workspace.ports, workspace.searchPath, workspace.root, tree);
    lock.assertHeld();
    return { branch, worktrees, port, plan: start.plan?.plan ?? null, planFingerprint: start.planFingerprint };
  } catch (error) {
    await removeFiles(workspace, made());
    throw error;
  }
}

/** A repository whose `.git` file leads out of the folder must not be shared: git in the fork would move its branch. */
function worktreeRoots({ ports, root }: Workspace, { roots }: Checkpoint, all: boolean): readonly TreePath[] {
  return roots
    .filter(({ kind }) => kind === 'repository')
    .map(({ path }) => path)
    .filter((path) => {
      if (all) return true;
      const found = readRepository(ports.fs, onDisk(root, path));
      return found !== null && !('problem' in found) && !isInside(found.gitDir, root);
    });
}

async function keepState({ store }: Workspace, state: ForkState): Promise<void> {
  const batch = store.objects.batch();
  try {
    const commit = writeForkState(batch, state);
    await batch.finish();
    keepForkState(store.refs, commit);
  } finally {
    batch.abandon();
  }
}

function droppedFork(workspace: Workspace, from: string): StoredForkState {
  const all = droppedForks(workspace);
  const found = all.find((one) => one.from === from);
  if (found !== undefined) return found.state;
  const name = from.slice(DROPPED.length);
  const known = all.map((one) => one.from);
  throw new SavepointError('UNKNOWN_FORK', `There is no dropped fork ${JSON.stringify(name)}.`, { name, known });
}

function assertNewNames(names: readonly string[], existing: readonly Fork[]): void {
  const taken = new Set(existing.map(({ name }) => name));
  for (const name of names) {
    if (!isForkName(name)) {
      throw new SavepointError(
        'USAGE',
        `${JSON.stringify(name)} cannot be the name of a fork.`,
        { argument: 'name' },
        { hint: 'Use letters, digits, "-", "_" and single dots, at most 64.' },
      );
    }
    if (taken.has(name)) {
      throw new SavepointError(
        'USAGE',
        `There is already a fork ${name}.`,
        { argument: 'name' },
        { hint: 'Use another name. `savepoint fork list` shows the forks.' },
      );
    }
    taken.add(name);
  }
}
