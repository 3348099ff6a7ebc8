/**
 * Settling what a dead process left. Nothing is touched before everything was looked at.
 *
 * - An intent without a journal: the transaction never happened; its staging folder goes.
 * - A journal whose checkpoint is published: it is done; what is left of it goes (D6).
 * - A journal whose every path holds its old content, its new content or nothing: forward; if the system refuses, back.
 * - A journal that has changed something where nothing is mounted now waits. Somebody may decide to take back what can be
 *   reached; what is left of the journal then is taken back when the mount is there again.
 * - Anything else stays as it is until someone decides.
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
  /** What someone decided; null settles only what needs no decision. */
  readonly decision: 'forward' | 'back' | null;
  /** How a journal's checkpoint is published; its number may have been taken since. */
  readonly publication: (journal: Journal) => Publication;
}

export interface RecoveredTransaction {
  readonly transaction: TransactionId;
  readonly direction: 'forward' | 'back' | 'discarded';
  readonly paths: readonly TreePath[];
  readonly kept: readonly BackupFile[];
}

/** What cannot be settled before a root is there again. Its paths may not be written to; all others may. */
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
 * Settles everything that can be settled.
 * @throws SavepointError PENDING at the first transaction that needs a decision or that the system does not let us settle
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
  return { recovered: recovered, waiting };
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
    // Its steps are for that folder alone; once it is let go of, any checkpoint can be restored whole.
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

/** What is left of the journal afterwards is about the missing mounts alone, and can only be taken back. */
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
      await applyForward({ site, steps, transitions, checked: new Map() }, input.pace.uncancellable());
      input.lock.assertHeld();
      await publication.publish();
      return 'forward';
    } catch (error) {
      if (!isExpectedError(error)) throw error;
      // Who asked for one way is not taken the other.
      if (input.decision === 'forward') throw pendingError(journal, error, error);
      refusal = error;
    }
  }
  try {
    if (publication.isPublished()) publication.withdraw();
    await publication.rollBack?.();
    await applyBackward({ site, steps, transitions, checked: new Map() });
    return 'back';
  } catch (error) {
    if (!isExpectedError(error)) throw error;
    throw pendingError(journal, refusal ?? error, error);
  }
}

/** Null when the journal's folder is where it was. */
function folderProblem(ports: Ports, journal: Journal): string | null {
  const stat = ports.fs.lstat(journal.root);
  if (stat === null) return 'the workspace folder no longer exists';
  return stillSameFolder(journal.identity, identityOf(stat))
    ? null
    : 'the workspace folder was replaced by another folder';
}

/**
 * Someone's save that was moved aside and not looked at before the crash gets its name back, so that it counts as what
 * is there.
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

/** Null as well where somebody's link stands in the way: what lies behind it is no concern of the transaction. */
function diskPathOrNull(site: Site, path: TreePath): DiskPath | null {
  try {
    return diskPathAt(site, path);
  } catch (error) {
    if (error instanceof ForeignContent) return null;
    throw error;
  }
}
