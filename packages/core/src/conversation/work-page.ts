/**
 * Lists work, newest first: turns of agents, and the checkpoints that are in no turn. Both are derived from the
 * checkpoints, newest first, so that a page reads nothing older than its last row.
 *
 * - A turn begins with a checkpoint of trigger `prompt`. Work before the first prompt of a session is a turn without
 *   words; so is work whose prompt was dropped by clean-up.
 * - A change belongs to the turn of each of its possible authors that was open when it was recorded. What the checkpoint
 *   of a prompt itself records happened before the prompt, so it belongs to the turn before.
 * - A checkpoint with a change that no session made has a row of its own, also if it is a step of a turn. If a turn begins
 *   with it, its row follows that of the turn, at the same place.
 * - Each row has a place: the number of its own checkpoint, of the checkpoint with which its turn began, or if that is
 *   gone, of the oldest checkpoint of the turn. A page is a part of all rows in the order of their places.
 */

import { type Actor, type Checkpoint, isOperation, isReversion } from '../model/checkpoint.ts';
import { sameSnapshot } from '../model/entries.ts';
import { type CheckpointId, checkpointId, checkpointNumber, type SessionId } from '../model/ids.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { CheckSummary } from '../store/state/check-summaries.ts';
import { Activity } from '../timeline/activity/activity.ts';
import { activitySource } from '../timeline/activity/source.ts';
import { hasOtherWork } from '../timeline/query/made-by.ts';
import { unlistedAuthors, unlistedCount } from '../timeline/query/unlisted-changes.ts';
import { withoutPlanTexts } from '../timeline/record/plan-descriptions.ts';
import type { DamagedCheckpoint, Timeline } from '../timeline/record/timeline.ts';
import { NO_RESULTS, OpenTurn, type StateResults, type Turn } from './turn.ts';

export interface WorkQuery {
  /** Only work of this session. */
  readonly session?: SessionId;
  /** Maximum number of rows. */
  readonly limit: number;
  /** Only rows whose place is lower. */
  readonly before?: number;
  readonly onlyTurns: boolean;
  /** Returns the checkpoint number up to which a session was deleted; 0: it was not. */
  readonly deletedUpTo: (session: SessionId) => number;
  /** Adds a test result that became known later. */
  readonly withResult?: (checkpoint: Checkpoint) => Checkpoint;
  /** Returns how the checks of a checkpoint went; null: none ran, as far as is kept. */
  readonly checksOf?: (checkpoint: Checkpoint) => CheckSummary | null;
}

export type WorkRow = { readonly place: number } & (
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'damaged'; readonly damaged: DamagedCheckpoint }
);

export interface WorkPage {
  readonly rows: readonly WorkRow[];
  /** The checkpoint with the workspace's newest state: an older one after a restore. Null if there is no checkpoint. */
  readonly here: CheckpointId | null;
  /** The place of the row in which the newest state is, on whatever page; null if there is none, or it is not known. */
  readonly current: number | null;
  /** The states of other rows of this page that have the same files: checkpoints, or what turns ended with. */
  readonly sameFiles: readonly CheckpointId[];
  /** All unreadable checkpoints that this page would have needed. */
  readonly damaged: readonly DamagedCheckpoint[];
  /** Number of automatic checkpoints between the first row and the last that are neither rows nor in a turn. */
  readonly hidden: number;
  /** Pass its number as `before` to get the next page; null on the last page. */
  readonly next: CheckpointId | null;
}

export function pageOfWork(timeline: Timeline, objects: ObjectReader, query: WorkQuery): WorkPage {
  const walk = new Walk(timeline, objects, query);
  const { limit, before = Number.POSITIVE_INFINITY } = query;
  /** The place of the first row after the page. */
  let cut: number | null = null;
  const onPage: WorkRow[] = [];
  for (const row of walk.steps()) {
    if (row !== null && row.place < before && cut === null) {
      // The next page begins below a place, so rows of the same place stay together.
      if (onPage.length >= limit && onPage.at(-1)?.place !== row.place) cut = row.place;
      else onPage.push(row);
    }
    // A turn whose begin is gone has its place at its oldest checkpoint, so it may belong to this page.
    if (cut !== null && !walk.hasOpenWork(cut, before)) break;
  }
  const end = cut ?? 0;
  if (walk.isAtEnd) onPage.push(...walk.unbegun().filter(({ place }) => place > end && place < before));
  onPage.sort((a, b) => b.place - a.place);
  // Rows of the same place stay together, because the next page begins at a place.
  const last = onPage[Math.min(limit, onPage.length) - 1]?.place ?? 0;
  const shown = onPage.filter(({ place }) => place >= last);
  const hasMore = cut !== null || shown.length < onPage.length;
  const { here, current } = walk.position();
  // Work of several sessions that began before clean-up can have the same place.
  const at = shown.findIndex(({ place, kind }) => place === current?.place && (kind === 'turn') === current.isTurn);
  return {
    rows: shown.map((row, index) =>
      row.kind === 'turn' && index === at ? { ...row, turn: { ...row.turn, isCurrent: true } } : row,
    ),
    here,
    current: current?.place ?? null,
    sameFiles: walk.withNewestFiles(shown.filter((_, index) => index !== at)),
    damaged: walk.damaged,
    hidden: walk.hidden.filter((number) => number < before && (!hasMore || number > last)).length,
    next: hasMore ? checkpointId(last) : null,
  };
}

/** Where a row is. */
interface Place {
  readonly place: number;
  readonly isTurn: boolean;
  /** Whether it is the checkpoint with which a turn begins. */
  readonly isBegin: boolean;
}

/** Reads the timeline from newest to oldest. */
class Walk {
  readonly damaged: DamagedCheckpoint[] = [];
  /** Numbers of automatic checkpoints that are neither a row nor in a turn. */
  readonly hidden: number[] = [];
  /** Whether the oldest checkpoint has been read. */
  isAtEnd = false;
  readonly #timeline: Timeline;
  readonly #activity: Activity;
  readonly #query: WorkQuery;
  readonly #open = new Map<SessionId, OpenTurn>();
  /** Results by state: checks often run on a later checkpoint of the same files. The oldest ones seen so far count. */
  readonly #results = new Map<string, StateResults>();
  /** Of all rows, also of those on other pages. The state of the checkpoint that begins a turn is not in the turn. */
  readonly #places: Place[] = [];
  #newest: Checkpoint | null = null;
  #here: CheckpointId | null = null;

  constructor(timeline: Timeline, objects: ObjectReader, query: WorkQuery) {
    this.#timeline = timeline;
    this.#activity = new Activity(activitySource(objects, timeline.reader()));
    this.#query = query;
  }

  /** Yields for each checkpoint the rows that it adds; null if it adds none. */
  *steps(): Generator<WorkRow | null> {
    for (const { checkpoint, damaged } of this.#timeline.newestFirst()) {
      const rows = checkpoint === null ? this.#addDamaged(damaged) : this.#add(checkpoint);
      const wanted = rows.filter(({ kind }) => kind === 'turn' || !this.#query.onlyTurns);
      for (const { place, kind } of wanted) {
        this.#places.push({ place, isTurn: kind === 'turn', isBegin: kind === 'turn' });
      }
      if (wanted.length === 0) yield null;
      else yield* wanted;
    }
    this.isAtEnd = true;
  }

  /** Whether a turn of which nothing older than `cut` is known yet has work before `before`. */
  hasOpenWork(cut: number, before: number): boolean {
    return [...this.#open.values()].some(({ hasWork, oldest }) => hasWork && oldest > cut && oldest < before);
  }

  /** Returns the turns whose begin is gone. */
  unbegun(): readonly WorkRow[] {
    const { find } = this.#timeline.reader();
    return [...this.#open.values()].flatMap((turn): readonly WorkRow[] => {
      if (!turn.hasWork) {
        this.hidden.push(...turn.folded);
        return [];
      }
      this.#places.push({ place: turn.oldest, isTurn: true, isBegin: false });
      return [{ place: turn.oldest, kind: 'turn', turn: turn.withoutBegin((id) => find(id) !== undefined) }];
    });
  }

  /** Where the newest state is. If this page does not reach it, its row is on a later page. */
  position(): { readonly here: CheckpointId | null; readonly current: Place | null } {
    const newest = this.#newest;
    if (newest === null) return { here: null, current: null };
    const target = newest.target === null ? undefined : this.#timeline.reader().find(newest.target);
    const here =
      this.#here ?? (target !== undefined && sameSnapshot(target.snapshot, newest.snapshot) ? target.id : newest.id);
    const end = checkpointNumber(here);
    // A restore goes back to before a prompt, which is the end of the row before its turn. A prompt just sent is a turn.
    const reached = this.#places.filter(({ place, isBegin }) =>
      isBegin && here !== newest.id ? place < end : place <= end,
    );
    const isAfter = (a: Place, b: Place): boolean => (a.place === b.place ? a.isTurn && !b.isTurn : a.place > b.place);
    return { here, current: reached.reduce<Place | null>((a, b) => (a === null || isAfter(b, a) ? b : a), null) };
  }

  /** Returns the states of rows that have the same files as the newest checkpoint. */
  withNewestFiles(rows: readonly WorkRow[]): readonly CheckpointId[] {
    const newest = this.#newest;
    if (newest === null) return [];
    const { find } = this.#timeline.reader();
    return rows.flatMap((row) => {
      if (row.kind === 'damaged') return [];
      const state = row.kind === 'checkpoint' ? row.checkpoint : row.turn.after === null ? null : find(row.turn.after);
      return state != null && sameSnapshot(state.snapshot, newest.snapshot) ? [state.id] : [];
    });
  }

  /** @returns the row of the turn that it begins and its own; neither if it is in a turn, hidden or not asked for */
  #add(checkpoint: Checkpoint): readonly WorkRow[] {
    const { number, trigger } = checkpoint;
    this.#newest ??= checkpoint;
    this.#here ??= isHere(this.#newest, checkpoint) ? checkpoint.id : null;
    this.#noteResults(checkpoint);
    const effectOf = this.#activity.visit(checkpoint);
    const rows = this.#rowsOf(checkpoint);
    // A prompt's own changes happened before it, so they are of the turn before.
    if (trigger === 'freeze' || appliesPlan(checkpoint)) return rows;
    for (const change of checkpoint.changes ?? []) {
      for (const { actor, call, session: author } of change.by.authors) {
        if (!this.#isListed(author, number)) continue;
        this.#turnOf(author, actor).add(checkpoint, change, call, effectOf(change).reversion !== null);
      }
    }
    const unlisted = unlistedCount(checkpoint);
    if (unlisted === 0) return rows;
    for (const { actor, session: author } of unlistedAuthors(checkpoint).authors) {
      if (this.#isListed(author, number)) this.#turnOf(author, actor).addUnlisted(checkpoint, unlisted);
    }
    return rows;
  }

  #noteResults(checkpoint: Checkpoint): void {
    const { withResult = (one) => one, checksOf } = this.#query;
    const { testResult } = withResult(checkpoint);
    const checks = checksOf?.(checkpoint) ?? null;
    if (testResult === null && checks === null) return;
    const known = this.#results.get(stateKey(checkpoint)) ?? NO_RESULTS;
    const results = { testResult: testResult ?? known.testResult, checks: checks ?? known.checks };
    this.#results.set(stateKey(checkpoint), results);
  }

  #rowsOf(checkpoint: Checkpoint): readonly WorkRow[] {
    const { number, session, trigger, actor } = checkpoint;
    const own: WorkRow = { place: number, kind: 'checkpoint', checkpoint };
    if (!this.#isListed(session, number)) {
      if (this.#query.session !== undefined) return [];
      const { withResult = (one) => one } = this.#query;
      if (!isAutomatic(checkpoint) || hasOtherWork(checkpoint) || withResult(checkpoint).testResult !== null)
        return [own];
      this.hidden.push(number);
      return [];
    }
    // A session's own list has only what is of the session.
    const isShown = this.#query.session === undefined && hasOtherWork(checkpoint);
    if (trigger !== 'prompt' && trigger !== 'session') {
      if (appliesPlan(checkpoint) || checkpoint.precedes === 'apply') {
        if (!isAutomatic(checkpoint)) return [own];
        this.hidden.push(number);
        return [];
      }
      const turn = this.#turnOf(session, actor);
      turn.addCheckpoint(checkpoint);
      if (isShown || !isStep(checkpoint)) return [own];
      turn.folded.push(number);
      return [];
    }
    const begun = this.#turnOf(session, actor);
    this.#open.delete(session);
    if (trigger === 'prompt' || begun.hasWork) {
      const row: WorkRow = { place: number, kind: 'turn', turn: begun.beginWith(checkpoint) };
      return isShown ? [row, own] : [row];
    }
    this.hidden.push(...begun.folded);
    return [own];
  }

  #isListed(session: SessionId | null, number: number): session is SessionId {
    const { session: wanted, deletedUpTo } = this.#query;
    return session !== null && (wanted === undefined || session === wanted) && number > deletedUpTo(session);
  }

  #turnOf(session: SessionId, actor: Actor): OpenTurn {
    const known =
      this.#open.get(session) ?? new OpenTurn(session, actor, (one) => this.#results.get(stateKey(one)) ?? NO_RESULTS);
    this.#open.set(session, known);
    return known;
  }

  #addDamaged(damaged: DamagedCheckpoint): readonly WorkRow[] {
    this.damaged.push(damaged);
    if (this.#query.session !== undefined) return [];
    return [{ place: checkpointNumber(damaged.id), kind: 'damaged', damaged }];
  }
}

/** A checkpoint that an agent's hooks took within a turn. */
function isStep(checkpoint: Checkpoint): boolean {
  const { trigger } = checkpoint;
  return trigger === 'call' || trigger === 'message' || isAutomatic(checkpoint);
}

/** A plan is often applied later, and by a person: its changes are not of the turn that proposed it, or of a later one. */
function appliesPlan({ trigger, description }: Checkpoint): boolean {
  return trigger === 'apply' && withoutPlanTexts(description) !== null;
}

/** Taken without a request, and not before an operation that one may want to go back to: with a state of its own. */
function isAutomatic({ trigger, precedes, previous, changes, incomplete }: Checkpoint): boolean {
  if (trigger !== 'before') return false;
  if (precedes === null || !isOperation(precedes)) return true;
  return previous !== null && changes?.length === 0 && incomplete !== true;
}

/** The newest checkpoint, or if it only brought back an earlier state, the one that had this state before. */
function isHere(newest: Checkpoint, checkpoint: Checkpoint): boolean {
  return !isReversion(checkpoint.trigger) && sameSnapshot(newest.snapshot, checkpoint.snapshot);
}

function stateKey({ snapshot: { files, side } }: Checkpoint): string {
  return `${files} ${side}`;
}
