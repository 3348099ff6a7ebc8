/** Runs operations. Each captures, plans, and refuses or applies the plan, with a checkpoint before and one after. */
import { createHash } from 'node:crypto';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint, RootState } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import { PathSet } from '../model/path-set.ts';
import type { HeldLock } from '../store/lock.ts';
import { isDamage, type OnDamage } from '../store/objects/damage.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { ContentCache } from '../store/snapshot/content-cache.ts';
import { entryToJson } from '../store/snapshot/entry-json.ts';
import type { ReliedOn } from '../store/snapshot/overlay.ts';
import { assertNotFrozen, frozenPathOf, readFrozen } from '../store/state/frozen.ts';
import type { Attribution } from '../timeline/capture/attribution.ts';
import {
  capture,
  captureUnpublished,
  rememberScan,
  scanWorkspace,
  type UnpublishedCapture,
} from '../timeline/capture/capture.ts';
import { type CheckpointInfo, checkpointInfo } from '../timeline/capture/compose.ts';
import { describeDamage, FoundDamage } from '../timeline/capture/found-damage.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { type CheckpointRef, readCheckpoint, type TimelineEnd } from '../timeline/record/timeline.ts';
import type { BackupLocation } from '../transaction/backups.ts';
import type { BackupFile } from '../transaction/late-writes.ts';
import type { WaitingTransaction } from '../transaction/recover.ts';
import { pathsOf } from '../transaction/steps.ts';
import type { Publication } from '../transaction/transition.ts';
import type { ScanResult } from '../workspace/scan/scan.ts';
import { assertFeasible } from './assert-feasible.ts';
import { carryOut } from './carry-out.ts';
import type { ChangeSet } from './change-set.ts';
import { composeCheckpointAfter } from './checkpoint-after.ts';
import { prepareHeads, publicationWithHeads } from './heads.ts';
import { saveOperationBackups, withBackupPaths } from './operation-backups.ts';
import { PresentEntries } from './own-entries.ts';
import { type DetailRequest, detailOf, type PreviewDetail } from './preview-detail.ts';
import { assertStored } from './stored-before.ts';

/** The workspace as an operation finds it. */
export interface CurrentState {
  readonly snapshot: Snapshot;
  readonly roots: readonly RootState[];
  /** Savepoint's own files in the workspace, which the snapshot does not contain. */
  readonly own: OwnPaths;
  /** Reads everything, and receives the new contents of the plan. */
  readonly objects: ObjectBatch;
  /** The last checkpoint before this scan; null if there was none. */
  readonly last: Checkpoint | null;
  /** Receives the damage of the last checkpoint because of which its difference to this state is not fully known. */
  readonly onDamage: OnDamage;
  /** What Savepoint has in files of the user. The plan is changed so that it stays. */
  readonly entries: PresentEntries;
}

export interface Operation {
  readonly info: Omit<CheckpointInfo, 'description'> & { readonly description: string };
  readonly plan: (current: CurrentState) => Promise<ChangeSet>;
  /** Where to keep plain copies of files that it replaces or removes: in the store or next to each; null: none. */
  readonly backups: BackupLocation | null;
  /** Whether it writes contents that the caller gave, which are not changed to keep Savepoint's entries. */
  readonly isVerbatim?: boolean;
  /** Whether it may change frozen paths. */
  readonly mayChangeFrozen?: boolean;
  /** Whether a person approved exactly what it does. */
  readonly isApproved?: boolean;
  /** The authors of its changes, as the plan found them. Default: its actor. */
  readonly attribution?: Attribution;
  /** Called when the checkpoint after is stored, before anything changes and before the checkpoint exists. */
  readonly beforeChange?: (ref: CheckpointRef) => Promise<void>;
  /** Called instead if there is nothing to change, with the newest checkpoint. */
  readonly withoutChange?: (newest: Checkpoint) => Promise<void>;
}

/** What an operation would do. */
export interface Preview {
  /** How the operation describes itself: its trigger, its description, what it restores or inverts. */
  readonly info: Operation['info'];
  readonly plan: ChangeSet;
  /** Identifies this plan: the same plan on the same files has the same fingerprint. */
  readonly fingerprint: string;
  /** Includes what could not be captured, of which nothing is known. */
  readonly scan: ScanResult;
  /** Only of a preview for which it was requested. */
  readonly detail?: PreviewDetail;
}

/** What an operation did, and the checkpoints before and after it. */
export interface OperationResult extends Preview {
  /** The state before, including what changed since the last checkpoint. */
  readonly before: Checkpoint;
  /** Whether it was taken for this operation. Otherwise the last checkpoint already had that state. */
  readonly beforeIsNew: boolean;
  /** The state after; null if there was nothing to do. An undo or redo is recorded even then. */
  readonly checkpoint: Checkpoint | null;
  /** Bytes that other programs wrote through open handles into replaced files. */
  readonly kept: readonly BackupFile[];
  /** Plain copies of the previous files, if the operation requested them. */
  readonly backups: readonly BackupFile[];
}

/**
 * Returns what the operation would do now. Writes nothing and holds no lock.
 * @param wanted what else to return
 */
export async function previewOperation(
  workspace: Workspace,
  operation: Operation,
  pace: Pace,
  wanted: DetailRequest | null = null,
): Promise<Preview> {
  let requiredPaths: readonly TreePath[] = [];
  let reliesOn: ReliedOn = 'listed';
  for (;;) {
    const { scan, objects, latest } = await scanWorkspace(workspace, pace, {
      must: new PathSet(requiredPaths),
      missing: 'empty',
      reliesOn,
    });
    const { snapshot, roots, own } = scan;
    const found = new FoundDamage();
    let planned: ChangeSet | null = null;
    try {
      const current = { snapshot, roots, own, objects, last: latest, onDamage: found.add };
      planned = await planIn(workspace, operation, current, pace);
    } catch (error) {
      if (reliesOn === 'readable' || !isDamage(error)) throw error;
    }
    if (planned === null || (found.errors.length > 0 && reliesOn !== 'readable')) {
      // The operation stores again what the folder still has. Only other damage stops it.
      workspace.memory.forget();
      reliesOn = 'readable';
      continue;
    }
    const plan = refuseFrozen(workspace, operation, planned);
    if (plan.toCapture.length === 0 || requiredPaths.length > 0) {
      const problems = [...scan.problems, ...describeDamage(found.errors, found.errors, latest)];
      const { info } = withDescription(operation, plan);
      const seen = { info, plan, fingerprint: fingerprintOf(plan), scan: { ...scan, problems } };
      return wanted === null ? seen : { ...seen, detail: await detailOf(objects, plan, wanted, pace) };
    }
    requiredPaths = plan.toCapture;
  }
}

/** The context of an operation: all overlapping workspaces are locked, and recovery has run there. */
export interface OperationContext {
  readonly workspace: Workspace;
  readonly lock: HeldLock;
  readonly pace: Pace;
  /** Transactions that could not be recovered. Their paths must not be touched. */
  readonly waiting: readonly WaitingTransaction[];
}

/**
 * Captures, plans and applies an operation. An operation that is refused, or has nothing to do, leaves no checkpoint:
 * otherwise `last` would mean another one in the next attempt.
 * @param expected fingerprint of the approved preview; null if none was shown
 * @throws SavepointError CONFLICT, PATH_REFUSED, PENDING, and the errors of captures and transactions
 */
export async function runOperation(
  context: OperationContext,
  requested: Operation,
  expected: string | null,
): Promise<OperationResult> {
  const { workspace, lock, pace, waiting } = context;
  const end = workspace.timeline.end();
  const batch = workspace.store.objects.batch();
  try {
    const { before, ...planned } = await captureAndPlan(context, requested, batch, end);
    let { plan } = planned;
    let operation = withDescription(requested, plan);
    const fingerprint = fingerprintOf(plan);
    if (expected !== null && expected !== fingerprint) {
      throw changedSincePreview();
    }
    if (operation.mayChangeFrozen !== true) {
      assertNotFrozen(
        readFrozen(workspace.ports, workspace.store.layout),
        plan.paths.map(({ path }) => path),
      );
    }
    assertFeasible(plan);
    assertNotWaiting(waiting, workspace.root, plan);
    const preview: Preview = { info: operation.info, plan, fingerprint, scan: before.scan };
    const isEmpty = plan.paths.length === 0 && (plan.heads ?? []).length === 0;
    if (isEmpty && operation.info.undoes === null && end.latest !== null) {
      batch.abandon();
      await operation.withoutChange?.(end.latest);
      return { ...preview, before: end.latest, beforeIsNew: false, checkpoint: null, kept: [], backups: [] };
    }
    before.publish();
    const stateBefore = { before: before.checkpoint, beforeIsNew: before.made };
    if (isEmpty) {
      batch.abandon();
      await operation.withoutChange?.(before.checkpoint);
      const checkpoint = await recordInverse(workspace, operation, lock, pace);
      return { ...preview, ...stateBefore, checkpoint, kept: [], backups: [] };
    }
    if (before.made && mayNameNewChanges(plan)) {
      // The plan names changes as a preview numbers them. The checkpoints before may number them in another way.
      plan = await planned.planAgain();
      operation = withDescription(requested, plan);
      assertFeasible(plan);
    }
    const contents = new ContentCache(plan.contents);
    const heads = await prepareHeads(workspace, plan.heads ?? [], batch, pace);
    const ref = await composeCheckpointAfter({
      workspace,
      info: { ...operation.info, heads: heads.moved },
      before,
      plan,
      batch,
      end,
      contents,
      attribution: operation.attribution,
      pace,
    });
    await batch.finish();
    await operation.beforeChange?.(ref);
    heads.makeDurable(ref);
    // Read the checkpoint before the operation happens: once it has, nothing may fail any more.
    const checkpoint = readCheckpoint(workspace.store.objects, ref.commit);
    const objects = contents.wrap(workspace.store.objects);
    const backups =
      operation.backups === null
        ? []
        : await saveOperationBackups(workspace, before.checkpoint, plan, operation.backups, objects);
    const publication = publicationWithHeads(workspace, publicationOf(workspace, ref));
    const kept = await carryOut({ workspace, lock, pace, plan, objects, publication }).catch((error: unknown) => {
      heads.fail(error);
      throw withBackupPaths(error, workspace, plan, backups);
    });
    heads.complete();
    rememberScan(
      workspace,
      ref.commit,
      before.scan,
      plan.paths.map(({ path }) => path),
    );
    return { ...preview, ...stateBefore, checkpoint, kept, backups };
  } catch (error) {
    batch.abandon();
    throw error;
  }
}

/** The error of an operation that would do something else than what was shown. */
export function changedSincePreview(): SavepointError {
  const hint = 'Nothing was changed. Run the preview again.';
  return new SavepointError('CONFLICT', 'The files changed after the preview.', { paths: [] }, { hint });
}

/** Captures what an operation will overwrite first, even where the current rules would skip it. */
export async function captureAndPlan(
  { workspace, lock, pace }: OperationContext,
  operation: Operation,
  batch: ObjectBatch,
  last: TimelineEnd,
): Promise<{
  readonly plan: ChangeSet;
  readonly before: UnpublishedCapture;
  readonly planAgain: () => Promise<ChangeSet>;
}> {
  let requiredPaths: readonly TreePath[] = [];
  let isStoredAgain = false;
  for (;;) {
    const before = await captureUnpublished(
      workspace,
      lock,
      pace,
      {
        ...checkpointInfo('before', operation.info.actor),
        precedes: operation.info.trigger,
        target: operation.info.target,
        session: operation.info.session,
        toolCall: operation.info.toolCall,
      },
      { always: false, must: new PathSet(requiredPaths), missing: 'empty', end: last },
    );
    const { snapshot } = before.checkpoint;
    const { roots, own } = before.scan;
    // The capture has named the damage.
    const current = { snapshot, roots, own, objects: batch, last: last.latest, onDamage: () => undefined };
    const planAgain = (): Promise<ChangeSet> => planIn(workspace, operation, current, pace);
    let plan: ChangeSet;
    try {
      plan = await planAgain();
      await assertStored(batch, snapshot, plan, pace);
    } catch (error) {
      if (isStoredAgain || !isDamage(error)) throw error;
      // The capture did not read files that the stat cache reports as unchanged. Without the cache, it stores
      // every valid file again.
      workspace.memory.forget();
      isStoredAgain = true;
      continue;
    }
    if (plan.toCapture.length === 0 || requiredPaths.length > 0) return { plan, before, planAgain };
    requiredPaths = plan.toCapture;
  }
}

/** Identifies a plan: the same plan on the same files has the same fingerprint. */
export function fingerprintOf(plan: ChangeSet): string {
  const hash = createHash('sha1');
  let separator = '';
  const add = (line: readonly unknown[]): void => {
    hash.update(separator + JSON.stringify(line));
    separator = '\n';
  };
  for (const { path, from, to } of plan.paths) add([path, entryToJson(from), entryToJson(to)]);
  for (const { path, before, after, refs, movesIndex, index } of plan.heads ?? []) {
    add([path, before, after, refs, movesIndex ? index : null]);
  }
  return hash.digest('hex');
}

/** @throws SavepointError PENDING if a missing root will need what the plan changes */
function assertNotWaiting(waiting: readonly WaitingTransaction[], root: DiskPath, { paths }: ChangeSet): void {
  for (const { journal, missing, error } of waiting) {
    const held = [...pathsOf(journal), ...missing.map(({ path }) => path)];
    const taken = new PathSet(held.map((path) => machinePath(journal.root, path)));
    if (paths.some(({ path }) => taken.overlaps(machinePath(root, path)))) throw error;
  }
}

/** Returns the absolute path, because overlapping workspaces have different paths for one file. */
function machinePath(root: DiskPath, path: TreePath): TreePath {
  return (path === '' ? root : `${root}/${path}`) as string as TreePath;
}

/** Every plan is made here, so no operation removes what Savepoint has in files of the user. */
async function planIn(
  workspace: Workspace,
  operation: Operation,
  found: Omit<CurrentState, 'entries'>,
  pace: Pace,
): Promise<ChangeSet> {
  const entries = await PresentEntries.in(workspace, found, pace);
  const plan = await operation.plan({ ...found, entries });
  return operation.isVerbatim === true ? plan : entries.keepIn(plan);
}

function withDescription(operation: Operation, { description, rolledBack, rolledBackInPart }: ChangeSet): Operation {
  const overrides = {
    ...(description === undefined ? {} : { description }),
    ...(rolledBack === undefined ? {} : { rolledBack }),
    ...(rolledBackInPart === undefined ? {} : { rolledBackInPart }),
  };
  return { ...operation, info: { ...operation.info, ...overrides } };
}

/** For a preview: marks changes of frozen paths as refused. */
function refuseFrozen({ ports, store }: Workspace, operation: Operation, plan: ChangeSet): ChangeSet {
  const frozen = operation.mayChangeFrozen === true ? [] : readFrozen(ports, store.layout);
  if (frozen.length === 0) return plan;
  const refused = plan.paths.filter(({ path }) => frozenPathOf(frozen, path) !== null);
  return { ...plan, refused: [...plan.refused, ...refused.map(({ path }) => ({ path, why: 'it is frozen' }))] };
}

/**
 * Records an undo even if its work is already done. Otherwise the next undo would find the same operation again, and
 * never reach an older one.
 */
async function recordInverse(
  workspace: Workspace,
  operation: Operation,
  lock: HeldLock,
  pace: Pace,
): Promise<Checkpoint | null> {
  if (operation.info.undoes === null) return null;
  const { checkpoint } = await capture(workspace, lock, pace, operation.info, { always: true, missing: 'empty' });
  return checkpoint;
}

function mayNameNewChanges({ rolledBack = [], rolledBackInPart = [] }: ChangeSet): boolean {
  return rolledBack.length + rolledBackInPart.length > 0;
}

function publicationOf(workspace: Workspace, ref: CheckpointRef): Publication {
  return {
    checkpoint: ref,
    publish: async () => workspace.timeline.publish(ref),
    isPublished: () => workspace.timeline.isPublished(ref),
    withdraw: () => workspace.timeline.withdraw(ref),
  };
}
