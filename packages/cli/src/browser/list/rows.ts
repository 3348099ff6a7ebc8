/** The rows of a tab: what is loaded, what a filter keeps, and which one is chosen. */
import { LAST_ROW, type Loaded, type Row, rowKey, type State } from '../model.ts';

export const EMPTY: Loaded = { rows: [], next: 'first', isLoading: false, notes: [] };

const filtered = new WeakMap<readonly Row[], { readonly filter: string; readonly rows: readonly Row[] }>();

/** Rows that match the filter: every word of it, in any order, in small or capital letters. */
export function visibleRows({ lists, tab, filter }: Pick<State, 'lists' | 'tab' | 'filter'>): readonly Row[] {
  const { rows } = lists[tab];
  if (filter === '') return rows;
  const last = filtered.get(rows);
  if (last?.filter === filter) return last.rows;
  const words = filter.toLowerCase().split(/\s+/);
  const found = rows.filter((row) => {
    const text = searchText(row);
    return words.every((word) => text.includes(word));
  });
  filtered.set(rows, { filter, rows: found });
  return found;
}

export function chosenRow(state: State): Row | undefined {
  return visibleRows(state)[chosenIndex(state)];
}

/** The place of the chosen row among the visible ones; the first that has a checkpoint if it is not among them. */
export function chosenIndex(state: State): number {
  const rows = visibleRows(state);
  const key = state.chosen[state.tab];
  if (key === LAST_ROW) return Math.max(0, rows.length - 1);
  const at = key === null ? -1 : indexOf(rows, key);
  return at >= 0 ? at : rows[0]?.kind === 'now' && rows.length > 1 ? 1 : 0;
}

const places = new WeakMap<readonly Row[], ReadonlyMap<string, number>>();

function indexOf(rows: readonly Row[], key: string): number {
  const known = places.get(rows) ?? new Map(rows.map((row, index) => [rowKey(row), index]));
  places.set(rows, known);
  return known.get(key) ?? -1;
}

const texts = new WeakMap<Row, string>();

function searchText(row: Row): string {
  const text = texts.get(row) ?? textOf(row).toLowerCase();
  texts.set(row, text);
  return text;
}

function textOf(row: Row): string {
  switch (row.kind) {
    case 'now':
      return 'now the files as they are';
    case 'damaged':
      return `${row.id} damaged ${row.message}`;
    case 'turn':
      return [row.turn.before, row.turn.actor.name, row.turn.prompt, row.turn.session].join(' ');
    case 'checkpoint': {
      const { id, actor, trigger, description, session, tool } = row.checkpoint;
      return [id, actor.name, trigger, description, session, tool?.name, tool?.summary].join(' ');
    }
  }
}
