/** Which states the diff pane compares: those of the chosen row, or those of marked rows. */
import { showText } from '@savepoint/core';
import { chosenRow } from '../list/rows.ts';
import { type Row, rowKey, type State } from '../model.ts';

/** The states before and after the work of a row. */
export interface Work {
  /** Null: there is no earlier state. `folded`: the one before the oldest of these small steps. */
  readonly from: string | null | { readonly oldest: string };
  /** Null: the files as they are. */
  readonly to: string | null;
}

export interface About {
  readonly key: string;
  readonly title: string;
  readonly work: Work;
  /** The row that it is about, or the older and the newer of two. */
  readonly rows: readonly Row[];
}

export function aboutOf(state: State): About | null {
  const row = chosenRow(state);
  const marked = state.marks.flatMap((key) => state.lists[state.tab].rows.find((one) => rowKey(one) === key) ?? []);
  const [first, second = row] = marked;
  if (first !== undefined && second !== undefined && first !== second) return between(first, second);
  if (row === undefined) return null;
  const work = workOf(row);
  return work === null
    ? null
    : { key: `${rowKey(row)} ${JSON.stringify(work)}`, title: nameOf(row), work, rows: [row] };
}

/** From the older state to the newer one. A turn is compared as a whole. */
function between(first: Row, second: Row): About | null {
  const [older, newer] = age(first) < age(second) ? [first, second] : [second, first];
  const from = older.kind === 'turn' ? older.turn.before : older.kind === 'checkpoint' ? older.checkpoint.id : null;
  const to = newer.kind === 'turn' ? newer.turn.after : newer.kind === 'checkpoint' ? newer.checkpoint.id : null;
  if (from === null || newer.kind === 'damaged') return null;
  const title = `${from} → ${to ?? 'now'}`;
  return { key: `between ${title}`, title, work: { from, to }, rows: [older, newer] };
}

function age(row: Row): number {
  if (row.kind === 'now') return Number.POSITIVE_INFINITY;
  if (row.kind === 'turn') return row.place;
  return row.kind === 'checkpoint' ? row.checkpoint.number : Number(row.id.slice('cp_'.length));
}

function workOf(row: Row): Work | null {
  switch (row.kind) {
    case 'now':
      return { from: 'last', to: null };
    case 'damaged':
      return null;
    case 'turn':
      return { from: row.turn.before, to: row.turn.after };
    case 'checkpoint': {
      const oldest = row.folded.at(-1);
      return { from: oldest === undefined ? row.checkpoint.previous : { oldest }, to: row.checkpoint.id };
    }
  }
}

function nameOf(row: Row): string {
  switch (row.kind) {
    case 'now':
      return 'now';
    case 'damaged':
      return row.id;
    case 'turn':
      return `Turn of ${showText(row.turn.actor.name)}`;
    case 'checkpoint':
      return row.checkpoint.id;
  }
}
