/** Finds and removes the forks of a workspace. */

import { treeIn } from '../../copy/folder/folder-copy.ts';
import { copiesIn, readCopyAt, removeCopyRecord } from '../../copy/records.ts';
import { stateOfCopy } from '../../copy/state-of-copy.ts';
import { commitsOfFork, detachedCommits, detachedNotes, lostNotes } from '../../fork/commits-of-fork.ts';
import type { Fork } from '../../fork/fork.ts';
import { baseOf } from '../../fork/fork-base.ts';
import { endProcessesIn } from '../../fork/fork-processes.ts';
import { listForks, placesIn } from '../../fork/fork-records.ts';
import { lastRecorded } from '../../fork/last-recorded.ts';
import { stateInfo } from '../../fork/merge-fork.ts';
import { isGone, lookAtFork, removeFilesOf } from '../../fork/open-fork.ts';
import { runningIn } from '../../fork/runs.ts';
import { removeWorktrees } from '../../fork/worktrees.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { checkpointId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { isDamage } from '../../store/objects/damage.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import {
  deleteForkStates,
  type ForkState,
  forkStates,
  keepForkState,
  type StoredForkState,
  writeForkState,
} from '../../timeline/record/fork-states.ts';
import { droppedForkStates } from '../../timeline/retention/dropped-forks.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import type { WriteOperationContext } from '../write-context.ts';

/** How the state of a dropped fork is named. */
export const DROPPED = 'dropped:';

/** The last state of a dropped fork, with what `--from` takes for it. */
export interface DroppedFork {
  /** `dropped:NAME`; `dropped:NAME~1` if the newest fork of that name is another, and so on. */
  readonly from: string;
  readonly state: StoredForkState;
}

/** Newest first. */
export function droppedForks(workspace: Workspace): readonly DroppedFork[] {
  const seen = new Map<string, number>();
  return droppedForkStates(workspace).map((state) => {
    const newer = seen.get(state.name) ?? 0;
    seen.set(state.name, newer + 1);
    return { from: `${DROPPED}${state.name}${newer === 0 ? '' : `~${newer}`}`, state };
  });
}

/** @throws SavepointError UNKNOWN_FORK */
export function findFork(engine: Engine, context: Context, workspace: Workspace, name: string): Fork {
  const { forks } = listForks(engine.ports, context.places.home, workspace.id);
  const found = forks.find((fork) => fork.name === name);
  if (found !== undefined) return found;
  const known = [...forks.map((fork) => fork.name), ...droppedForks(workspace).map(({ from }) => from)];
  throw new SavepointError('UNKNOWN_FORK', `There is no fork ${JSON.stringify(name)}.`, { name, known });
}

/**
 * Keeps the last state of a fork, then removes it.
 * @param isForced also with commits that nothing else has
 * @returns what remains of it, for display
 */
export async function dropFork(
  engine: Engine,
  { workspace, lock, pace }: WriteOperationContext,
  fork: Fork,
  isForced = false,
): Promise<readonly string[]> {
  const { ports } = engine;
  await endProcessesIn(ports, fork.copy);
  const base = baseOf(workspace, fork).snapshot;
  const detached = [
    ...detachedNotes(fork, await detachedCommits(workspace, fork)),
    ...(isForced && !isGone(ports, fork) ? await lostCommitNotes(workspace, fork, pace) : []),
  ];
  const batch = workspace.store.objects.batch();
  const notes = [...detached];
  try {
    let snapshot: Snapshot;
    if (isGone(ports, fork)) {
      const last = await lastRecorded(workspace, fork, base, batch, pace);
      snapshot = last.snapshot;
      notes.push(`${fork.name}: ${last.note}`);
    } else {
      const state = await lookAtFork(workspace, fork, (copy) => stateOfCopy(workspace, copy, base, batch, pace));
      snapshot = state.snapshot;
    }
    const info = stateInfo(fork, 'dropped', ports.clock.now());
    const commit = writeForkState(batch, { ...info, snapshot, base });
    await batch.finish();
    lock.assertHeld();
    keepForkState(workspace.store.refs, commit);
  } finally {
    batch.abandon();
  }
  removeCopyRecord(ports, fork.copy.place);
  return [...notes, ...(await removeFiles(workspace, fork))];
}

/** Drops the forks of the workspace whose folder is gone and in which no command runs. */
export async function dropGoneForks(
  engine: Engine,
  operating: WriteOperationContext,
): Promise<{ readonly dropped: readonly Fork[]; readonly notes: readonly string[] }> {
  const { ports } = engine;
  const { context, workspace } = operating;
  const dropped: Fork[] = [];
  const notes: string[] = [];
  for (const fork of listForks(ports, context.places.home, workspace.id).forks) {
    if (!isGone(ports, fork) || runningIn(ports, fork) !== null) continue;
    notes.push(...(await dropFork(engine, operating, fork)));
    dropped.push(fork);
  }
  return { dropped, notes };
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

/** Removes the files of a fork that no longer exists, and what the store keeps of it apart from its last state. */
export async function removeFiles(workspace: Workspace, fork: Fork): Promise<readonly string[]> {
  const { ports, store } = workspace;
  await endProcessesIn(ports, fork.copy);
  removeFilesOf(workspace, fork, 'tree');
  const { notes, isComplete } = await removeWorktrees(workspace, treeIn(fork.copy.place), fork.worktrees, fork.branch);
  removeFilesOf(workspace, fork, 'place');
  // With the states, the next clean-up finds what git has kept.
  if (!isComplete) return notes;
  const states = statesOfForks(store);
  deleteForkStates(
    store.refs,
    states.filter(({ copy }) => copy === fork.copy.id),
  );
  return notes;
}

/** What is gone: a dropped fork keeps its files, and not the commits that only its own repository has. */
async function lostCommitNotes(
  workspace: Workspace,
  fork: Fork,
  pace: WriteOperationContext['pace'],
): Promise<readonly string[]> {
  try {
    const { commits, problems } = await commitsOfFork(workspace, fork, pace);
    return lostNotes(commits, problems);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return ['its repository cannot be read, so it is not known whether it had commits'];
  }
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

/** What the store keeps of forks that exist. */
function statesOfForks({ objects, refs }: Workspace['store']): readonly StoredForkState[] {
  return [...forkStates(objects, refs, 'own'), ...forkStates(objects, refs, 'merged')].filter(
    ({ kind }) => kind !== 'dropped',
  );
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
      below: null,
      fork: null,
      hasLinkedPackages: false,
      plan: null,
    },
    checkpoint: checkpointId(state.checkpoint),
    branch: state.branch,
    worktrees: roots.map(({ path, commit }) => ({ path, commit: commit ?? '', createdBranch: false })),
    port: 1,
    plan: null,
    planFingerprint: null,
  };
}

function copyPlace(home: DiskPath, id: string): DiskPath {
  return diskChild(copiesIn(home), id);
}
