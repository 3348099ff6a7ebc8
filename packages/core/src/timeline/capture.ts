/** From the workspace as it is now to a checkpoint on its timeline. */

import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type {
  Actor,
  CaptureRules,
  Checkpoint,
  ConversationPosition,
  TestResult,
  Trigger,
} from '../model/checkpoint.ts';
import { type CheckpointId, EMPTY_TREE, type ObjectId, type WorkspaceId } from '../model/ids.ts';
import type { DiskPath } from '../model/names.ts';
import { ensureCache, type OpenStore } from '../store/layout.ts';
import type { HeldLock } from '../store/lock.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { OverlayBatch } from '../store/overlay.ts';
import { OwnPaths, ownPaths } from '../store/own-paths.ts';
import { PathSet } from '../workspace/path-set.ts';
import { type ScanResult, scan } from '../workspace/scan.ts';
import { loadStatCache, StatCache, saveStatCache } from '../workspace/stat-cache.ts';
import { listChanges } from './changes.ts';
import { describe } from './describe.ts';
import { type CheckpointRef, readCheckpoint, type Timeline, writeCheckpoint } from './timeline.ts';

/** One workspace, opened for work. */
export interface Workspace {
  readonly ports: Ports;
  readonly id: WorkspaceId;
  readonly root: DiskPath;
  readonly store: OpenStore;
  readonly timeline: Timeline;
  readonly rules: CaptureRules;
  readonly globalIgnore: DiskPath | null;
  /** Numbers up to this one are used up, whatever the refs say. */
  readonly lastNumber: number;
}

/** What a caller says about a checkpoint; the rest is found out. */
export interface Telling {
  readonly trigger: Trigger;
  readonly actor: Actor;
  /** Null: say what happened. */
  readonly description: string | null;
  readonly session: string | null;
  readonly conversation: ConversationPosition | null;
  readonly testResult: TestResult | null;
  readonly target: CheckpointId | null;
  readonly undoes: CheckpointId | null;
  readonly toolCall: string | null;
}

export interface Captured {
  readonly checkpoint: Checkpoint;
  /** False when nothing differed from the last checkpoint and none was made. */
  readonly made: boolean;
  readonly scan: ScanResult;
}

export interface CaptureOptions {
  /** Make a checkpoint even if nothing differs from the last one. */
  readonly always: boolean;
  /** Paths that are captured whatever rules and caps say. */
  readonly must?: PathSet;
  /** What a workspace folder that is not there counts as. */
  readonly missing?: 'failure' | 'empty';
}

/** Looks at the workspace without writing anything; the batch can read what was found. */
export async function look(
  workspace: Workspace,
  pace: Pace,
  options: Omit<CaptureOptions, 'always'> = {},
): Promise<{ readonly scan: ScanResult; readonly objects: ObjectBatch; readonly latest: Checkpoint | null }> {
  const latest = workspace.timeline.latest();
  const objects = new OverlayBatch(workspace.store.objects);
  return { scan: await scanWith(workspace, objects, latest, options, pace), objects, latest };
}

/**
 * Takes a checkpoint, unless `always` is false and nothing differs from the last one.
 * @throws SavepointError CAPTURE_FAILED, NO_SPACE, IO, LOCK_LOST, CANCELLED: no checkpoint was made
 */
export async function capture(
  workspace: Workspace,
  lock: HeldLock,
  pace: Pace,
  telling: Telling,
  options: CaptureOptions,
): Promise<Captured> {
  const { store, timeline } = workspace;
  const latest = timeline.latest();
  const batch = store.objects.batch();
  try {
    const found = await scanWith(workspace, batch, latest, options, pace);
    const same =
      latest !== null && latest.snapshot.files === found.snapshot.files && latest.snapshot.side === found.snapshot.side;
    if (same && !options.always) {
      // What was damaged in the store and is sound on disk was written again.
      if (batch.count > 0) batch.finish();
      else batch.abandon();
      if (found.filesRead > 0) keepCache(workspace, latest.commit, found);
      return { checkpoint: latest, made: false, scan: found };
    }
    const ref = await composeCheckpoint(workspace, batch, latest, found, telling, pace);
    batch.finish();
    const checkpoint = readCheckpoint(store.objects, ref.commit);
    pace.check();
    lock.assertHeld();
    timeline.publish(ref);
    keepCache(workspace, ref.commit, found);
    return { checkpoint, made: true, scan: found };
  } catch (error) {
    batch.abandon();
    throw error;
  }
}

/** Writes a checkpoint of `snapshot` into the batch; it exists when it is published. */
export async function composeCheckpoint(
  workspace: Workspace,
  batch: ObjectBatch,
  previous: Checkpoint | null,
  found: Pick<ScanResult, 'snapshot' | 'roots' | 'counts' | 'partial' | 'unsettled'>,
  telling: Telling,
  pace: Pace,
): Promise<CheckpointRef> {
  const { changes, totals } = await listChanges(batch, previous?.snapshot ?? null, found.snapshot, pace);
  const description = telling.description ?? describe(previous, changes, found.counts);
  return writeCheckpoint(
    batch,
    {
      ...telling,
      number: Math.max(workspace.timeline.lastNumber(), workspace.lastNumber) + 1,
      workspace: workspace.id,
      previous: previous?.id ?? null,
      time: workspace.ports.clock.now(),
      description,
      roots: found.roots,
      rules: workspace.rules,
      counts: found.counts,
      partial: found.partial,
      unsettled: found.unsettled,
      // Everything in it is new in a first checkpoint: its trees say so already.
      changes: previous === null ? null : changes,
      totals: previous === null ? { files: 0, added: 0, removed: 0 } : totals,
    },
    found.snapshot,
  );
}

/** For the next scan. Nothing depends on it. */
export function keepCache(workspace: Workspace, commit: ObjectId, found: Pick<ScanResult, 'folders'>): void {
  ensureCache(workspace.ports, workspace.store.layout);
  saveStatCache(workspace.ports.fs, workspace.store.layout.statCache, new StatCache(commit, found.folders));
}

/** The state of a workspace whose folder is gone. */
const NOTHING_THERE: ScanResult = {
  snapshot: { files: EMPTY_TREE, side: EMPTY_TREE },
  counts: { files: 0, links: 0, folders: 0, bytes: 0, skipped: 0 },
  roots: [],
  partial: [],
  leftOut: [],
  unsettled: [],
  problems: [],
  own: OwnPaths.NONE,
  folders: new Map(),
  filesRead: 0,
};

async function scanWith(
  workspace: Workspace,
  batch: ObjectBatch,
  latest: Checkpoint | null,
  options: Omit<CaptureOptions, 'always'>,
  pace: Pace,
): Promise<ScanResult> {
  const { ports, root, store } = workspace;
  if (options.missing === 'empty' && ports.fs.lstat(root) === null) return NOTHING_THERE;
  return scan({
    ports,
    root,
    batch,
    cache: loadStatCache(ports.fs, store.layout.statCache, latest?.commit ?? null),
    rules: workspace.rules,
    globalIgnore: workspace.globalIgnore,
    must: options.must ?? PathSet.EMPTY,
    own: ownPaths(ports, store.layout),
    pace,
  });
}
