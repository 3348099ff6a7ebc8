/** Every act goes the same way: capture, plan, refuse or carry out, with a checkpoint before and one after. */
import { createHash } from 'node:crypto';
import { diskState, holds } from '../io/disk-state.ts';
import { type Fs, FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint, RootState } from '../model/checkpoint.ts';
import { type Entry, type Snapshot, shownEntry } from '../model/entries.ts';
import { type ErrorData, SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, nameToJson, type TreePath } from '../model/names.ts';
import { PathSet } from '../model/path-set.ts';
import type { HeldLock } from '../store/lock.ts';
import type { ObjectBatch, ObjectReader } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { Contents } from '../store/snapshot/contents.ts';
import { entryToJson } from '../store/snapshot/entry-json.ts';
import { assertNotFrozen, frozenPathOf, readFrozen } from '../store/state/frozen.ts';
import {
  type Captured,
  capture,
  look,
  plainTelling,
  remember,
  type Telling,
  type Workspace,
} from '../timeline/capture/capture.ts';
import { type CheckpointRef, readCheckpoint, type TimelineEnd } from '../timeline/record/timeline.ts';
import { type BackupPlace, saveBackups, saveBackupsBeside } from '../transaction/backups.ts';
import type { KeptFile } from '../transaction/late-writes.ts';
import type { Waiting } from '../transaction/recover.ts';
import { pathsOf } from '../transaction/steps.ts';
import type { Publication } from '../transaction/transition.ts';
import type { ScanResult } from '../workspace/scan/scan.ts';
import { carryOut } from './carry-out.ts';
import type { ChangeSet, PathConflict, ThreeSides } from './change-set.ts';
import { composeAfter, endAfter } from './checkpoint-after.ts';
import { keepHeads, withHeads } from './heads.ts';

/** The workspace as an act finds it. */
export interface Today {
  readonly snapshot: Snapshot;
  readonly roots: readonly RootState[];
  /** What Savepoint itself put there: the snapshot has nothing of it. */
  readonly own: OwnPaths;
  /** Reads everything, and takes what the plan brings anew. */
  readonly objects: ObjectBatch;
  /** The last checkpoint before this look; null where there was none. */
  readonly last: Checkpoint | null;
}

export interface Operation {
  readonly telling: Omit<Telling, 'description'> & { readonly description: string };
  readonly plan: (today: Today) => Promise<ChangeSet>;
  /** Also keep plain copies of the files that it replaces or removes: in the store, or beside each file. */
  readonly backups: BackupPlace | null;
  /** It may change what is frozen. */
  readonly overFrozen?: boolean;
}

/** What an operation would do. */
export interface Preview {
  /** What the act says of itself: its trigger, its description, what it brings back or inverts. */
  readonly telling: Operation['telling'];
  readonly plan: ChangeSet;
  /** Names this plan: the same plan on the same files has the same. */
  readonly fingerprint: string;
  /** What could not be captured, so that nothing is known of it. */
  readonly scan: ScanResult;
}

/** What an operation did, and the checkpoints before and after it. */
export interface OperationResult extends Preview {
  /** The state before; what changed since the last checkpoint is in it. */
  readonly before: Checkpoint;
  /** It was taken for this act; else the last checkpoint was that state already. */
  readonly beforeIsNew: boolean;
  /** The state after; null where there was nothing to do (an undo or redo is on record even then). */
  readonly checkpoint: Checkpoint | null;
  /** Bytes that someone wrote through an open handle into files that were replaced. */
  readonly kept: readonly KeptFile[];
  /** Plain copies of files as they were, for acts that ask for them. */
  readonly backups: readonly KeptFile[];
}

/** What the act would do now. Writes nothing, holds no lock. */
export async function previewOperation(workspace: Workspace, act: Operation, pace: Pace): Promise<Preview> {
  let must: readonly TreePath[] = [];
  for (;;) {
    const { scan, objects, latest } = await look(workspace, pace, { must: new PathSet(must), missing: 'empty' });
    const planned = await act.plan({
      snapshot: scan.snapshot,
      roots: scan.roots,
      own: scan.own,
      objects,
      last: latest,
    });
    const plan = withFrozen(workspace, act, planned);
    if (plan.mustCapture.length === 0 || must.length > 0) {
      return { telling: described(act, plan).telling, plan, fingerprint: fingerprintOf(plan), scan };
    }
    must = plan.mustCapture;
  }
}

/** What an act works with: the locks of all workspaces that overlap are held, and what could be settled there is. */
export interface OperationContext {
  readonly workspace: Workspace;
  readonly lock: HeldLock;
  readonly pace: Pace;
  /** What could not: their paths are not to be touched. */
  readonly waiting: readonly Waiting[];
}

/**
 * @param expected fingerprint of the preview that was agreed to; null when none was shown
 * @throws SavepointError CONFLICT, PATH_REFUSED, PENDING and all that a capture and a transaction throw
 */
export async function runOperation(
  context: OperationContext,
  asked: Operation,
  expected: string | null,
): Promise<OperationResult> {
  const { workspace, lock, pace, waiting } = context;
  const end = workspace.timeline.end();
  const batch = workspace.store.objects.batch();
  try {
    const { plan, before } = await captureAndPlan(context, asked, batch, end);
    const act = described(asked, plan);
    const fingerprint = fingerprintOf(plan);
    if (expected !== null && expected !== fingerprint) {
      throw new SavepointError(
        'CONFLICT',
        'The files changed after the preview.',
        { paths: [] },
        {
          hint: 'Nothing was changed. Run the preview again.',
        },
      );
    }
    if (act.overFrozen !== true) {
      assertNotFrozen(
        readFrozen(workspace.ports, workspace.store.layout),
        plan.paths.map(({ path }) => path),
      );
    }
    refuse(plan);
    assertNoneWaits(waiting, workspace.root, plan);
    const seen: Preview = { telling: act.telling, plan, fingerprint, scan: before.scan };
    const stateBefore = { before: before.checkpoint, beforeIsNew: before.made };
    if (plan.paths.length === 0 && (plan.heads ?? []).length === 0) {
      batch.abandon();
      const checkpoint = await recordInverse(workspace, act, lock, pace);
      return { ...seen, ...stateBefore, checkpoint, kept: [], backups: [] };
    }
    const contents = new Contents(plan.contents);
    const heads = await keepHeads(workspace, plan.heads ?? [], batch, pace);
    const ref = await composeAfter({
      workspace,
      telling: { ...act.telling, heads: heads.told },
      before,
      plan,
      batch,
      end,
      contents,
      pace,
    });
    await batch.finish();
    heads.makeDurable(ref);
    // Read before it happens: once it has, nothing may fail any more.
    const checkpoint = readCheckpoint(workspace.store.objects, ref.commit);
    const objects = contents.over(workspace.store.objects);
    const backups = act.backups === null ? [] : await backUp(workspace, before.checkpoint, plan, act.backups, objects);
    const publication = withHeads(workspace, publicationOf(workspace, ref));
    const kept = await carryOut({ workspace, lock, pace, plan, objects, publication }).catch((error: unknown) => {
      heads.failed(error);
      throw toldWithBackups(error, workspace, plan, backups);
    });
    heads.done();
    remember(
      workspace,
      ref.commit,
      before.scan,
      plan.paths.map(({ path }) => path),
    );
    return { ...seen, ...stateBefore, checkpoint, kept, backups };
  } catch (error) {
    batch.abandon();
    throw error;
  }
}

/** @throws SavepointError PENDING where a root that is not there will need what the plan changes */
function assertNoneWaits(waiting: readonly Waiting[], root: DiskPath, { paths }: ChangeSet): void {
  for (const { journal, missing, error } of waiting) {
    const held = [...pathsOf(journal), ...missing.map(({ path }) => path)];
    const taken = new PathSet(held.map((path) => pathOnMachine(journal.root, path)));
    if (paths.some(({ path }) => taken.reaches(pathOnMachine(root, path)))) throw error;
  }
}

/** Workspaces that overlap have different paths for one file. */
function pathOnMachine(root: DiskPath, path: TreePath): TreePath {
  return (path === '' ? root : `${root}/${path}`) as string as TreePath;
}

function described(act: Operation, { description, rolledBack }: ChangeSet): Operation {
  const told = {
    ...(description === undefined ? {} : { description }),
    ...(rolledBack === undefined ? {} : { rolledBack }),
  };
  return { ...act, telling: { ...act.telling, ...told } };
}

/** For a preview: what is frozen would be refused. */
function withFrozen({ ports, store }: Workspace, act: Operation, plan: ChangeSet): ChangeSet {
  const frozen = act.overFrozen === true ? [] : readFrozen(ports, store.layout);
  if (frozen.length === 0) return plan;
  const hit = plan.paths.filter(({ path }) => frozenPathOf(frozen, path) !== null);
  return { ...plan, refused: [...plan.refused, ...hit.map(({ path }) => ({ path, why: 'it is frozen' }))] };
}

async function backUp(
  { ports, store, root }: Workspace,
  before: Checkpoint,
  plan: ChangeSet,
  place: BackupPlace,
  objects: ObjectReader,
): Promise<readonly KeptFile[]> {
  const name = `${before.id}-${ports.random.hex(4)}`;
  const input = { ports, layout: store.layout, root, objects, name, transitions: plan.paths };
  return place === 'store' ? saveBackups(input) : saveBackupsBeside(input);
}

/** What is half done is told file by file, so that a person can put it right with the backups alone. */
function toldWithBackups(
  error: unknown,
  { ports, root }: Workspace,
  plan: ChangeSet,
  backups: readonly KeptFile[],
): unknown {
  if (!(error instanceof SavepointError) || error.code !== 'PENDING' || backups.length === 0) return error;
  const copies = new Map(backups.map(({ path, backup }) => [path, nameToJson(backup)]));
  const paths = plan.paths.map(({ path, from }) => {
    const backup = copies.get(path);
    const state = stateOf(ports.fs, diskChild(root, path), from);
    return { path: nameToJson(path), state, ...(backup === undefined ? {} : { backup }) };
  });
  return new SavepointError(
    error.code,
    error.message,
    { ...error.data, paths },
    { hint: error.hint, cause: error.cause },
  );
}

function stateOf(fs: Fs, disk: DiskPath, from: Entry | null): 'restored' | 'not restored' | 'not known' {
  try {
    return holds(diskState(fs, disk), from) ? 'restored' : 'not restored';
  } catch (error) {
    if (error instanceof FsError) return 'not known';
    throw error;
  }
}

/**
 * An undo that finds its work done already is on record all the same, or the next undo would come to the same act again
 * and never to an older one.
 */
async function recordInverse(
  workspace: Workspace,
  act: Operation,
  lock: HeldLock,
  pace: Pace,
): Promise<Checkpoint | null> {
  if (act.telling.undoes === null) return null;
  const { checkpoint } = await capture(workspace, lock, pace, act.telling, { always: true, missing: 'empty' });
  return checkpoint;
}

/** What an act will overwrite is captured first, also where today's rules would leave it out. */
async function captureAndPlan(
  { workspace, lock, pace }: OperationContext,
  act: Operation,
  batch: ObjectBatch,
  last: TimelineEnd,
): Promise<{ readonly plan: ChangeSet; readonly before: Captured }> {
  let must: readonly TreePath[] = [];
  let end = last;
  let isStoredAgain = false;
  for (;;) {
    const before = await capture(
      workspace,
      lock,
      pace,
      { ...plainTelling('before', act.telling.actor), session: act.telling.session, toolCall: act.telling.toolCall },
      { always: false, must: new PathSet(must), missing: 'empty', end },
    );
    end = endAfter(end, before.checkpoint);
    let plan: ChangeSet;
    try {
      plan = await act.plan({
        snapshot: before.checkpoint.snapshot,
        roots: before.scan.roots,
        own: before.scan.own,
        objects: batch,
        last: last.latest,
      });
    } catch (error) {
      if (isStoredAgain || !(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
      // The capture did not look at what the stat cache vouches for. Without it, all that is sound on disk is stored again.
      workspace.memory.forget();
      isStoredAgain = true;
      continue;
    }
    if (plan.mustCapture.length === 0 || must.length > 0) return { plan, before };
    must = plan.mustCapture;
  }
}

function refuse(plan: ChangeSet): void {
  const refused = [
    ...plan.refused,
    ...plan.mustCapture.map((path) => ({ path, why: 'its current content cannot be backed up' })),
  ];
  const [first] = refused;
  if (first !== undefined) {
    const paths = listed(refused);
    throw new SavepointError(
      'PATH_REFUSED',
      `${counted(refused.length, 'path')} cannot be overwritten: ${first.why}.`,
      {
        path: nameToJson(first.path),
        why: first.why,
        paths,
      },
      plan.hint === null ? {} : { hint: plan.hint },
    );
  }
  const unmoved = plan.headsRefused ?? [];
  if (unmoved.length > 0) {
    const repositories = unmoved.map(({ path, why }) => ({ path: nameToJson(path), why }));
    throw new SavepointError('GIT_REFUSED', `Branches cannot be restored: ${unmoved[0]?.why}.`, { repositories });
  }
  if (plan.conflicts.length > 0) {
    throw new SavepointError(
      'CONFLICT',
      `${counted(plan.conflicts.length, 'path')} would lose content.`,
      { paths: listed(plan.conflicts) },
      plan.hint === null ? {} : { hint: plan.hint },
    );
  }
}

function listed(conflicts: readonly PathConflict[]): ErrorData<'CONFLICT'>['paths'] {
  return conflicts.map(({ path, why, sides }) => ({
    path: nameToJson(path),
    why,
    ...(sides === undefined ? {} : sidesToJson(sides)),
  }));
}

function sidesToJson({ base, ours, theirs, text }: ThreeSides) {
  return {
    base: shownEntry(base),
    ours: shownEntry(ours),
    theirs: shownEntry(theirs),
    text: text === null ? null : nameToJson(text.toString('latin1')),
  };
}

function publicationOf(workspace: Workspace, ref: CheckpointRef): Publication {
  return {
    checkpoint: ref,
    publish: async () => workspace.timeline.publish(ref),
    isPublished: () => workspace.timeline.isPublished(ref),
    withdraw: () => workspace.timeline.withdraw(ref),
  };
}

function fingerprintOf(plan: ChangeSet): string {
  const paths = plan.paths.map(({ path, from, to }) => JSON.stringify([path, entryToJson(from), entryToJson(to)]));
  const heads = (plan.heads ?? []).map(({ path, before, after, refs, movesIndex, index }) =>
    JSON.stringify([path, before, after, refs, movesIndex ? index : null]),
  );
  const lines = [...paths, ...heads];
  return createHash('sha1').update(lines.join('\n')).digest('hex');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
