/** Creates, finds and removes the forks of a workspace. */

import type { RewoundConversation } from '../../conversation/conversations.ts';
import type { CopyRung, DependencyPolicy, ForkWorktree } from '../../copy/copy.ts';
import { makeCopy } from '../../copy/open-copy.ts';
import { copiesIn, readCopyAt, removeCopyRecord } from '../../copy/records.ts';
import { stateOfCopy } from '../../copy/state-of-copy.ts';
import { type Fork, forkOf, freePort, isForkName } from '../../fork/fork.ts';
import { baseOf } from '../../fork/fork-base.ts';
import { endProcessesIn } from '../../fork/fork-processes.ts';
import { listForks, placesIn, usedPorts } from '../../fork/fork-records.ts';
import { stateInfo } from '../../fork/merge-fork.ts';
import { openFork, removeFilesOf, treeOf } from '../../fork/open-fork.ts';
import { type ForkCommand, startRun } from '../../fork/runs.ts';
import { assertBranchName, makeWorktrees, removeWorktrees } from '../../fork/worktrees.ts';
import { readRepository } from '../../git/repository.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { checkpointId } from '../../model/ids.ts';
import { type DiskPath, diskChild, isInside, onDisk, type TreePath } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import {
  deleteForkStates,
  type ForkState,
  forkStates,
  keepForkState,
  type StoredForkState,
  writeForkState,
} from '../../timeline/record/fork-states.ts';
import { conversationRefused, type PlannedConversation, planConversation } from '../calls/restore-conversation.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { makeRoom } from '../maintenance.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { captureBefore } from './capture-before.ts';

export interface CreateForkOptions extends CallOptions {
  /** A checkpoint, or `dropped:NAME` for a dropped fork. Default: the folder as it is now. */
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
  /** Runs in each fork, in the background. */
  readonly command?: ForkCommand;
  readonly rungs?: readonly CopyRung[];
  /** What the forks get of dependency folders. Default: from the settings, else `auto`. */
  readonly dependencies?: DependencyPolicy;
}

export interface CreatedFork {
  readonly fork: Fork;
  readonly files: DiskPath;
  readonly notes: readonly string[];
  /** How the conversation continues in it; null if none was to. */
  readonly conversation: RewoundConversation | null;
}

const DROPPED = 'dropped:';

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
      const used = usedPorts(ports, context.places.home);
      if (options.branch !== undefined) await assertBranchName(workspace, options.branch);
      const dropped = options.from?.startsWith(DROPPED) === true ? droppedFork(workspace, options.from) : null;
      await makeRoom(operating, 'all');
      const now = await captureBefore(engine, operating, options);
      const target = options.from === undefined || dropped !== null ? now : engine.resolve(workspace, options.from);
      const conversation = await conversationFor(engine, workspace, target, options);
      const start: Start = {
        now,
        checkpoint: target,
        state: dropped?.snapshot ?? target.snapshot,
        base: dropped?.base ?? target.snapshot,
      };
      const created: CreatedFork[] = [];
      try {
        for (const [index, name] of names.entries()) {
          const { branch } = options;
          const own = branch === undefined ? null : names.length === 1 ? branch : `${branch}-${index + 1}`;
          const port = freePort([...used, ...created.map(({ fork }) => fork.port)]);
          created.push(await createFork(operating, { name, branch: own, port, start, options }));
        }
        for (const [index, fork] of created.entries()) {
          if (conversation !== null) created[index] = { ...fork, conversation: await conversation.rewind(fork.files) };
        }
      } catch (error) {
        for (const { fork } of created) {
          removeCopyRecord(ports, fork.copy.place);
          await removeFiles(workspace, fork);
        }
        throw error;
      }
      for (const { fork } of created) {
        if (options.command !== undefined) await startRun(ports, fork, options.command);
      }
      return created;
    },
    'existing-or-new',
  );
}

/** @throws SavepointError UNKNOWN_FORK */
export function findFork(engine: Engine, context: Context, workspace: Workspace, name: string): Fork {
  const { forks } = listForks(engine.ports, context.places.home, workspace.id);
  const found = forks.find((fork) => fork.name === name);
  if (found !== undefined) return found;
  const known = [...forks.map((fork) => fork.name), ...droppedForks(workspace).map((one) => DROPPED + one.name)];
  throw new SavepointError('UNKNOWN_FORK', `There is no fork ${JSON.stringify(name)}.`, { name, known });
}

/** The last states of dropped forks, newest first. */
export function droppedForks({ store }: Workspace): readonly StoredForkState[] {
  return forkStates(store.objects, store.refs, 'own')
    .filter(({ kind }) => kind === 'dropped')
    .sort((a, b) => b.number - a.number);
}

/** Keeps the last state of a fork, then removes it. @returns what remains of it, for display */
export async function dropFork(
  engine: Engine,
  { workspace, lock, pace }: WriteOperationContext,
  fork: Fork,
): Promise<readonly string[]> {
  const { ports } = engine;
  await endProcessesIn(ports, fork.copy);
  const base = baseOf(workspace, fork).snapshot;
  const batch = workspace.store.objects.batch();
  try {
    const { snapshot } = await stateOfCopy(workspace, openFork(ports, fork), base, batch, pace);
    const info = stateInfo(fork, 'dropped', ports.clock.now());
    const commit = writeForkState(batch, { ...info, snapshot, base });
    await batch.finish();
    lock.assertHeld();
    keepForkState(workspace.store.refs, commit);
  } finally {
    batch.abandon();
  }
  removeCopyRecord(ports, fork.copy.place);
  return removeFiles(workspace, fork);
}

/**
 * Removes what processes that died left of forks: folders without a record, worktrees, and states of forks that do not
 * exist. The caller holds the lock, so no fork is being created.
 * @returns the ids of the copies
 */
export async function removeDebris(
  engine: Engine,
  { context, workspace }: WriteOperationContext,
): Promise<readonly string[]> {
  const { ports } = engine;
  const removed = new Set<string>();
  const places = new Set<string>(placesIn(ports, context.places.home));
  for (const state of statesOfForks(workspace.store)) {
    const place = copyPlace(context.places.home, state.copy);
    if (removed.has(state.copy) || (places.has(place) && hasRecord(ports, place))) continue;
    // The next copy may have removed the folder already, but not the worktrees.
    await removeFiles(workspace, await forkAsItWas(workspace, place, state));
    if (places.has(place)) removed.add(state.copy);
  }
  return [...removed];
}

/** A record that cannot be read is one. */
function hasRecord(ports: Engine['ports'], place: DiskPath): boolean {
  try {
    return readCopyAt(ports, place) !== null;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') return true;
    throw error;
  }
}

interface Start {
  readonly now: Checkpoint;
  readonly checkpoint: Checkpoint;
  readonly state: Snapshot;
  readonly base: Snapshot;
}

interface NewFork {
  readonly name: string;
  readonly branch: string | null;
  readonly port: number;
  readonly start: Start;
  readonly options: CreateForkOptions;
}

/** Null: none was asked for. @throws SavepointError USAGE, CONVERSATION_REFUSED */
async function conversationFor(
  engine: Engine,
  workspace: Workspace,
  target: Checkpoint,
  { conversation = false, session, from }: CreateForkOptions,
): Promise<PlannedConversation | null> {
  if (!conversation) return null;
  if (from === undefined || from.startsWith(DROPPED)) {
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

/** The fork exists once its copy does. What a process that dies before leaves is removed by `cleanForks`. */
async function createFork(operating: WriteOperationContext, given: NewFork): Promise<CreatedFork> {
  const { context, workspace, lock, pace } = operating;
  const { name, branch, port, start, options } = given;
  const { ports } = workspace;
  const more: string[] = [];
  const { copy, notes } = await makeCopy(
    {
      workspace,
      home: context.places.home,
      purpose: 'fork',
      now: start.now,
      base: start.checkpoint,
      state: start.state,
      name,
      dependencies: options.dependencies ?? context.effectiveSettings(workspace.root).copyDependencies,
      rungs: (options.rungs ?? ['reflink', 'copy']).filter((rung) => rung !== 'overlay'),
      isLong: true,
      completeFork: async ({ record, files }) => {
        const worktrees: ForkWorktree[] = [];
        const made = (): Fork => ({
          ...{ name, copy: record, checkpoint: start.checkpoint.id, branch, worktrees, port },
        });
        try {
          // First, so that a clean-up knows whose worktrees it finds.
          const state = { ...stateInfo(made(), 'base', ports.clock.now()), snapshot: start.base, base: null };
          await keepState(workspace, state);
          const roots = worktreeRoots(workspace, start.now, branch !== null);
          if (roots.length > 0) {
            more.push(...(await makeWorktrees(workspace, { tree: files, roots, branch }, worktrees)));
          }
          lock.assertHeld();
          return { branch, worktrees, port };
        } catch (error) {
          await removeFiles(workspace, made());
          throw error;
        }
      },
    },
    pace,
  );
  const fork = forkOf(copy.record);
  if (fork === null) throw new Error('the record of a fork says what the fork is');
  return { fork, files: copy.files, notes: [...notes, ...more], conversation: null };
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

/** What the store keeps of forks that exist. */
function statesOfForks({ objects, refs }: Workspace['store']): readonly StoredForkState[] {
  return [...forkStates(objects, refs, 'own'), ...forkStates(objects, refs, 'merged')].filter(
    ({ kind }) => kind !== 'dropped',
  );
}

/** Removes the files of a fork that no longer exists, and what the store keeps of it apart from its last state. */
async function removeFiles(workspace: Workspace, fork: Fork): Promise<readonly string[]> {
  const { ports, store } = workspace;
  await endProcessesIn(ports, fork.copy);
  removeFilesOf(ports, fork, 'tree');
  const notes = await removeWorktrees(workspace, treeOf(fork), fork.worktrees, fork.branch);
  removeFilesOf(ports, fork, 'place');
  const states = statesOfForks(store);
  deleteForkStates(
    store.refs,
    states.filter(({ copy }) => copy === fork.copy.id),
  );
  return notes;
}

/** A half removed fork: its worktrees are those that the repositories still name. */
async function forkAsItWas({ id, root, timeline }: Workspace, place: DiskPath, state: ForkState): Promise<Fork> {
  const latest = timeline.latest();
  const roots = (latest?.roots ?? []).filter(({ kind, commit }) => kind === 'repository' && commit !== null);
  return {
    name: state.name,
    copy: {
      id: state.copy,
      purpose: 'fork',
      rung: 'copy',
      workspace: id,
      root,
      place,
      base: checkpointId(state.checkpoint),
      created: state.time,
      name: state.name,
      owner: null,
      holder: null,
      bytes: 0,
      fork: null,
      hasLinkedPackages: false,
    },
    checkpoint: checkpointId(state.checkpoint),
    branch: state.branch,
    worktrees: roots.map(({ path, commit }) => ({ path, commit: commit ?? '', createdBranch: false })),
    port: 1,
  };
}

function copyPlace(home: DiskPath, id: string): DiskPath {
  return diskChild(copiesIn(home), id);
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
  const name = from.slice(DROPPED.length);
  const all = droppedForks(workspace);
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = all.map((one) => DROPPED + one.name);
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
      throw new SavepointError('USAGE', `There is already a fork ${name}.`, { argument: 'name' });
    }
    taken.add(name);
  }
}
