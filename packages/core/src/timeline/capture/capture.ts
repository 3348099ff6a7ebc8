/** Captures the workspace as it is now, as a checkpoint on its timeline. */

import { showName } from '../../content/show-name.ts';
import { FsError } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint, Trigger } from '../../model/checkpoint.ts';
import { EMPTY_SNAPSHOT, sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import { onDisk, type TreePath } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import type { HeldLock } from '../../store/lock.ts';
import type { AdoptingBatch, BatchLimit } from '../../store/objects/adopting-batch.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { OwnPaths, ownPaths } from '../../store/own-paths.ts';
import type { PreparedRefs } from '../../store/refs/prepared-refs.ts';
import { OverlayBatch, type ReliedOn } from '../../store/snapshot/overlay.ts';
import { onlyAddsTimes } from '../../store/snapshot/skipped-times.ts';
import { writeAdoptedMarker } from '../../store/state/adopted-marker.ts';
import type { OpenCall } from '../../store/state/open-calls.ts';
import type { Adoption } from '../../workspace/adoption/adoption.ts';
import { LastSnapshot } from '../../workspace/scan/last-snapshot.ts';
import { type ScanResult, scan } from '../../workspace/scan/scan.ts';
import type { ScanDependencies } from '../../workspace/scan/scan-memory.ts';
import { differences } from '../diff/snapshot-diff.ts';
import type { Timeline, TimelineEnd } from '../record/timeline.ts';
import { activeCallsAfterScan, activeCallsBeforeScan, updateCalls } from './active-calls.ts';
import { type Attribution, attributionOf } from './attribution.ts';
import { type CheckpointInfo, composeInOrder, type NewCheckpoint, type Recorded } from './compose.ts';
import { describeDamage, FoundDamage } from './found-damage.ts';
import { isReturnTo, withPossibleRewind } from './own-rewind.ts';
import { withIndexes } from './record-index.ts';
import { reportedSteps } from './reported-steps.ts';
import type { ReportEvidence } from './reported-writes.ts';
import type { Workspace } from './workspace.ts';

const MB = 1024 * 1024;
/** After this many scans, the next one visits every folder. */
const MAX_SCANS = 4;

export interface CaptureResult {
  readonly checkpoint: Checkpoint;
  /** False if nothing differed from the last checkpoint, so that none was made. */
  readonly made: boolean;
  readonly scan: ScanResult;
  /** The checkpoints that were made, oldest first: several if file tools reported what they wrote, and more differs. */
  readonly recorded: readonly Checkpoint[];
}

/** A capture whose checkpoints are written and not published yet. If they never are, clean-up collects their objects. */
export interface UnpublishedCapture extends CaptureResult {
  /** Call it at most once, and before anything else is published. Does nothing if no checkpoint was made. */
  readonly publish: () => void;
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

/**
 * Scans the workspace without writing anything. The returned objects include what the scan found.
 * @param options.reliesOn which objects of the store are relied on, and not kept in memory
 * @param options.into receives what is found. Default: only what is needed for a comparison is kept in memory
 */
export async function scanWorkspace(
  workspace: Workspace,
  pace: Pace,
  options: Pick<CaptureOptions, 'must' | 'missing'> & {
    readonly reliesOn?: ReliedOn;
    readonly into?: OverlayBatch;
  } = {},
): Promise<{ readonly scan: ScanResult; readonly objects: ObjectBatch; readonly latest: Checkpoint | null }> {
  const latest = workspace.timeline.latest();
  const objects = options.into ?? new OverlayBatch(workspace.store.objects, undefined, options.reliesOn);
  const scan = await runScan(workspace, { ...options, batch: objects, latest }, pace);
  const { recalled, visited } = scan;
  const isUsual = options.must === undefined && options.reliesOn === undefined && options.into === undefined;
  if (isUsual && latest !== null && recalled !== null) {
    const last = new LastSnapshot(objects, latest.snapshot);
    workspace.memory.keepUncaptured(latest.commit, last, recalled, visited);
  }
  return { scan, objects, latest };
}

/**
 * Takes a checkpoint, unless `always` is false and nothing differs from the last one. Damage in the last checkpoint does
 * not stop it: everything is then scanned again without the cache, so that damaged objects are stored again as far as
 * the folder still has them, and what remains unknown is named in the problems of the scan.
 * @throws SavepointError CAPTURE_FAILED, STORE_FULL, NO_SPACE, IO, LOCK_LOST, CANCELLED: no checkpoint was made
 */
export async function capture(
  workspace: Workspace,
  lock: HeldLock,
  pace: Pace,
  info: CheckpointInfo,
  options: CaptureOptions,
): Promise<CaptureResult> {
  const drafted = await draftUndamaged(workspace, pace, info, options);
  const { publish, ...result } = await completeCapture(workspace, lock, pace, drafted, 'now');
  publish();
  return result;
}

/** The same without publishing the checkpoint. */
export async function captureUnpublished(
  workspace: Workspace,
  lock: HeldLock,
  pace: Pace,
  info: CheckpointInfo,
  options: CaptureOptions,
): Promise<UnpublishedCapture> {
  return completeCapture(workspace, lock, pace, await draftUndamaged(workspace, pace, info, options), 'later');
}

const BETWEEN_CALLS: ReadonlySet<Trigger> = new Set(['before', 'session', 'prompt', 'message']);

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

/** A capture whose objects are in a batch that is not finished yet. */
interface DraftedCapture {
  readonly batch: AdoptingBatch;
  readonly scan: ScanResult;
  readonly open: readonly OpenCall[];
  readonly evidence: Pick<ReportEvidence, 'proven' | 'doubted'>;
  /** The contents were adopted without being read. */
  readonly isUnread: boolean;
  /** Paths of skipped files whose times `latest` lacks, if nothing else differs. The next checkpoint has the times. */
  readonly newTimes: readonly TreePath[];
  /** Oldest first. Empty if nothing differs from `latest`. */
  readonly recorded: readonly Recorded[];
  readonly latest: Checkpoint | null;
}

/** Contents that exceed the limit of the whole store can never be kept, so they are not read to the end. */
export function batchLimit({ root, maxStoreBytes, timeline }: Workspace): BatchLimit | null {
  if (maxStoreBytes === null) return null;
  const full = (bytes: number): SavepointError =>
    new SavepointError(
      'STORE_FULL',
      `The new data in ${showName(root)} exceeds ${Math.floor(maxStoreBytes / MB)} MB, the limit of the entire store.`,
      { bytes, limit: maxStoreBytes, pinned: timeline.pinned().size },
    );
  return { bytes: maxStoreBytes, full };
}

/** Drafts a checkpoint. If the last one is damaged, drafts it again without the cache, and names the damage. */
async function draftUndamaged(
  workspace: Workspace,
  pace: Pace,
  info: CheckpointInfo,
  options: CaptureOptions,
): Promise<DraftedCapture> {
  const end = options.end ?? workspace.timeline.end();
  const found = new FoundDamage();
  const first = await draftCheckpoint(workspace, pace, info, { ...options, end }, found);
  if (found.errors.length === 0) return first;
  first.batch.abandon();
  workspace.memory.forget();
  const remaining = new FoundDamage();
  const second = await draftCheckpoint(workspace, pace, info, { ...options, end }, remaining);
  const problems = [...second.scan.problems, ...describeDamage(found.errors, remaining.errors, end.latest)];
  return { ...second, scan: { ...second.scan, problems } };
}

/** @param damage receives the damage of the last checkpoint that was found on the way */
async function draftCheckpoint(
  workspace: Workspace,
  pace: Pace,
  info: CheckpointInfo,
  options: CaptureOptions & { readonly end: TimelineEnd },
  damage: FoundDamage,
): Promise<DraftedCapture> {
  const { store, timeline } = workspace;
  const { end } = options;
  const { latest } = end;
  const before = activeCallsBeforeScan(workspace);
  const limit = batchLimit(workspace);
  let batch = store.objects.batch(limit);
  try {
    const adopted = latest === null ? await adoptingScan(workspace, batch, options, pace) : null;
    if (latest === null && adopted === null) {
      batch.abandon();
      batch = store.objects.batch(limit);
    }
    let scan = adopted?.found ?? (await runScan(workspace, { ...options, batch, latest }, pace));
    const same = latest !== null && sameSnapshot(latest.snapshot, scan.snapshot);
    const newTimes = same || latest === null || options.always ? [] : onlyNewTimes(batch, latest, scan);
    const open = activeCallsAfterScan(workspace, before);
    const isUnread = adopted?.isUnread === true;
    const drafted = { batch, scan, open, evidence: NO_EVIDENCE, isUnread, newTimes, recorded: [], latest };
    if ((same && !options.always) || newTimes.length > 0) return drafted;
    const { roots, problems } = await withIndexes(workspace, batch, scan.roots, latest?.roots ?? [], pace);
    scan = { ...scan, roots, problems: [...scan.problems, ...problems] };
    const isNotBy = (call: OpenCall, path: TreePath): boolean => wasWrittenBefore(workspace, call, path);
    const composed: NewCheckpoint = {
      end,
      state: scan,
      // If a call began before its capture, its changes so far cannot be distinguished from earlier ones.
      info: { ...info, late: info.late || open.some(({ late }) => late) },
      attribution: options.attribution ?? attributionFor({ timeline, objects: batch }, scan, info, open, isNotBy),
      onDamage: damage.add,
    };
    const usesReports = options.attribution === undefined && latest !== null;
    const { steps, evidence } = (usesReports
      ? unlessDamaged(composed.onDamage, () => reportedSteps(batch, latest, open, composed, isNotBy))
      : null) ?? { steps: [composed], evidence: NO_EVIDENCE };
    return { ...drafted, scan, evidence, recorded: await composeInOrder(workspace, batch, steps, pace) };
  } catch (error) {
    batch.abandon();
    throw error;
  }
}

/** @param published `now`: the caller publishes it immediately, so the files of refs are synced with the objects */
async function completeCapture(
  workspace: Workspace,
  lock: HeldLock,
  pace: Pace,
  { batch, scan, open, evidence, isUnread, newTimes, recorded, latest }: DraftedCapture,
  published: 'now' | 'later',
): Promise<UnpublishedCapture> {
  const { ports, store, timeline } = workspace;
  let prepared: PreparedRefs | null = null;
  try {
    const last = recorded.at(-1);
    if (last === undefined && latest !== null) {
      updateCalls(workspace, open, NO_EVIDENCE);
      // Objects that are damaged in the store and intact on disk were written again.
      if (batch.count > 0) await batch.finish();
      else batch.abandon();
      // `latest` does not have the trees with the new times.
      rememberScan(workspace, latest.commit, scan, newTimes);
      return { checkpoint: latest, made: false, scan, recorded: [], publish: () => undefined };
    }
    if (published === 'now') prepared = timeline.prepare(recorded.map(([ref]) => ref));
    await batch.finish(prepared?.files);
    pace.throwIfCancelled();
    const [ref, checkpoint] = last as Recorded;
    const publish = (): void => {
      try {
        lock.assertHeld();
        if (isUnread) writeAdoptedMarker(ports, store.layout, ref.commit);
        for (const [at, made] of recorded) timeline.publish(at, made, prepared);
      } finally {
        prepared?.discard();
      }
      updateCalls(workspace, open, evidence);
      rememberScan(workspace, ref.commit, scan);
    };
    return { checkpoint, made: true, scan, recorded: recorded.map(([, one]) => one), publish };
  } catch (error) {
    prepared?.discard();
    batch.abandon();
    throw error;
  }
}

/** An earlier version, or a bundle, has no times of skipped files. They alone do not make a checkpoint. */
function onlyNewTimes(objects: ObjectReader, latest: Checkpoint, { snapshot }: ScanResult): readonly TreePath[] {
  const paths = unlessDamaged(undefined, () =>
    onlyAddsTimes(objects, latest.snapshot, snapshot)
      ? [...differences(objects, latest.snapshot, snapshot, null, true)].map(({ path }) => path)
      : [],
  );
  return paths ?? [];
}

/**
 * Whether a file was last written before the call ran, for example while the call waited for a permission. The change
 * time of a file also moves if it is renamed or gets other permissions.
 */
function wasWrittenBefore({ ports, root }: Workspace, { ranSince }: OpenCall, path: TreePath): boolean {
  if (ranSince === undefined) return false;
  try {
    const stat = ports.fs.lstat(onDisk(root, path));
    return stat !== null && Math.max(stat.ctimeMs, stat.mtimeMs) < ranSince;
  } catch (error) {
    if (error instanceof FsError) return false;
    throw error;
  }
}

/** Between the calls of a session, its agent may have used its own rewind. */
function attributionFor(
  { timeline, objects }: { readonly timeline: Timeline; readonly objects: ObjectReader },
  { snapshot }: ScanResult,
  { trigger, session, actor }: CheckpointInfo,
  open: readonly OpenCall[],
  isNotBy: (call: OpenCall, path: TreePath) => boolean,
): Attribution {
  const attribution = attributionOf(open, isNotBy);
  const isBetween = session !== null && BETWEEN_CALLS.has(trigger);
  return isBetween && isReturnTo(timeline, objects, snapshot, session)
    ? withPossibleRewind(attribution, actor, session)
    : attribution;
}

const NO_EVIDENCE: Pick<ReportEvidence, 'proven' | 'doubted'> = { proven: [], doubted: [] };

/** The scan of a workspace whose folder is gone. */
const EMPTY_SCAN: ScanResult = {
  snapshot: EMPTY_SNAPSHOT,
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
  const lastSnapshot = new LastSnapshot(batch, latest?.snapshot ?? null);
  // A checkpoint that cannot be read does not vouch for its objects.
  const isCheckpoint = (commit: ObjectId): boolean => commit === latest?.commit || timeline.canRead(commit);
  const isCaptured: ScanDependencies['isCaptured'] = (path, ref) => lastSnapshot.holds(path, ref);
  const frame = { root, rules, own, isCheckpoint, isCaptured };
  await workspace.memory.prepare?.(frame);
  for (let look = 1; ; look++) {
    const recalled = workspace.memory.recall(frame);
    const found = await scan({
      ports,
      root,
      batch,
      recalled,
      rules,
      globalIgnore: workspace.globalIgnore,
      requiredPaths: must ?? PathSet.EMPTY,
      own,
      lastSnapshot,
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
