/**
 * Settling what a dead process left. Nothing is touched before everything was looked at.
 *
 * - An intent without a journal: the transaction never happened; its staging folder goes.
 * - A journal whose checkpoint is published: it is done; what is left of it goes (D6).
 * - A journal whose every path holds its old content, its new content or nothing: forward; if the system refuses, back.
 * - Anything else stays as it is until someone decides.
 */

import { diskState, holds } from '../io/disk-state.ts';
import type { Pace } from '../io/pace.ts';
import type { Ports } from '../io/ports.ts';
import type { TransactionId } from '../model/ids.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import type { StoreLayout } from '../store/layout.ts';
import type { HeldLock } from '../store/lock.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { identityOf, sameFolder } from '../store/records.ts';
import { applyBack, applyForward, type Checked, foreignPaths } from './apply.ts';
import type { Publication } from './door.ts';
import { clearJournalDebris, listUnsettled, removeJournal } from './journal.ts';
import { copyAway, type KeptFile, keepLateWrites, keepWithdrawn } from './late-writes.ts';
import { type Expected, isExpected, pendingError, unsettledError } from './outcome.ts';
import { asideFile, ForeignContent, moveWithoutReplacing, openSite, type Site, where } from './site.ts';
import { discardStage } from './stage.ts';
import { isLeaf, stepsFor } from './steps.ts';
import type { Intent, Journal } from './transition.ts';

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

export interface Recovered {
  readonly transaction: TransactionId;
  readonly direction: 'forward' | 'back' | 'discarded';
  readonly paths: readonly TreePath[];
  readonly kept: readonly KeptFile[];
}

/**
 * Settles everything that can be settled.
 * @throws SavepointError PENDING at the first transaction that needs a decision or that the system does not let us settle
 */
export async function recover(input: RecoverInput): Promise<readonly Recovered[]> {
  const { ports, layout } = input;
  clearJournalDebris(ports.fs, layout.journal);
  const { intents, journals } = listUnsettled(ports, layout.journal);
  const settled: Recovered[] = [];
  const intentOf = new Map(intents.map((intent) => [intent.transaction, intent]));
  for (const journal of journals) {
    const intent = intentOf.get(journal.transaction) ?? { ...journal, makesRoot: false };
    settled.push(await recoverJournal(input, journal, intent));
  }
  const committed = new Set(journals.map(({ transaction }) => transaction));
  for (const intent of intents) {
    if (committed.has(intent.transaction)) continue;
    discardStage(ports, layout.journal, intent, 'back');
    settled.push({ transaction: intent.transaction, direction: 'discarded', paths: [], kept: [] });
  }
  return settled;
}

async function recoverJournal(input: RecoverInput, journal: Journal, intent: Intent): Promise<Recovered> {
  const { ports, layout, decision } = input;
  const publication = input.publication(journal);
  const paths = journal.transitions.map(({ path }) => path);
  if (publication.isPublished()) {
    removeJournal(ports.fs, layout.journal, journal.transaction);
    discardStage(ports, layout.journal, intent, 'done');
    return { transaction: journal.transaction, direction: 'forward', paths, kept: [] };
  }
  const elsewhere = notTheFolder(ports, journal);
  if (elsewhere !== null) {
    // Its steps are for that folder alone; once it is let go of, any checkpoint can be restored whole.
    if (decision !== 'back') throw unsettledError(journal, `${elsewhere}, so it can only be taken back`, []);
    removeJournal(ports.fs, layout.journal, journal.transaction);
    discardStage(ports, layout.journal, intent, 'done');
    return { transaction: journal.transaction, direction: 'back', paths: [], kept: [] };
  }
  const site = openSite(ports, journal.root, journal.stage, input.objects, journal.transitions);
  try {
    returnStrangers(site, journal);
    const foreign = foreignPaths(site, journal.transitions);
    if (foreign.length > 0 && decision === null) {
      throw unsettledError(journal, `${foreign.length} file(s) hold something else since`, foreign);
    }
    const kept = decision === 'forward' ? moveStrangersAway(input, journal, site, foreign) : [];
    const direction = await settle(input, journal, site, publication);
    kept.push(...keepLateWrites(ports.fs, layout, journal, site, new Map()));
    if (direction === 'back') kept.push(...keepWithdrawn(ports.fs, layout, journal, site));
    site.close();
    removeJournal(ports.fs, layout.journal, journal.transaction);
    discardStage(ports, layout.journal, intent, direction === 'forward' ? 'done' : 'back');
    return { transaction: journal.transaction, direction, paths, kept };
  } finally {
    site.close();
  }
}

async function settle(
  input: RecoverInput,
  journal: Journal,
  site: Site,
  publication: Publication,
): Promise<'forward' | 'back'> {
  const steps = stepsFor(journal.transitions, journal.closed);
  let refusal: Expected | null = null;
  if (input.decision !== 'back') {
    try {
      const checked: Checked = new Map();
      await applyForward(site, steps, journal.transitions, checked, input.pace.uncancellable());
      input.lock.assertHeld();
      await publication.publish();
      return 'forward';
    } catch (error) {
      if (!isExpected(error)) throw error;
      // Who asked for one way is not taken the other.
      if (input.decision === 'forward') throw pendingError(journal, error, error);
      refusal = error;
    }
  }
  try {
    if (publication.isPublished()) publication.withdraw();
    await applyBack(site, steps, journal.transitions, new Map());
    return 'back';
  } catch (error) {
    if (!isExpected(error)) throw error;
    throw pendingError(journal, refusal ?? error, error);
  }
}

/** Null when the journal's folder is where it was. */
function notTheFolder(ports: Ports, journal: Journal): string | null {
  const stat = ports.fs.lstat(journal.root);
  if (stat === null) return 'the workspace folder is gone';
  return sameFolder(identityOf(stat), journal.identity) ? null : 'another folder stands where the workspace was';
}

/**
 * Someone's save that was moved aside and not looked at before the crash gets its name back, so that it counts as what
 * is there.
 */
function returnStrangers(site: Site, journal: Journal): void {
  for (const [slot, { path, from, to }] of journal.transitions.entries()) {
    if (!isLeaf(from)) continue;
    const aside = asideFile(site, slot);
    const state = diskState(site.fs, aside);
    if (state.kind === 'absent' || holds(state, from)) continue;
    if (isLeaf(to) && holds(state, to)) continue;
    const disk = whereIfAny(site, path);
    if (disk === null || site.fs.lstat(disk) !== null) continue;
    moveWithoutReplacing(site.fs, aside, disk);
  }
}

function moveStrangersAway(
  input: RecoverInput,
  journal: Journal,
  site: Site,
  foreign: readonly ForeignContent[],
): KeptFile[] {
  const kept: KeptFile[] = [];
  for (const { path } of foreign) {
    const slot = journal.transitions.findIndex((transition) => transition.path === path);
    const disk = whereIfAny(site, path);
    if (disk === null || diskState(site.fs, disk).kind !== 'file') continue;
    const backup = copyAway(input.ports.fs, input.layout, journal.transaction, slot, path, disk);
    site.fs.unlink(disk);
    kept.push({ path, backup });
  }
  return kept;
}

/** Null as well where somebody's link stands in the way: what lies behind it is no concern of the transaction. */
function whereIfAny(site: Site, path: TreePath): DiskPath | null {
  try {
    return where(site, path);
  } catch (error) {
    if (error instanceof ForeignContent) return null;
    throw error;
  }
}
