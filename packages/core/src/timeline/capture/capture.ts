/** Captures the workspace as it is now, as a checkpoint on its timeline. */

import { showName } from '../../content/show-name.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import {
  type Actor,
  type CaptureRules,
  type Change,
  type Checkpoint,
  OUTSIDE,
  type RecordedChange,
  type ToolInfo,
  type Trigger,
} from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { changeId, checkpointId, EMPTY_TREE, type ObjectId, type WorkspaceId } from '../../model/ids.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import type { OpenStore } from '../../store/layout.ts';
import type { HeldLock } from '../../store/lock.ts';
import type { AdoptingBatch, BatchLimit } from '../../store/objects/adopting-batch.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { OwnPaths, ownPaths } from '../../store/own-paths.ts';
import type { ContentCache } from '../../store/snapshot/content-cache.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { writeAdoptedMarker } from '../../store/state/adopted-marker.ts';
import { type OpenCall, readOpenCalls, writeOpenCall } from '../../store/state/open-calls.ts';
import type { Adoption } from '../../workspace/adoption/adoption.ts';
import { type ScanResult, scan } from '../../workspace/scan/scan.ts';
import type { ScanMemory } from '../../workspace/scan/scan-memory.ts';
import { listChanges } from '../diff/changes.ts';
import type { Move, MoveOptions } from '../diff/renames.ts';
import type { CheckpointRecord } from '../record/checkpoint-json.ts';
import { EMPTY_INFO } from '../record/checkpoint-record.ts';
import {
  type CheckpointRef,
  readCheckpoint,
  type Timeline,
  type TimelineEnd,
  writeCheckpoint,
} from '../record/timeline.ts';
import { type Attribution, attributionOf, sameAuthorship } from './attribution.ts';
import { describe } from './describe.ts';
import { isReturnTo, withPossibleRewind } from './own-rewind.ts';
import { withIndexes } from './record-index.ts';

const MB = 1024 * 1024;
/** After this many scans, the next one visits every folder. */
const MAX_SCANS = 4;

/** An open workspace. */
export interface Workspace {
  readonly ports: Ports;
  readonly id: WorkspaceId;
  readonly root: DiskPath;
  readonly store: OpenStore;
  readonly timeline: Timeline;
  readonly rules: CaptureRules;
  /** Whether checkpoints record the index of each repository. */
  readonly recordIndex: boolean;
  readonly globalIgnore: DiskPath | null;
  readonly memory: ScanMemory;
  /** The user's attributes files, for a first checkpoint that adopts from repositories; null: it does not adopt. */
  readonly gitAttributes: readonly DiskPath[] | null;
  /** Maximum size of the store in bytes; null: no limit. */
  readonly maxStoreBytes: number | null;
  /** Folders with programs, in the format of PATH. */
  readonly searchPath: string;
  /** Numbers up to this one are taken, regardless of the refs. */
  readonly lastNumber: number;
}

type ComputedField =
  | 'number'
  | 'workspace'
  | 'previous'
  | 'time'
  | 'roots'
  | 'rules'
  | 'counts'
  | 'partial'
  | 'unsettled'
  | 'changes'
  | 'totals';

/** What the caller specifies about a checkpoint. The rest is computed. */
export interface CheckpointInfo extends Omit<CheckpointRecord, ComputedField | 'description'> {
  /** Null: generate one from the changes. */
  readonly description: string | null;
}

export function checkpointInfo(trigger: Trigger, actor: Actor): CheckpointInfo {
  return { ...EMPTY_INFO, trigger, actor, description: null };
}

export interface CaptureResult {
  readonly checkpoint: Checkpoint;
  /** False if nothing differed from the last checkpoint, so that none was made. */
  readonly made: boolean;
  readonly scan: ScanResult;
}

export interface CaptureOptions {
  /** Make a checkpoint even if nothing differs from the last one. */
  readonly always: boolean;
  /** Paths to capture regardless of rules and limits. */
  readonly must?: PathSet;
  /** How to treat a workspace folder that does not exist. */
  readonly missing?: 'failure' | 'empty';
  /** The end of the timeline. Default: looked up. */
  readonly end?: TimelineEnd;
  /** Attribution of the changes. Default: derived from the open calls. */
  readonly attribution?: Attribution;
}

/** Scans the workspace without writing anything. The returned objects include what the scan found. */
export async function scanWorkspace(
  workspace: Workspace,
  pace: Pace,
  options: Omit<CaptureOptions, 'always' | 'attribution' | 'end'> = {},
): Promise<{ readonly scan: ScanResult; readonly objects: ObjectBatch; readonly latest: Checkpoint | null }> {
  const latest = workspace.timeline.latest();
  const objects = new OverlayBatch(workspace.store.objects);
  return { scan: await runScan(workspace, { ...options, batch: objects, latest }, pace), objects, latest };
}

/**
 * Takes a checkpoint, unless `always` is false and nothing differs from the last one.
 * @throws SavepointError CAPTURE_FAILED, STORE_FULL, NO_SPACE, IO, LOCK_LOST, CANCELLED: no checkpoint was made
 */
export async function capture(
  workspace: Workspace,
  lock: HeldLock,
  pace: Pace,
  info: CheckpointInfo,
  options: CaptureOptions,
): Promise<CaptureResult> {
  const { store, timeline } = workspace;
  const end = options.end ?? timeline.end();
  const { latest } = end;
  const limit = batchLimit(workspace);
  let batch = store.objects.batch(limit);
  try {
    const adopted = latest === null ? await adoptingScan(workspace, batch, options, pace) : null;
    if (latest === null && adopted === null) {
      batch.abandon();
      batch = store.objects.batch(limit);
    }
    let found = adopted?.found ?? (await runScan(workspace, { ...options, batch, latest }, pace));
    const same =
      latest !== null && latest.snapshot.files === found.snapshot.files && latest.snapshot.side === found.snapshot.side;
    const open = readOpenCalls(workspace.ports.fs, store.layout, workspace.ports.clock.now());
    if (same && !options.always) {
      clearLateFlag(workspace, open);
      // Objects that are damaged in the store and intact on disk were written again.
      if (batch.count > 0) await batch.finish();
      else batch.abandon();
      rememberScan(workspace, latest.commit, found);
      return { checkpoint: latest, made: false, scan: found };
    }
    const { roots, problems } = await withIndexes(workspace, batch, found.roots, latest?.roots ?? [], pace);
    found = { ...found, roots, problems: [...found.problems, ...problems] };
    const composed: NewCheckpoint = {
      end,
      state: found,
      // If a call began before its capture, its changes so far cannot be distinguished from earlier ones.
      info: { ...info, late: info.late || open.some(({ late }) => late) },
      attribution: options.attribution ?? attributionFor(timeline, found, info, open),
    };
    const ref = await composeCheckpoint(workspace, batch, composed, pace);
    const checkpoint = readCheckpoint(batch, ref.commit);
    await batch.finish();
    pace.throwIfCancelled();
    lock.assertHeld();
    if (adopted?.isUnread === true) writeAdoptedMarker(workspace.ports, store.layout, ref.commit);
    timeline.publish(ref, checkpoint);
    clearLateFlag(workspace, open);
    rememberScan(workspace, ref.commit, found);
    return { checkpoint, made: true, scan: found };
  } catch (error) {
    batch.abandon();
    throw error;
  }
}

const BETWEEN_CALLS: ReadonlySet<Trigger> = new Set(['before', 'session', 'prompt', 'message']);

/** The contents of a checkpoint. */
type CheckpointState = Pick<ScanResult, 'snapshot' | 'roots' | 'counts' | 'partial' | 'unsettled'> & {
  /** The part of the contents that is in memory. */
  readonly contents?: ContentCache;
};

export interface NewCheckpoint {
  /** The end of the timeline to which it is appended. */
  readonly end: TimelineEnd;
  readonly state: CheckpointState;
  readonly info: CheckpointInfo;
  readonly attribution: Attribution;
  /** Moves known to the code that made the snapshot. Default: none. */
  readonly moves?: readonly Move[];
}

/** Writes a checkpoint into the batch. The checkpoint exists once it is published. */
export async function composeCheckpoint(
  workspace: Workspace,
  batch: ObjectBatch,
  { end: { latest: previous, lastNumber }, state, info, attribution, moves = [] }: NewCheckpoint,
  pace: Pace,
): Promise<CheckpointRef> {
  const reader = state.contents?.wrap(batch) ?? batch;
  const options = moveOptions(attribution, moves);
  // Everything is new in a first checkpoint, as its trees already show.
  const { changes, totals } =
    previous === null
      ? { changes: [], totals: { files: 0, added: 0, removed: 0 } }
      : await listChanges(reader, previous.snapshot, state.snapshot, pace, options);
  const description = info.description ?? describe(previous, changes, state.counts, info.tool);
  const number = Math.max(lastNumber, workspace.lastNumber) + 1;
  return writeCheckpoint(
    batch,
    {
      ...info,
      number,
      workspace: workspace.id,
      previous: previous?.id ?? null,
      time: workspace.ports.clock.now(),
      description,
      roots: state.roots,
      rules: workspace.rules,
      counts: state.counts,
      partial: state.partial,
      unsettled: state.unsettled,
      changes:
        previous === null
          ? null
          : changes.map((change, index) => recordChange(change, number, index, attribution, info.tool)),
      totals,
    },
    state.snapshot,
  );
}

/** Returns the checkpoint that a capture would record now, without making it; null if nothing differs. */
export async function previewCheckpoint(
  workspace: Workspace,
  objects: ObjectReader,
  latest: Checkpoint,
  snapshot: Snapshot,
  pace: Pace,
): Promise<Checkpoint | null> {
  if (latest.snapshot.files === snapshot.files && latest.snapshot.side === snapshot.side) return null;
  const { ports, store, timeline, lastNumber } = workspace;
  const attribution = attributionOf(readOpenCalls(ports.fs, store.layout, ports.clock.now()));
  const number = Math.max(timeline.lastNumber(), lastNumber) + 1;
  const { changes, totals } = await listChanges(objects, latest.snapshot, snapshot, pace, moveOptions(attribution, []));
  return {
    ...latest,
    ...checkpointInfo('before', OUTSIDE),
    description: '',
    id: checkpointId(number),
    number,
    previous: latest.id,
    time: ports.clock.now(),
    changes: changes.map((change, index) => recordChange(change, number, index, attribution, null)),
    totals,
    snapshot,
  };
}

/**
 * Remembers the result for the next scan. Only performance depends on it.
 * @param changedSince paths that changed after the scan found them
 */
export function rememberScan(
  { memory }: Workspace,
  commit: ObjectId,
  { recalled, visited }: Pick<ScanResult, 'recalled' | 'visited'>,
  changedSince: readonly TreePath[] = [],
): void {
  if (recalled !== null) memory.keep(commit, recalled, visited, changedSince);
}

/** Contents that exceed the limit of the whole store can never be kept, so they are not read to the end. */
function batchLimit({ root, maxStoreBytes, timeline }: Workspace): BatchLimit | null {
  if (maxStoreBytes === null) return null;
  const full = (bytes: number): SavepointError =>
    new SavepointError(
      'STORE_FULL',
      `The new data in ${showName(root)} exceeds ${Math.floor(maxStoreBytes / MB)} MB, the limit of the entire store.`,
      { bytes, limit: maxStoreBytes, pinned: timeline.pinned().size },
    );
  return { bytes: maxStoreBytes, full };
}

/** Between the calls of a session, its agent may have used its own rewind. */
function attributionFor(
  timeline: Timeline,
  { snapshot }: ScanResult,
  { trigger, session, actor }: CheckpointInfo,
  open: readonly OpenCall[],
): Attribution {
  const attribution = attributionOf(open);
  const isBetween = session !== null && BETWEEN_CALLS.has(trigger);
  return isBetween && isReturnTo(timeline, snapshot, session)
    ? withPossibleRewind(attribution, actor, session)
    : attribution;
}

/** From this checkpoint on, what changes while such a call is open can be distinguished from earlier changes. */
function clearLateFlag({ ports, store }: Workspace, open: readonly OpenCall[]): void {
  for (const call of open) if (call.late) writeOpenCall(ports.fs, store.layout, { ...call, late: false });
}

function moveOptions(attribution: Attribution, known: readonly Move[]): MoveOptions {
  return { known, canBeSameFile: ({ from, to }) => sameAuthorship(attribution(from), attribution(to)) };
}

function recordChange(
  change: Change,
  checkpoint: number,
  index: number,
  attribution: Attribution,
  tool: ToolInfo | null,
): RecordedChange {
  const by = attribution(change.path);
  const isPatch = change.operation === 'write' && tool?.kind === 'edit' && by.authors.some(({ call }) => call !== null);
  return {
    ...change,
    operation: isPatch ? 'patch' : change.operation,
    id: changeId(checkpoint, index + 1),
    by,
  };
}

/** The scan of a workspace whose folder is gone. */
const EMPTY_SCAN: ScanResult = {
  snapshot: { files: EMPTY_TREE, side: EMPTY_TREE },
  counts: { files: 0, links: 0, folders: 0, bytes: 0, skipped: 0 },
  roots: [],
  partial: [],
  leftOut: [],
  unsettled: [],
  problems: [],
  own: OwnPaths.NONE,
  recalled: null,
  visited: new Map(),
  filesRead: 0,
};

/** Runs a first scan that adopts contents from repositories; returns null if that failed and all files must be read. */
async function adoptingScan(
  workspace: Workspace,
  batch: AdoptingBatch,
  options: Omit<CaptureOptions, 'always'>,
  pace: Pace,
): Promise<{ readonly found: ScanResult; readonly isUnread: boolean } | null> {
  if (workspace.gitAttributes === null) return null;
  const { Adoption } = await import('../../workspace/adoption/adoption.ts');
  const adoption = new Adoption(workspace.ports, workspace.gitAttributes);
  batch.expectTrees((tree) => adoption.adoptTree(tree));
  try {
    const found = await runScan(workspace, { ...options, batch, latest: null, adoption }, pace);
    return (await adoption.adoptInto(batch, pace)) ? { found, isUnread: adoption.isUnread } : null;
  } finally {
    adoption.close();
  }
}

interface ScanRequest extends Pick<CaptureOptions, 'must' | 'missing'> {
  readonly batch: ObjectBatch;
  /** The previous checkpoint; null for the first. */
  readonly latest: Checkpoint | null;
  readonly adoption?: Adoption;
}

async function runScan(
  workspace: Workspace,
  { batch, latest, adoption, must, missing }: ScanRequest,
  pace: Pace,
): Promise<ScanResult> {
  const { ports, root, store, timeline } = workspace;
  if (missing === 'empty' && ports.fs.lstat(root) === null) return EMPTY_SCAN;
  const { rules } = workspace;
  const own = ownPaths(ports, store.layout);
  const isCheckpoint = (commit: ObjectId): boolean => commit === latest?.commit || timeline.has(commit);
  for (let look = 1; ; look++) {
    const recalled = workspace.memory.recall({ root, rules, own, isCheckpoint });
    const found = await scan({
      ports,
      root,
      batch,
      recalled,
      rules,
      globalIgnore: workspace.globalIgnore,
      requiredPaths: must ?? PathSet.EMPTY,
      own,
      rootsBefore: latest?.roots ?? [],
      pace,
      adoption: adoption ?? null,
      recordsVisited: true,
    });
    if (!recalled.mustRescan(found.visited)) return found;
    // Names are being created faster than the scans find them.
    if (look === MAX_SCANS) workspace.memory.forget();
  }
}
