/**
 * The only module that writes into a workspace.
 *
 *   prepared ──stageAll()──▶ staged ──writeJournal()──▶ committed ──applyForward()──▶ applied ──publish()──▶ published
 *      │                        │                           │                            │                      │
 *   refused                 discarded                applyBackward()              applyBackward()             tidied
 * (nothing changed)      (nothing changed)                  ▼                            ▼
 *                                                      rolled back                  rolled back
 *
 * If applyBackward() fails, or the process dies after the commit, the transaction is pending. recover() then brings it
 * to either end: published or rolled back.
 *
 * Invariants (tests cite them)
 * D1  Before the journal is durable, nothing in the workspace has changed except a staging folder, which the intent
 *     names.
 * D2  Before the journal is durable, every byte that the transaction removes or writes is durable in the store.
 * D3  The journal is written completely and then renamed into place. If its checksum is wrong, it is damaged, never
 *     half-written.
 * D4  Between commit and publication, every path holds its old content, its new content, or nothing. If it holds
 *     nothing, both contents are in the store. Each step can be repeated, so any subset may have reached the disk.
 * D5  No file is replaced: the old one is renamed aside and checked there, and the new one takes a free name. If
 *     another program saves at that moment, its save is noticed and kept, and the transaction ends as a conflict.
 * D6  The checkpoint after is published only when every path was read back with the right content and its folders are
 *     synced. Once it is published, the transaction is done, whatever remains to be tidied.
 * D7  A failure after the commit point ends before the call returns. Either the transaction is rolled back (conflict
 *     or error, nothing changed), or it is pending and keeps its journal.
 * D8  The journal of a rolled-back transaction is durably removed before the call reports the rollback. Otherwise
 *     recovery would carry it out again.
 * D9  The lock is confirmed before the commit point and before publication.
 * D10 If a process writes through an open handle to a file that has been moved aside, the new data is kept as a
 *     backup. If the transaction rolls back, the file gets its name back instead. The same holds for a file that was
 *     put in place and then withdrawn.
 */

import { type Fd, FsError, MAX_SYNCED_TOGETHER } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { SavepointError } from '../model/errors.ts';
import type { TransactionId, WorkspaceId } from '../model/ids.ts';
import type { DiskPath } from '../model/names.ts';
import { identityOf } from '../store/folder-identity.ts';
import type { StoreLayout } from '../store/layout.ts';
import type { HeldLock } from '../store/lock.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { makeFolders, syncAncestors } from '../store/private-folders.ts';
import { stageName } from '../store/staging-names.ts';
import { applyBackward, applyForward, type Execution } from './apply.ts';
import { journalFile, removeJournal, writeIntent, writeJournal } from './journal.ts';
import { type BackupFile, saveLateWrites, saveWithdrawnWrites } from './late-writes.ts';
import { affectedMounts, mountPointsIn } from './mounts.ts';
import { asSavepointError, conflictError, isExpectedError, pendingError } from './outcome.ts';
import { checkTransitions, closedFolders } from './prepare.ts';
import { diskPathAt, ForeignContent, hasWholeSync, openSite, type Site, syncWhole, writeStaged } from './site.ts';
import { discardStage } from './stage.ts';
import { hasSameContent, isModeChangeOnly, stepsFor } from './steps.ts';
import type { Intent, Journal, Publication, Transition } from './transition.ts';

export interface TransactionInput {
  readonly ports: Ports;
  readonly layout: StoreLayout;
  readonly workspace: WorkspaceId;
  /** Real path of the workspace. If it is missing, it is created with its parents. */
  readonly root: DiskPath;
  readonly objects: ObjectReader;
  readonly transitions: readonly Transition[];
  readonly publication: Publication;
  readonly lock: HeldLock;
  /** Cancels up to the commit point, never after. */
  readonly pace: Pace;
}

export interface TransactionResult {
  readonly transaction: TransactionId;
  readonly paths: number;
  /** Files that other programs wrote to through open handles after they were replaced, and where that data is. */
  readonly kept: readonly BackupFile[];
}

/**
 * Runs a transaction, all or nothing.
 * @throws SavepointError PATH_REFUSED, NAME_COLLISION, NO_SPACE, CONFLICT, IO, LOCK_LOST, CANCELLED: nothing
 *   changed; PENDING: see D7
 */
export async function runTransaction(input: TransactionInput): Promise<TransactionResult> {
  const { ports, layout, root } = input;
  const transaction = ports.random.hex(8) as TransactionId;
  let intent: Intent & Pick<Journal, 'mounts'>;
  let points: ReturnType<typeof mountPointsIn>;
  try {
    const makesRoot = ports.fs.lstat(root) === null;
    points = mountPointsIn(ports, root);
    const mounts = makesRoot ? [] : affectedMounts(ports, root, points, input.transitions);
    intent = { transaction, root, stage: stageName(transaction), mounts, makesRoot };
  } catch (error) {
    throw asSavepointError(error);
  }
  try {
    writeIntent(ports.fs, layout.journal, intent);
  } catch (error) {
    abandon(input, intent, null);
    throw asSavepointError(error);
  }
  let site: Site | null = null;
  let journal: Journal;
  try {
    if (intent.makesRoot) {
      makeFolders(ports.fs, root, 0o755);
      syncAncestors(ports.fs, root);
    }
    site = openSite(ports, { ...intent, transitions: input.transitions }, input.objects);
    const transitions = markShared(site, input.transitions);
    checkTransitions(ports, site, points, transitions);
    await stageAll(site, transitions, input.pace);
    journal = journalOf(input, intent, site, transitions);
    input.pace.throwIfCancelled();
    input.lock.assertHeld();
    writeJournal(ports.fs, layout.journal, journal);
  } catch (error) {
    abandon(input, intent, site);
    throw asSavepointError(error);
  }
  try {
    return await complete(input, intent, journal, site);
  } finally {
    site.close();
  }
}

/** Finds the files that get new permissions and have several names. */
function markShared(site: Site, transitions: readonly Transition[]): readonly Transition[] {
  return transitions.map((transition) => {
    const { path, from, to } = transition;
    if (from?.kind !== 'file' || !hasSameContent({ from, to })) return transition;
    const disk = diskPathAt(site, path);
    const stat = disk === null ? null : site.fs.lstat(disk);
    return stat !== null && stat.nlink > 1 ? { ...transition, isShared: true } : transition;
  });
}

function journalOf(
  input: TransactionInput,
  intent: Intent & Pick<Journal, 'mounts'>,
  site: Site,
  transitions: readonly Transition[],
): Journal {
  const stat = input.ports.fs.lstat(input.root);
  if (stat === null) throw new FsError('ENOENT', 'lstat', input.root);
  return {
    transaction: intent.transaction,
    workspace: input.workspace,
    root: input.root,
    identity: identityOf(stat),
    stage: intent.stage,
    mounts: intent.mounts,
    isRolledBack: false,
    transitions,
    closed: closedFolders(site, transitions),
    checkpoint: input.publication.checkpoint,
  };
}

/**
 * Stages all new files. They are durable when it returns, as the journal requires (D4). They may become durable in any
 * order: nothing refers to them until the journal is written, which is later.
 */
async function stageAll(site: Site, transitions: readonly Transition[], pace: Pace): Promise<void> {
  const { fs } = site;
  const staged = transitions.flatMap((transition, slot) =>
    transition.to?.kind === 'file' && !isModeChangeOnly(transition) ? [{ slot, entry: transition.to }] : [],
  );
  const isSyncedWhole = hasWholeSync(site);
  for (let at = 0; at < staged.length; at += MAX_SYNCED_TOGETHER) {
    const open: Fd[] = [];
    try {
      for (const { slot, entry } of staged.slice(at, at + MAX_SYNCED_TOGETHER)) {
        if (pace.isDue()) await pace.yieldNow({ phase: 'stage', done: slot, total: transitions.length });
        open.push(await writeStaged(site, slot, entry));
      }
      if (!isSyncedWhole) await fs.syncAll(open);
    } finally {
      for (const file of open) fs.close(file);
    }
  }
  if (isSyncedWhole) await syncWhole(site);
}

/** A transaction past its commit point. */
interface CommittedTransaction {
  readonly intent: Intent;
  readonly journal: Journal;
  readonly execution: Execution;
}

/** Takes a transaction from the commit point to one of its two ends, or to pending (D7). */
async function complete(
  input: TransactionInput,
  intent: Intent,
  journal: Journal,
  site: Site,
): Promise<TransactionResult> {
  const { transitions } = journal;
  const steps = stepsFor(transitions, journal.closed);
  const execution: Execution = { site, steps, transitions, checked: new Map(), isStagedHere: true };
  const committed: CommittedTransaction = { intent, journal, execution };
  try {
    await applyForward(execution, input.pace.uncancellable());
    input.lock.assertHeld();
    await publishOrWithdraw(input.publication);
  } catch (cause) {
    throw await rollBack(input, committed, cause);
  }
  const lateWrites = finishTransaction(input, committed);
  return { transaction: journal.transaction, paths: transitions.length, kept: lateWrites };
}

/** Publishes the checkpoint. If the ref was written but not synced, withdraws it: it must not outlive a rollback. */
async function publishOrWithdraw(publication: Publication): Promise<void> {
  try {
    await publication.publish();
  } catch (error) {
    if (!isExpectedError(error)) throw error;
    publication.withdraw();
    throw error;
  }
}

/** Rolls back a committed transaction and returns the error for the caller. */
async function rollBack(
  input: TransactionInput,
  { intent, journal, execution }: CommittedTransaction,
  cause: unknown,
): Promise<SavepointError> {
  const { site, checked } = execution;
  let foreign: readonly ForeignContent[] = [];
  const lateWrites: BackupFile[] = [];
  for (let attempt = 1; ; attempt++) {
    try {
      if (input.publication.isPublished()) input.publication.withdraw();
      await input.publication.rollBack?.();
      foreign = await applyBackward(execution);
      lateWrites.push(...saveLateWrites(input.ports.fs, input.layout, journal, site, checked));
      lateWrites.push(...saveWithdrawnWrites(input.ports.fs, input.layout, journal, site));
      removeJournal(input.ports.fs, input.layout.journal, journal.transaction);
      break;
    } catch (error) {
      if (attempt === 2) return pendingError(journal, cause, error);
    }
  }
  site.close();
  discardStage(input.ports, input.layout.journal, intent, 'back');
  if (cause instanceof ForeignContent) {
    return conflictError([cause, ...foreign.filter(({ path }) => path !== cause.path)], lateWrites);
  }
  return asSavepointError(cause);
}

/** After publication nothing can fail any more. The next writer removes what cannot be removed now. */
function finishTransaction(
  input: TransactionInput,
  { intent, journal, execution }: CommittedTransaction,
): readonly BackupFile[] {
  const { site, checked } = execution;
  let lateWrites: readonly BackupFile[] = [];
  try {
    lateWrites = saveLateWrites(input.ports.fs, input.layout, journal, site, checked);
    removeJournal(input.ports.fs, input.layout.journal, journal.transaction);
    site.close();
    discardStage(input.ports, input.layout.journal, intent, 'done');
  } catch (error) {
    if (!isExpectedError(error)) throw error;
  }
  return lateWrites;
}

/** Abandons a transaction before the commit point, when nothing but the staging folder was made (D1). */
function abandon(input: TransactionInput, intent: Intent, site: Site | null): void {
  const { fs } = input.ports;
  try {
    // writeJournal may have failed after its rename. Recovery would then carry out the transaction (D8).
    if (fs.lstat(journalFile(input.layout.journal, intent.transaction)) !== null) {
      removeJournal(fs, input.layout.journal, intent.transaction);
    }
  } catch (error) {
    if (!isExpectedError(error)) throw error;
    site?.close();
    throw pendingError(intent, error, error);
  }
  site?.close();
  discardStage(input.ports, input.layout.journal, intent, 'back');
}
