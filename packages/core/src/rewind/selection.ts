/** Selects the changes of the timeline that a rollback reverts. */

import { showName, showText } from '../content/show-name.ts';
import { truncate } from '../content/truncate.ts';
import type { Pace } from '../io/pace.ts';
import {
  type Author,
  type Checkpoint,
  GRADES,
  type Grade,
  isReversion,
  type RecordedChange,
} from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { type ChangeId, type CheckpointId, changeId, type ObjectId, PURGED, parseChangeId } from '../model/ids.ts';
import { isWithin, type JsonName, type TreePath } from '../model/names.ts';
import { type OnDamage, unlessDamaged } from '../store/objects/damage.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { Activity, type AffectedFile, type Effect, type Reversion } from '../timeline/activity/activity.ts';
import { readerOf } from '../timeline/activity/reader.ts';
import { type ActivitySource, activitySource } from '../timeline/activity/source.ts';
import { listChanges } from '../timeline/diff/changes.ts';
import { hunksOf } from '../timeline/diff/hunks.ts';
import { rootOf } from '../timeline/diff/root-changes.ts';
import { type Caller, isActor, isOwnWork } from '../timeline/query/actors.ts';
import { unknownChange } from '../timeline/query/match-id.ts';
import { unlistedAuthors } from '../timeline/query/unlisted-changes.ts';
import { type MadeAgain, MadeAgainFinder, madeAgainBy } from './made-again.ts';
import { assertRoot } from './roots.ts';

/** A change must match all given criteria. */
export interface Selection<Path = JsonName> {
  readonly changes?: readonly ChangeId[];
  readonly hunks?: readonly { readonly change: ChangeId; readonly hunk: number }[];
  /** An agent's name, `name/id` for a sub-agent, or `outside` or `user`. */
  readonly agent?: string;
  /** Its id, or a unique beginning of it. */
  readonly session?: string;
  /** Only the own work of this caller. */
  readonly own?: Caller;
  /** The id that the agent gave the call, or a unique beginning of it. */
  readonly call?: string;
  /** Only changes after this moment (milliseconds since 1970) or checkpoint number. */
  readonly after?: { readonly time: number } | { readonly checkpoint: number };
  /** Only these paths and everything below them. Matches the name after the change or before it. */
  readonly files?: readonly Path[];
  /** Only this root, without the roots that were inside it at that time. */
  readonly root?: Path;
  /**
   * Only these lines, by any author, and nothing else. With `after`, they become what they were then; otherwise, what
   * they were before the changes that wrote them. Not with other criteria.
   */
  readonly lines?: readonly SelectedLines<Path>[];
  /** For `lines`: the checkpoint in which they are counted. Default: the files as they are now. */
  readonly at?: string;
}

/** Lines of a file, from 1. */
export interface SelectedLines<Path = JsonName> {
  readonly path: Path;
  readonly first: number;
  readonly last: number;
  /** `before`: lines of the state `after`, which come back. Default `after`: lines that are taken back. */
  readonly side?: 'before' | 'after';
}

export interface ChosenChange {
  readonly change: RecordedChange;
  /** The state before the change. */
  readonly before: Snapshot;
  /** The files in which it is reverted. */
  readonly files: readonly ChosenFile[];
}

export interface ChosenFile {
  readonly file: AffectedFile;
  /** Only these hunks, counted from 1. Null: the whole change. */
  readonly hunks: readonly number[] | null;
  /**
   * Other hunks of the change are already reverted, and these are the rest. Its rename and its permissions are reverted
   * together with them.
   */
  readonly isRest: boolean;
  /** What of the change others made again, which stays. Null: nothing. */
  readonly madeAgain: MadeAgain | null;
}

export interface SkippedChange {
  readonly change: RecordedChange;
  readonly why: string;
  /** Its author is not known well enough. Null: it is skipped for another reason. */
  readonly grade: Exclude<Grade, 'sure'> | null;
}

export interface SelectedChanges {
  /** Oldest first. */
  readonly chosen: readonly ChosenChange[];
  readonly skipped: readonly SkippedChange[];
  /** The checkpoints of which some changes, or their contents, are damaged. */
  readonly damaged: ReadonlySet<CheckpointId>;
}

/** Why a change is skipped if the checkpoint before it was dropped. */
export const STATE_BEFORE_GONE = { why: 'the state before it is no longer in the store', grade: null };

/**
 * Damage stops nothing: what cannot be read is skipped, and its checkpoint is in `damaged`.
 * @param least how well the author of a change must be known. A change that is chosen by its id may also be likely
 * @throws SavepointError UNKNOWN_CHANGE
 */
export async function selectChanges(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  selection: Selection<TreePath>,
  least: Grade,
  pace: Pace,
): Promise<SelectedChanges> {
  if (selection.root !== undefined) assertRoot(selection.root, checkpoints);
  const chosen: ChosenChange[] = [];
  const skipped: SkippedChange[] = [];
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  const named = namedChanges(selection);
  const damaged = new Set<CheckpointId>();
  const listed = await listedChanges(objects, checkpoints, byId, damaged, pace);
  const source = activitySource(objects, readerOf(checkpoints));
  for (const { checkpoint, changes } of withEffects(source, listed)) {
    const previous = checkpoint.previous === null ? undefined : byId.get(checkpoint.previous);
    if (pace.isDue()) await pace.yieldNow();
    for (const { change, effect } of changes) {
      if (!matchesSelection(selection, named, checkpoint, change)) {
        if (named?.has(change.id) === true && !isOwn(selection, change)) skipped.push({ change, ...NOT_OWN });
        continue;
      }
      const hunks = named?.get(change.id) ?? null;
      const files = filesToRevert(objects, change, hunks, effect);
      const reversion = files.length > 0 ? null : revertedBy(effect, hunks);
      const skip =
        reversion !== null
          ? { why: `it was already reverted by ${reversion.by} (${REVERSION_NAMES[reversion.kind]})`, grade: null }
          : reasonToSkip(objects, { selection, named, least }, { checkpoint, change });
      if (skip === DAMAGED_CONTENT) damaged.add(checkpoint.id);
      if (skip === null && previous !== undefined) {
        chosen.push({ change, before: previous.snapshot, files });
      } else skipped.push({ change, ...(skip ?? STATE_BEFORE_GONE) });
      named?.delete(change.id);
    }
  }
  if (named !== null) assertChangesKnown(named, byId);
  for (const { change, files } of chosen) {
    for (const { hunks } of files) if (hunks !== null) assertHunksKnown(objects, change, hunks);
  }
  const left = await withoutMadeAgain(objects, source, listed, chosen, pace);
  return { chosen: left.chosen, skipped: [...skipped, ...left.skipped], damaged };
}

/** Larger contents are not read to check them. */
const MERGED_BYTES = 16 * 1024 * 1024;
/** Of a command, in the reason why a change is left. */
const COMMAND_CHARACTERS = 60;

const DAMAGED_CONTENT = { why: 'its content is damaged in the store', grade: null };
const NOT_OWN = { why: 'it was not made by this session', grade: null };

const REVERSION_NAMES: Readonly<Record<Reversion['kind'], string>> = {
  rollback: 'a rollback',
  undo: 'an undo',
  redo: 'a redo',
  restore: 'a restore',
  freeze: 'revert of a frozen path',
  checkout: 'a checkout of another branch or commit',
  dropped: 'a checkpoint that was dropped',
};

interface CheckpointChanges {
  readonly checkpoint: Checkpoint;
  readonly changes: readonly RecordedChange[];
}

/** Whether a change is by the selected author, whatever else is selected. */
export function matchesAuthor({ agent, session, call, own }: Selection, author: Author): boolean {
  return (
    (agent === undefined || isActor(author.actor, agent)) &&
    (session === undefined || author.session === session) &&
    (call === undefined || author.call === call) &&
    (own === undefined || isOwnWork(author, own))
  );
}

/** If there were too many changes to list, computes them from the trees. The author of each change is unknown then. */
async function changesOf(
  objects: ObjectReader,
  checkpoint: Checkpoint,
  previous: Checkpoint | undefined,
  pace: Pace,
  onDamage?: OnDamage,
): Promise<readonly RecordedChange[]> {
  if (checkpoint.changes !== null || checkpoint.previous === null || previous === undefined) {
    return checkpoint.changes ?? [];
  }
  const by = unlistedAuthors(checkpoint);
  const { changes } = await listChanges(objects, previous.snapshot, checkpoint.snapshot, pace, {
    uncaptured: previous.workspace === checkpoint.workspace,
    ...(onDamage === undefined ? {} : { onDamage }),
  });
  return changes.map((change, index) => ({ ...change, id: changeId(checkpoint.number, index + 1), by }));
}

/** Leaves out what others made again after it had been taken back: it is theirs. */
async function withoutMadeAgain(
  objects: ObjectReader,
  source: ActivitySource,
  listed: readonly CheckpointChanges[],
  chosen: readonly ChosenChange[],
  pace: Pace,
): Promise<Pick<SelectedChanges, 'chosen' | 'skipped'>> {
  const all = listed.flatMap(({ checkpoint, changes }) => changes.map((change) => ({ checkpoint, change })));
  const finder = new MadeAgainFinder(
    objects,
    source,
    all,
    chosen.map(({ change }) => change),
    pace,
  );
  const checkpointOf = new Map(all.map(({ checkpoint, change }) => [change.id, checkpoint]));
  // What is not captured yet is the last one, and has no number that others could look up.
  const isKnown = (id: ChangeId): boolean =>
    checkpointOf.get(id)?.trigger !== 'before' || checkpointOf.get(id) !== listed.at(-1)?.checkpoint;
  const left: ChosenChange[] = [];
  const skipped: SkippedChange[] = [];
  for (const one of chosen) {
    const { change, files } = one;
    const madeAgain = await finder.of({ checkpoint: checkpointOf.get(change.id) as Checkpoint, change });
    if (madeAgain === null) {
      left.push(one);
      continue;
    }
    const by = `taken back since, and made again ${madeAgainBy(madeAgain, isKnown)}`;
    const what = madeAgain.hunks.length > 0 ? 'some of its lines were' : 'its name or its mode was';
    const why = madeAgain.isWhole
      ? `it was ${by}`
      : `${what} ${by}; ${madeAgain.hunks.length > 0 ? 'they stay' : 'it stays'}`;
    skipped.push({ change, why, grade: null });
    if (!madeAgain.isWhole) left.push({ ...one, files: files.map((file) => ({ ...file, madeAgain })) });
  }
  return { chosen: left, skipped };
}

/**
 * Leaves out hunks that are already reverted. Newer lines in the same place belong to another author.
 * @param hunks the requested hunks; null: the whole change
 */
function filesToRevert(
  objects: ObjectReader,
  change: RecordedChange,
  hunks: readonly number[] | null,
  effect: Effect,
): readonly ChosenFile[] {
  return effect.files.flatMap((file) => {
    if (file.hunks.size === 0) return { file, hunks, isRest: false, madeAgain: null };
    const asked = hunks ?? hunksOf(objects, change)?.map(({ number }) => number) ?? null;
    const left = asked?.filter((hunk) => !file.hunks.has(hunk)) ?? null;
    return left?.length === 0 ? [] : { file, hunks: left, isRest: hunks === null && left !== null, madeAgain: null };
  });
}

/** @param hunks the requested hunks; null: the whole change */
function revertedBy({ reversion, hunks: back }: Effect, hunks: readonly number[] | null): Reversion | null {
  return reversion ?? hunks?.map((hunk) => back.get(hunk)).find((one) => one !== undefined) ?? null;
}

async function listedChanges(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  byId: ReadonlyMap<string, Checkpoint>,
  damaged: Set<CheckpointId>,
  pace: Pace,
): Promise<readonly CheckpointChanges[]> {
  const listed: CheckpointChanges[] = [];
  for (const checkpoint of checkpoints) {
    const previous = checkpoint.previous === null ? undefined : byId.get(checkpoint.previous);
    const onDamage = (): unknown => damaged.add(checkpoint.id);
    listed.push({ checkpoint, changes: await changesOf(objects, checkpoint, previous, pace, onDamage) });
  }
  return listed;
}

interface CheckpointEffects {
  readonly checkpoint: Checkpoint;
  readonly changes: readonly { readonly change: RecordedChange; readonly effect: Effect }[];
}

/** Oldest first, like the given checkpoints. */
function withEffects(source: ActivitySource, listed: readonly CheckpointChanges[]): readonly CheckpointEffects[] {
  const activity = new Activity(source);
  const effects = [...listed].reverse().map(({ checkpoint, changes }) => {
    const effectOf = activity.visit({ ...checkpoint, changes });
    return { checkpoint, changes: changes.map((change) => ({ change, effect: effectOf(change) })) };
  });
  return effects.reverse();
}

type NamedChanges = Map<ChangeId, readonly number[] | null>;

/** Returns the named changes, each with its named hunks. Null if the selection names none. */
function namedChanges({ changes, hunks }: Selection<TreePath>): NamedChanges | null {
  if (changes === undefined && hunks === undefined) return null;
  const named: NamedChanges = new Map();
  for (const { change, hunk } of hunks ?? []) named.set(change, [...(named.get(change) ?? []), hunk]);
  if (changes !== undefined && hunks !== undefined) {
    for (const id of [...named.keys()]) if (!changes.includes(id)) named.delete(id);
  } else for (const change of changes ?? []) named.set(change, null);
  return named;
}

function matchesSelection(
  selection: Selection<TreePath>,
  named: NamedChanges | null,
  checkpoint: Checkpoint,
  change: RecordedChange,
): boolean {
  const { after, files, root } = selection;
  if (named !== null && !named.has(change.id)) return false;
  if (after !== undefined && !('time' in after ? checkpoint.time > after.time : checkpoint.number > after.checkpoint)) {
    return false;
  }
  const paths = [change.path, change.from ?? change.path];
  if (files !== undefined && !files.some((file) => paths.some((path) => isWithin(path, file)))) return false;
  if (root !== undefined && !paths.some((path) => rootOf(path, checkpoint.roots) === root)) return false;
  return change.by.authors.some((author) => matchesAuthor(selection, author));
}

function isOwn({ own }: Selection<TreePath>, { by }: RecordedChange): boolean {
  return own === undefined || by.authors.some((author) => isOwnWork(author, own));
}

interface SelectionCriteria {
  readonly selection: Selection<TreePath>;
  /** Null: changes were not chosen one by one. */
  readonly named: NamedChanges | null;
  readonly least: Grade;
}

interface CandidateChange {
  readonly checkpoint: Checkpoint;
  readonly change: RecordedChange;
}

function reasonToSkip(
  objects: ObjectReader,
  { selection, named, least }: SelectionCriteria,
  { checkpoint, change }: CandidateChange,
): Omit<SkippedChange, 'change'> | null {
  const { authors } = change.by;
  const asksForSomebody = [selection.agent, selection.session, selection.call, selection.own].some(
    (one) => one !== undefined,
  );
  if (named === null && isReversion(checkpoint.trigger) && checkpoint.trigger !== 'restore') {
    const why = `${checkpoint.id} (${checkpoint.trigger}) is itself an operation of Savepoint; use undo to revert it`;
    return { why, grade: null };
  }
  if (named === null && !asksForSomebody && !authors.some(({ actor }) => actor.kind === 'agent')) {
    return { why: `it was not made by an agent (author: ${authors[0]?.actor.kind ?? 'unknown'})`, grade: null };
  }
  const grade = authors.every((author) => matchesAuthor(selection, author)) ? change.by.grade : 'open';
  const needed = named === null ? least : weakerOf(least, 'likely');
  if (grade !== 'sure' && weakerOf(grade, needed) !== needed) {
    if (checkpoint.changes === null && grade === 'open')
      return { why: `${checkpoint.id} has too many changes to record the author of each`, grade };
    return { why: grade === 'likely' ? likelyBecause(checkpoint, change) : openBecause(change), grade };
  }
  if (change.uncapturedBefore !== undefined) {
    return { why: `what was there before was not captured (${change.uncapturedBefore})`, grade: null };
  }
  if (change.uncapturedAfter !== undefined) {
    return { why: `what was written there was not captured (${change.uncapturedAfter})`, grade: null };
  }
  return reasonOfContents(objects, change);
}

function weakerOf(a: Grade, b: Grade): Grade {
  return GRADES.indexOf(a) > GRADES.indexOf(b) ? a : b;
}

function openBecause({ by: { authors } }: RecordedChange): string {
  const calls = new Map<string, readonly (string | null)[]>();
  for (const { actor, call } of authors) calls.set(actor.name, [...(calls.get(actor.name) ?? []), call]);
  const names = [...calls].map(([name, [first = null, ...rest]]) => nameOf(name, rest.length === 0 ? first : null));
  return names.length > 1 ? `it may be from ${names.join(' or ')}` : 'its author is uncertain';
}

/** Says what the author was doing, since this is the only evidence. */
function likelyBecause({ tool, toolCall }: Checkpoint, { by: { authors, evidence } }: RecordedChange): string {
  const [author] = authors;
  if (author?.call == null) return 'it changed while a call of an agent was open';
  const summary = tool !== null && toolCall === author.call ? tool.summary : '';
  const name = author.tool === null ? 'a call' : showText(author.tool);
  if (evidence === 'declared') return `${name} was to write this path, but what it wrote is unknown`;
  const command = summary === '' ? name : `\`${showText(truncate(summary, COMMAND_CHARACTERS))}\``;
  return evidence === 'named' ? `${command} names it, and ran while it changed` : `it changed while ${command} ran`;
}

function reasonOfContents(objects: ObjectReader, change: RecordedChange): Omit<SkippedChange, 'change'> | null {
  const ids = [change.before, change.after].flatMap((entry) =>
    entry === null || entry.kind === 'folder' ? [] : entry.id,
  );
  if (ids.includes(PURGED)) return { why: 'its content was purged', grade: null };
  if (!ids.every((id) => objects.has(id))) return { why: 'its content is no longer in the store', grade: null };
  return ids.every((id) => isIntact(objects, id)) ? null : DAMAGED_CONTENT;
}

/** Contents that are too large to merge are only read while they are written. */
function isIntact(objects: ObjectReader, id: ObjectId): boolean {
  const read = (): boolean => (objects.info(id)?.size ?? 0) > MERGED_BYTES || objects.read(id) !== null;
  return unlessDamaged(undefined, read) !== null;
}

function nameOf(name: string, call: string | null): string {
  return call === null ? showText(name) : `${showText(name)} (call ${showText(call)})`;
}

function assertChangesKnown(left: NamedChanges, checkpoints: ReadonlyMap<string, Checkpoint>): void {
  for (const id of left.keys()) {
    const number = parseChangeId(id)?.checkpoint ?? 0;
    const checkpoint = checkpoints.get(`cp_${number}`);
    if (checkpoint?.changes?.some((change) => change.id === id)) continue; // did not match another criterion
    const count = checkpoint?.changes?.length ?? 0;
    const has = `cp_${number} has ${count} change${count === 1 ? '' : 's'}`;
    const why = checkpoint === undefined ? `there is no checkpoint cp_${number}` : has;
    const others = checkpoint?.changes?.map((change) => change.id) ?? [];
    throw unknownChange(id, `There is no change ${id}: ${why}.`, others);
  }
}

function assertHunksKnown(objects: ObjectReader, change: RecordedChange, hunks: readonly number[]): void {
  const known = hunksOf(objects, change);
  const unknown = hunks.find((hunk) => known === null || hunk > known.length);
  if (unknown === undefined) return;
  const has = `it has ${known?.length ?? 0} hunk${known?.length === 1 ? '' : 's'}`;
  const why = known === null ? 'its hunks cannot be rolled back separately' : has;
  throw new SavepointError(
    'UNKNOWN_CHANGE',
    `There is no hunk ${unknown} in ${change.id} (${showName(change.path)}): ${why}.`,
    { given: `${change.id}:${unknown}` },
    { hint: `Run \`savepoint rollback --change ${change.id} --dry-run\` to list its hunks.` },
  );
}
