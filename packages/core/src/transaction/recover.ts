/**
 * Recovers what a dead process left. Everything is checked before anything is touched.
 *
 * - An intent without a journal: the transaction was never committed. Its staging folder is removed.
 * - A journal whose checkpoint is published: the transaction is done. The rest of it is removed (D6).
 * - A journal whose paths all hold their old content, their new content or nothing: it is completed. If a system call
 *   fails, it is rolled back.
 * - A journal that changed something in a mount that is missing now: it waits. The user may decide to roll back what
 *   can be reached. What remains of the journal is then rolled back when the mount is available again.
 * - Anything else stays unchanged until the user decides.
 */

import { diskState, matchesEntry } from '../io/disk-state.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { SavepointError } from '../model/errors.ts';
import type { TransactionId } from '../model/ids.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import { identityOf, stillSameFolder } from '../store/folder-identity.ts';
import type { StoreLayout } from '../store/layout.ts';
import type { HeldLock } from '../store/lock.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { applyBackward, applyForward, foreignPaths } from './apply.ts';
import { clearJournalDebris, listUnfinished, removeJournal, writeJournal } from './journal.ts';
import { type BackupFile, copyToBackups, saveLateWrites, saveWithdrawnWrites } from './late-writes.ts';
import { isInMount, missingMounts } from './mounts.ts';
import { type ExpectedError, isExpectedError, missingRootError, pendingError, undecidedError } from './outcome.ts';
import { asideFile, diskPathAt, ForeignContent, moveWithoutReplacing, openSite, type Site } from './site.ts';
import { discardStage } from './stage.ts';
import { isLeaf, pathsOf, stepsFor } from './steps.ts';
import type { Intent, Journal, Mount, Publication, Transition } from './transition.ts';

export interface RecoverInput {
  readonly ports: Ports;
  readonly layout: StoreLayout;
  readonly objects: ObjectReader;
  readonly lock: HeldLock;
  readonly pace: Pace;
  /** What the user decided; null: recover only what needs no decision. */
  readonly decision: 'forward' | 'back' | null;
  /** Returns how to publish a journal's checkpoint. Its number may have been taken since. */
  readonly publication: (journal: Journal) => Publication;
}

export interface RecoveredTransaction {
  readonly transaction: TransactionId;
  readonly direction: 'forward' | 'back' | 'discarded';
  readonly paths: readonly TreePath[];
  readonly kept: readonly BackupFile[];
}

/** A transaction that cannot be recovered while a root is missing. Its paths must not be written to; all others may. */
export interface WaitingTransaction {
  readonly journal: Journal;
  readonly missing: readonly Mount[];
  readonly error: SavepointError;
}

export interface Recovery {
  readonly recovered: readonly RecoveredTransaction[];
  readonly waiting: readonly WaitingTransaction[];
}

/**
 * Recovers everything that can be recovered.
 * @throws SavepointError PENDING at the first transaction that needs a decision or whose recovery fails
 */
export async function recover(input: RecoverInput): Promise<Recovery> {
  const { ports, layout } = input;
  if (!input.lock.wasLastHolder) clearJournalDebris(ports.fs, layout.journal);
  const { intents, journals } = listUnfinished(ports, layout.journal);
  const recovered: RecoveredTransaction[] = [];
  const waiting: WaitingTransaction[] = [];
  const intentOf = new Map(intents.map((intent) => [intent.transaction, intent]));
  for (const journal of journals) {
    const intent = intentOf.get(journal.transaction) ?? { ...journal, makesRoot: false };
    const done = await recoverJournal(input, journal, intent);
    recovered.push(...done.recovered);
    waiting.push(...done.waiting);
  }
  const committed = new Set(journals.map(({ transaction }) => transaction));
  for (const intent of intents) {
    if (committed.has(intent.transaction) || !discardStage(ports, layout.journal, intent, 'back')) continue;
    recovered.push({ transaction: intent.transaction, direction: 'discarded', paths: [], kept: [] });
  }
  return { recovered, waiting };
}

async function recoverJournal(input: RecoverInput, journal: Journal, intent: Intent): Promise<Recovery> {
  const { ports, layout } = input;
  const { transaction } = journal;
  const done = (
    direction: RecoveredTransaction['direction'],
    end: 'done' | 'back',
    change: Partial<RecoveredTransaction> = {},
  ): Recovery => {
    removeJournal(ports.fs, layout.journal, transaction);
    discardStage(ports, layout.journal, intent, end);
    return { recovered: [{ transaction, direction, paths: pathsOf(journal), kept: [], ...change }], waiting: [] };
  };
  const publication = input.publication(journal);
  if (publication.isPublished()) return done('forward', 'done');
  const elsewhere = folderProblem(ports, journal);
  if (elsewhere !== null) {
    // Its steps apply only to that folder. Once the journal is gone, any checkpoint can be restored completely.
    if (input.decision !== 'back') throw undecidedError(journal, `${elsewhere}, so it can only be rolled back`, []);
    return done('back', 'done', { paths: [] });
  }
  const missing = missingMounts(ports, journal);
  if (missing.length > 0) {
    if (input.decision !== 'back') {
      return { recovered: [], waiting: [{ journal, missing, error: missingRootError(journal, missing) }] };
    }
    return journal.isRolledBack
      ? done('back', 'done', { paths: [] })
      : rollBackReachable(input, journal, intent, missing, publication);
  }
  const decision = journal.isRolledBack ? 'back' : input.decision;
  const site = openSite(ports, journal, input.objects);
  try {
    returnForeignFiles(site, journal);
    const foreign = foreignPaths(site, journal.transitions);
    if (foreign.length > 0 && decision === null) {
      throw undecidedError(
        journal,
        `${foreign.length} ${foreign.length === 1 ? 'file has' : 'files have'} changed since`,
        foreign,
      );
    }
    const kept = decision === 'forward' ? backUpForeignFiles(input, journal, site, foreign) : [];
    const direction = await finish({ ...input, decision }, journal, site, publication);
    kept.push(...saveLateWrites(ports.fs, layout, journal, site, new Map()));
    if (direction === 'back') kept.push(...saveWithdrawnWrites(ports.fs, layout, journal, site));
    site.close();
    return done(direction, direction === 'forward' ? 'done' : 'back', { kept });
  } finally {
    site.close();
  }
}

/** Rolls back what can be reached. The rest of the journal covers the missing mounts and can only be rolled back. */
async function rollBackReachable(
  input: RecoverInput,
  journal: Journal,
  intent: Intent,
  missing: readonly Mount[],
  publication: Publication,
): Promise<Recovery> {
  const { ports, layout } = input;
  const only = (wanted: (path: TreePath) => boolean): readonly Transition[] =>
    journal.transitions.map((transition) =>
      wanted(transition.path) ? transition : { path: transition.path, from: null, to: null },
    );
  const here: Journal = {
    ...journal,
    transitions: only((path) => !isInMount(path, missing)),
    closed: journal.closed.filter(({ path }) => !isInMount(path, missing)),
    mounts: journal.mounts.filter((mount) => !missing.includes(mount)),
  };
  const kept: BackupFile[] = [];
  const site = openSite(ports, here, input.objects);
  try {
    returnForeignFiles(site, here);
    await finish(input, here, site, publication);
    kept.push(...saveLateWrites(ports.fs, layout, here, site, new Map()));
    kept.push(...saveWithdrawnWrites(ports.fs, layout, here, site));
  } finally {
    site.close();
  }
  const rest: Journal = {
    ...journal,
    isRolledBack: true,
    transitions: only((path) => isInMount(path, missing)),
    closed: journal.closed.filter(({ path }) => isInMount(path, missing)),
  };
  writeJournal(ports.fs, layout.journal, rest);
  discardStage(ports, layout.journal, intent, 'back');
  const { transaction } = journal;
  return {
    recovered: [{ transaction, direction: 'back', paths: pathsOf(here), kept }],
    waiting: [{ journal: rest, missing, error: missingRootError(rest, missing) }],
  };
}

async function finish(
  input: RecoverInput,
  journal: Journal,
  site: Site,
  publication: Publication,
): Promise<'forward' | 'back'> {
  const { transitions } = journal;
  const steps = stepsFor(transitions, journal.closed);
  let refusal: ExpectedError | null = null;
  if (input.decision !== 'back') {
    try {
      await applyForward(
        { site, steps, transitions, checked: new Map(), isStagedHere: false },
        input.pace.uncancellable(),
      );
      input.lock.assertHeld();
      await publication.publish();
      return 'forward';
    } catch (error) {
      if (!isExpectedError(error)) throw error;
      // If the user chose one direction, recovery never goes the other way.
      if (input.decision === 'forward') throw pendingError(journal, error, error);
      refusal = error;
    }
  }
  try {
    if (publication.isPublished()) publication.withdraw();
    await publication.rollBack?.();
    await applyBackward({ site, steps, transitions, checked: new Map(), isStagedHere: false });
    return 'back';
  } catch (error) {
    if (!isExpectedError(error)) throw error;
    throw pendingError(journal, refusal ?? error, error);
  }
}

/** Returns null if the journal's folder is where it was. */
function folderProblem(ports: Ports, journal: Journal): string | null {
  const stat = ports.fs.lstat(journal.root);
  if (stat === null) return 'the workspace folder no longer exists';
  return stillSameFolder(journal.identity, identityOf(stat))
    ? null
    : 'the workspace folder was replaced by another folder';
}

/**
 * If another program's save was moved aside and not checked before the crash, gives it its name back. It then counts
 * as the existing content.
 */
function returnForeignFiles(site: Site, journal: Journal): void {
  for (const [slot, { path, from, to }] of journal.transitions.entries()) {
    if (!isLeaf(from)) continue;
    const aside = asideFile(site, slot);
    const state = diskState(site.fs, aside);
    if (state.kind === 'absent' || matchesEntry(state, from)) continue;
    if (isLeaf(to) && matchesEntry(state, to)) continue;
    const disk = diskPathOrNull(site, path);
    if (disk === null || site.fs.lstat(disk) !== null) continue;
    moveWithoutReplacing(site.fs, aside, disk);
  }
}

function backUpForeignFiles(
  input: RecoverInput,
  journal: Journal,
  site: Site,
  foreign: readonly ForeignContent[],
): BackupFile[] {
  const kept: BackupFile[] = [];
  for (const { path } of foreign) {
    const slot = journal.transitions.findIndex((transition) => transition.path === path);
    const disk = diskPathOrNull(site, path);
    if (disk === null || diskState(site.fs, disk).kind !== 'file') continue;
    const stranger = { transaction: journal.transaction, slot, path, file: disk };
    const backup = copyToBackups(input.ports.fs, input.layout, stranger);
    site.fs.unlink(disk);
    kept.push({ path, backup });
  }
  return kept;
}

/** Also returns null if another program's link is in the way: what it points to does not concern the transaction. */
function diskPathOrNull(site: Site, path: TreePath): DiskPath | null {
  try {
    return diskPathAt(site, path);
  } catch (error) {
    if (error instanceof ForeignContent) return null;
    throw error;
  }
}
