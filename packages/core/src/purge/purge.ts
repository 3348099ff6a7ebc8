/**
 * Removes the content of some paths from everything in the store. It is the only exception to the rule "a checkpoint is
 * never rewritten".
 *
 * P1 A checkpoint keeps its number, its `previous` and the ids of its changes. Only its commit is replaced. In the
 *    snapshot, a purged path is marked as not captured, so that no restore touches the existing file. Its changes stay
 *    in the list, with the all-zero id in place of their contents.
 * P2 Data outside the timeline is removed first. Then one rename moves all refs to the new commits. If the process dies
 *    before it, the old timeline remains; if it dies after it, the new one. Running the same purge again completes the
 *    rest.
 * P3 Only objects that are unreachable after that are swept.
 * P4 The purge is complete only when a search of the whole store finds nothing.
 */

import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId, ObjectId } from '../model/ids.ts';
import { nameToJson, type TreePath } from '../model/names.ts';
import type { HeldLock } from '../store/lock.ts';
import { purgePaths } from '../store/snapshot/purge-paths.ts';
import { removeTraces, syncFolderTree } from '../store/state/traces.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { forkCommits, purgeForkStates } from '../timeline/record/fork-states.ts';
import { dropKept, tidyShallow } from '../timeline/record/kept-commits.ts';
import { planCommits, purgePlans, readPlans } from '../timeline/record/plan-records.ts';
import { writeCheckpoint } from '../timeline/record/timeline.ts';
import { reachable } from '../timeline/retention/reachable.ts';
import { purgeBackups } from '../transaction/backups.ts';
import { findContents } from './contents.ts';
import { RecordedIndexes } from './indexes.ts';
import { recordWithout } from './record.ts';
import { type Leftover, type SearchTotals, searchStore } from './search.ts';
import { Secrets } from './secrets.ts';

/** What a purge would affect. */
export interface PurgePreview {
  /** Checkpoints that contain one of the paths, or mention its content. */
  readonly checkpoints: readonly CheckpointId[];
  /** The number of contents to remove. */
  readonly contents: number;
  /** Other paths with the same bytes. They keep them. */
  readonly sameBytes: readonly TreePath[];
}

export interface PurgeResult extends PurgePreview {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** What was searched to prove it. */
  readonly searched: SearchTotals;
}

/** @throws SavepointError STORE_DAMAGED if a checkpoint cannot be read, because its content is unknown */
export async function previewPurge(
  workspace: Workspace,
  paths: readonly TreePath[],
  pace: Pace,
): Promise<PurgePreview> {
  const { objects } = workspace.store;
  const task = await preparePurge(workspace, paths, pace);
  const batch = objects.batch();
  try {
    const rewritten = await rewriteCheckpoints(batch, task, pace);
    return previewOf(task, rewritten);
  } finally {
    batch.abandon();
  }
}

/**
 * The caller holds the lock, and no operation is pending.
 * @param paths including everything below them
 * @throws SavepointError STORE_DAMAGED as for the preview; PURGE_INCOMPLETE if any content is left afterwards
 */
export async function purge(
  workspace: Workspace,
  lock: HeldLock,
  paths: readonly TreePath[],
  pace: Pace,
): Promise<PurgeResult> {
  const { ports, store, timeline } = workspace;
  const task = await preparePurge(workspace, paths, pace);
  const { purged, secrets } = task;
  const batch = store.objects.batch();
  let rewritten: readonly RewrittenCheckpoint[];
  let proposals: ReadonlyMap<ObjectId, ObjectId>;
  try {
    rewritten = await rewriteCheckpoints(batch, task, pace);
    proposals = new Map([
      ...purgeForkStates(batch, store.refs, paths),
      ...purgePlans(batch, store.refs, paths, (text) => secrets.isMentionedIn(text)),
    ]);
    pace.throwIfCancelled();
    if (rewritten.length + proposals.size > 0) await batch.finish();
  } finally {
    batch.abandon();
  }
  lock.assertHeld();
  purgeBackups(ports, store.layout, workspace.root, paths, purged); // P2
  removeTraces(ports, store.layout, paths, (text) => secrets.isMentionedIn(text));
  const moved = new Map([...rewritten.map(({ from, to }) => [from.commit, to] as const), ...proposals]);
  if (moved.size > 0) store.refs.moveAll(moved);
  // Objects kept from repositories may include the same contents. An undo works without them.
  dropKept(store.refs, () => true);
  const commits = [
    ...timeline.list().map(({ commit }) => commit),
    ...forkCommits(store.refs),
    ...planCommits(store.refs),
  ];
  const live = await reachable(store.objects, commits, pace);
  const swept = await store.objects.consolidate({
    live: (id) => live.has(id), // P3
    // A pack adopted from a repository may be large.
    anySize: true,
    pace,
    assertHeld: () => lock.assertHeld(),
  });
  tidyShallow(workspace);
  syncFolderTree(ports.fs, store.layout.path);
  const { leftovers, ...searched } = await searchStore(workspace, purged, secrets, pace);
  if (leftovers.length > 0) throw incompleteError(leftovers); // P4
  const { bytesBefore, bytesAfter } = swept;
  return { ...previewOf(task, rewritten), bytesBefore, bytesAfter, searched };
}

/** What to purge, and from which checkpoints. */
interface PurgeTask {
  readonly checkpoints: readonly Checkpoint[];
  readonly paths: readonly TreePath[];
  /** Contents that were only ever at these paths. */
  readonly purged: ReadonlySet<ObjectId>;
  readonly sameBytes: readonly TreePath[];
  readonly secrets: Secrets;
}

interface RewrittenCheckpoint {
  readonly from: Checkpoint;
  readonly to: ObjectId;
}

function previewOf({ purged, sameBytes }: PurgeTask, rewritten: readonly RewrittenCheckpoint[]): PurgePreview {
  return { checkpoints: rewritten.map(({ from }) => from.id), contents: purged.size, sameBytes };
}

function allCheckpoints({ timeline }: Workspace): readonly Checkpoint[] {
  timeline.assertComplete();
  const { checkpoints, damaged } = timeline.readAll();
  if (damaged[0] !== undefined) throw damaged[0].error;
  return checkpoints;
}

async function preparePurge(workspace: Workspace, paths: readonly TreePath[], pace: Pace): Promise<PurgeTask> {
  const { store } = workspace;
  const checkpoints = allCheckpoints(workspace);
  const { plans, damaged } = readPlans(store.objects, store.refs);
  if (damaged[0] !== undefined) throw damaged[0].error;
  const proposed = plans.flatMap((plan) => [plan.before, plan.proposed]);
  const states = [...checkpoints, ...proposed.map((snapshot) => ({ snapshot, changes: [], roots: [] }))];
  const { contents, elsewhere } = await findContents(store.objects, states, paths, pace);
  const stay = new Set(elsewhere.map(({ id }) => id));
  const purged = new Set([...contents].filter((id) => !stay.has(id)));
  const sameBytes = [...new Set(elsewhere.map(({ path }) => path))].sort();
  return { checkpoints, paths, purged, sameBytes, secrets: new Secrets(store.objects, purged) };
}

async function rewriteCheckpoints(
  batch: Parameters<typeof purgePaths>[0],
  { checkpoints, paths, purged, secrets }: PurgeTask,
  pace: Pace,
): Promise<readonly RewrittenCheckpoint[]> {
  const rewritten: RewrittenCheckpoint[] = [];
  const indexes = new RecordedIndexes(batch, paths, purged);
  for (const [index, checkpoint] of checkpoints.entries()) {
    if (pace.isDue()) await pace.yieldNow({ phase: 'purge', done: index, total: checkpoints.length });
    const snapshot = purgePaths(batch, checkpoint.snapshot, paths);
    const record = indexes.withoutPurged(recordWithout(checkpoint, paths, secrets));
    if (snapshot === checkpoint.snapshot && record === checkpoint) continue;
    rewritten.push({ from: checkpoint, to: writeCheckpoint(batch, record, snapshot).commit });
  }
  return rewritten;
}

function incompleteError(left: readonly Leftover[]): SavepointError {
  const [first] = left;
  const more = left.length === 1 ? '' : `, and ${left.length - 1} more`;
  return new SavepointError(
    'PURGE_INCOMPLETE',
    `Purged content is still in the store, or may be: ${first?.where} (${first?.what})${more}.`,
    {
      left: left.map(({ where, what }) => ({ where: nameToJson(where), what })),
    },
  );
}
