/**
 * Lists work, newest first: turns of agents, and the checkpoints that are in no turn. Both are derived from the
 * checkpoints, newest first, so that a page reads nothing older than its last row.
 *
 * - A turn begins with a checkpoint of trigger `prompt`. Work before the first prompt of a session is a turn without
 *   words; so is work whose prompt was dropped by clean-up.
 * - A change belongs to the turn of each of its possible authors that was open when it was recorded. What the checkpoint
 *   of a prompt itself records happened before the prompt, so it belongs to the turn before.
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
import { unlistedAuthors, unlistedCount } from '../timeline/query/unlisted-changes.ts';
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
      if (onPage.length === limit) cut = row.place;
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
  return {
    rows: shown.map((row) =>
      row.kind === 'turn' && row.place === current ? { ...row, turn: { ...row.turn, isCurrent: true } } : row,
    ),
    here,
    current,
    damaged: walk.damaged,
    hidden: walk.hidden.filter((number) => number < before && (!hasMore || number > last)).length,
    next: hasMore ? checkpointId(last) : null,
  };
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
  readonly #places: { readonly place: number; readonly isBegin: boolean }[] = [];
  #newest: Checkpoint | null = null;
  #here: CheckpointId | null = null;

  constructor(timeline: Timeline, objects: ObjectReader, query: WorkQuery) {
    this.#timeline = timeline;
    this.#activity = new Activity(activitySource(objects, timeline.reader()));
    this.#query = query;
  }

  /** Yields for each checkpoint the row that it adds; null if it adds none. */
  *steps(): Generator<WorkRow | null> {
    for (const { checkpoint, damaged } of this.#timeline.newestFirst()) {
      const row = checkpoint === null ? this.#addDamaged(damaged) : this.#add(checkpoint);
      const isWanted = row !== null && (row.kind === 'turn' || !this.#query.onlyTurns);
      if (isWanted) this.#places.push({ place: row.place, isBegin: row.kind === 'turn' });
      yield isWanted ? row : null;
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
      this.#places.push({ place: turn.oldest, isBegin: false });
      return [{ place: turn.oldest, kind: 'turn', turn: turn.withoutBegin((id) => find(id) !== undefined) }];
    });
  }

  /** Where the newest state is. If this page does not reach it, its row is on a later page. */
  position(): Pick<WorkPage, 'here' | 'current'> {
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
    return { here, current: reached.length === 0 ? null : Math.max(...reached.map(({ place }) => place)) };
  }

  /** @returns the row of the checkpoint, or of the turn that it begins; null if it is in a turn, hidden or not asked for */
  #add(checkpoint: Checkpoint): WorkRow | null {
    const { number, trigger } = checkpoint;
    this.#newest ??= checkpoint;
    this.#here ??= isHere(this.#newest, checkpoint) ? checkpoint.id : null;
    this.#noteResults(checkpoint);
    const effectOf = this.#activity.visit(checkpoint);
    const row = this.#rowOf(checkpoint);
    // A prompt's own changes happened before it, so they are of the turn before.
    if (trigger === 'freeze') return row;
    for (const change of checkpoint.changes ?? []) {
      for (const { actor, call, session: author } of change.by.authors) {
        if (!this.#isListed(author, number)) continue;
        this.#turnOf(author, actor).add(checkpoint, change, call, effectOf(change).reversion !== null);
      }
    }
    const unlisted = unlistedCount(checkpoint);
    if (unlisted === 0) return row;
    for (const { actor, session: author } of unlistedAuthors(checkpoint).authors) {
      if (this.#isListed(author, number)) this.#turnOf(author, actor).addUnlisted(checkpoint, unlisted);
    }
    return row;
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

  #rowOf(checkpoint: Checkpoint): WorkRow | null {
    const { number, session, trigger, actor } = checkpoint;
    const row: WorkRow = { place: number, kind: 'checkpoint', checkpoint };
    if (!this.#isListed(session, number)) {
      if (this.#query.session !== undefined) return null;
      const { withResult = (one) => one } = this.#query;
      if (!isAutomatic(checkpoint) || withResult(checkpoint).testResult !== null) return row;
      this.hidden.push(number);
      return null;
    }
    if (trigger !== 'prompt' && trigger !== 'session') {
      const turn = this.#turnOf(session, actor);
      turn.addCheckpoint(checkpoint);
      if (!isStep(checkpoint)) return row;
      turn.folded.push(number);
      return null;
    }
    const begun = this.#turnOf(session, actor);
    this.#open.delete(session);
    if (trigger === 'prompt' || begun.hasWork)
      return { place: number, kind: 'turn', turn: begun.beginWith(checkpoint) };
    this.hidden.push(...begun.folded);
    return row;
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

  #addDamaged(damaged: DamagedCheckpoint): WorkRow | null {
    this.damaged.push(damaged);
    return this.#query.session === undefined ? { place: checkpointNumber(damaged.id), kind: 'damaged', damaged } : null;
  }
}

/** A checkpoint that an agent's hooks took within a turn. */
function isStep(checkpoint: Checkpoint): boolean {
  const { trigger } = checkpoint;
  return trigger === 'call' || trigger === 'message' || isAutomatic(checkpoint);
}

/** Taken without a request, and not before an operation, which one may want to go back to. */
function isAutomatic({ trigger, precedes }: Checkpoint): boolean {
  return trigger === 'before' && (precedes === null || !isOperation(precedes));
}

/** The newest checkpoint, or if it only brought back an earlier state, the one that had this state before. */
function isHere(newest: Checkpoint, checkpoint: Checkpoint): boolean {
  return !isReversion(checkpoint.trigger) && sameSnapshot(newest.snapshot, checkpoint.snapshot);
}

function stateKey({ snapshot: { files, side } }: Checkpoint): string {
  return `${files} ${side}`;
}
