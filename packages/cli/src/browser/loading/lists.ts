/** Loads the rows of the tabs, page by page, when they are needed, and again when the timeline has changed. */
import type { Savepoint } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { asFailure } from '../../failure.ts';
import { notHappenedLines } from '../../show/checkpoint.ts';
import { rootChangeLines } from '../../show/roots.ts';
import { layoutOf } from '../layout.ts';
import { chosenIndex, visibleRows } from '../list/rows.ts';
import { type Loaded, type Row, rowKey, type State, type Tab } from '../model.ts';
import type { Action } from '../reduce.ts';

const FIRST_ROWS = 50;
/** Turns are derived from their checkpoints, so a few are shown first. */
const FIRST_TURNS = 5;
/** Pages double, so that the end of a long timeline is reached in a few steps. */
const MOST_ROWS = 800;

const VIEWS = { turns: 'turns', checkpoints: 'main', all: 'all', manual: 'manual' } as const;

export class Lists {
  readonly #savepoint: Savepoint;
  readonly #state: () => State;
  readonly #dispatch: (action: Action) => void;
  readonly #running = new Set<Tab>();

  constructor(savepoint: Savepoint, state: () => State, dispatch: (action: Action) => void) {
    this.#savepoint = savepoint;
    this.#state = state;
    this.#dispatch = dispatch;
  }

  /** Loads what the user is about to see. */
  follow(): void {
    const state = this.#state();
    const { next, rows } = state.lists[state.tab];
    if (next === null) return;
    const isNear = chosenIndex(state) + 2 * layoutOf(state.size).list.rows >= visibleRows(state).length;
    if (next === 'first' || isNear || state.filter !== '') void this.#load(state.tab, rows.length);
  }

  /** Looks again at the newest rows, and at all that are loaded after an action of the user. */
  async refresh(extent: 'newest' | 'loaded'): Promise<void> {
    const { lists, tab } = this.#state();
    const { rows, next } = lists[tab];
    if (this.#running.has(tab) || next === 'first') return;
    this.#running.add(tab);
    try {
      const count = extent === 'loaded' ? Math.max(FIRST_ROWS, rows.length) : FIRST_ROWS;
      const fresh = await this.#page(tab, count, null);
      this.#show(tab, withOlder(fresh, this.#state().lists[tab]));
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running.delete(tab);
    }
  }

  async #load(tab: Tab, loaded: number): Promise<void> {
    if (this.#running.has(tab)) return;
    this.#running.add(tab);
    this.#dispatch({ type: 'loading', tab });
    const { next, rows } = this.#state().lists[tab];
    try {
      const count = Math.min(MOST_ROWS, Math.max(tab === 'turns' ? FIRST_TURNS : FIRST_ROWS, loaded));
      const page = await this.#page(tab, count, next === 'first' ? null : next);
      this.#show(tab, { ...page, rows: [...rows, ...page.rows] });
    } catch (error) {
      this.#show(tab, { rows, next: null, notes: [] });
      this.#fail(error);
    } finally {
      this.#running.delete(tab);
    }
    // Keys that wait come first.
    setImmediate(() => this.follow());
  }

  #show(tab: Tab, page: Page): void {
    this.#dispatch({ type: 'loaded', tab, loaded: { ...page, isLoading: false } });
  }

  #fail(error: unknown): void {
    this.#dispatch({ type: 'message', message: { kind: 'bad', text: asFailure(error).message } });
  }

  /** @param before null: with the current files, and from the newest on */
  async #page(tab: Tab, limit: number, before: string | null): Promise<Page> {
    const range = before === null ? { limit } : { limit, before: before as `cp_${number}` };
    const page = await this.#checkpoints(tab, range);
    return before === null && tab !== 'manual' ? { ...page, rows: [{ kind: 'now' }, ...page.rows] } : page;
  }

  async #checkpoints(tab: Tab, range: Range): Promise<Page> {
    const found = await VERBS.list.handle(this.#savepoint, { ...range, view: VIEWS[tab] }, {});
    const pinned = new Set<string>(found.pinned);
    const folded = new Map(found.folded.map(({ into, ids }) => [into, ids]));
    const roots = new Map(found.rootChanges.map(({ id, changes }) => [id, rootChangeLines(changes)]));
    // The turn that begins with a checkpoint has the same place.
    const isInTurn = found.turns.some(({ isCurrent }) => isCurrent);
    const checkpoints: readonly Row[] = found.checkpoints.map((checkpoint) => ({
      kind: 'checkpoint',
      checkpoint,
      isCurrent: checkpoint.id === found.current && !isInTurn,
      isPinned: pinned.has(checkpoint.id),
      folded: folded.get(checkpoint.id) ?? [],
      rootNotes: roots.get(checkpoint.id) ?? [],
    }));
    const turns: readonly Row[] = found.turns.map(({ place, ...turn }) => ({
      kind: 'turn',
      turn,
      place: Number(place.slice('cp_'.length)),
    }));
    return {
      rows: [...turns, ...checkpoints, ...found.damaged.map(damagedRow)].sort((a, b) => numberOf(b) - numberOf(a)),
      next: found.next,
      notes: notHappenedLines(found.notHappened),
    };
  }
}

type Page = Omit<Loaded, 'isLoading'>;

interface Range {
  readonly limit: number;
  readonly before?: `cp_${number}`;
}

function damagedRow({ id, problem }: { id: string; problem: { message: string } }): Row {
  return { kind: 'damaged', id, message: problem.message };
}

/** Rows that are older than the fresh ones stay as they are. A turn that goes on has a newer place now. */
function withOlder(fresh: Page, loaded: Loaded): Page {
  const oldest = fresh.rows.at(-1);
  if (fresh.next === null || oldest === undefined) return fresh;
  const known = new Set(fresh.rows.map(rowKey));
  const older = loaded.rows.filter((row) => numberOf(row) < numberOf(oldest) && !known.has(rowKey(row)));
  return older.length === 0 ? fresh : { ...fresh, rows: [...fresh.rows, ...older], next: loaded.next };
}

function numberOf(row: Row): number {
  if (row.kind === 'checkpoint') return row.checkpoint.number;
  if (row.kind === 'turn') return row.place;
  return row.kind === 'damaged' ? Number(row.id.slice('cp_'.length)) : Number.POSITIVE_INFINITY;
}
