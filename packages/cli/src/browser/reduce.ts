/** What each key press and each result makes of the state. Pure: no output, no clock, no file. */
import { diffLines, fileAt, jump } from './diff/diff-lines.ts';
import { layoutOf } from './layout.ts';
import { chosenIndex, chosenRow, visibleRows } from './list/rows.ts';
import {
  type DiffState,
  LAST_ROW,
  type Loaded,
  type Message,
  rowKey,
  type Size,
  type State,
  type Tab,
} from './model.ts';

export type Action =
  | {
      readonly type: 'move';
      readonly by: number | 'half-up' | 'half-down' | 'page-up' | 'page-down' | 'first' | 'last';
    }
  | { readonly type: 'scroll-diff'; readonly by: number }
  | { readonly type: 'sideways'; readonly by: 1 | -1 }
  | { readonly type: 'jump'; readonly to: 'file' | 'hunk'; readonly by: 1 | -1 }
  | { readonly type: 'fold' | 'fold-all' | 'mark' | 'switch' | 'back' }
  | { readonly type: 'focus'; readonly on: State['focus'] }
  | { readonly type: 'tab'; readonly tab: Tab }
  | { readonly type: 'ask'; readonly purpose: 'filter' | 'checkpoint' }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'erase' | 'end-typing' | 'cancel-typing' }
  | { readonly type: 'resized'; readonly size: Size }
  | { readonly type: 'loading'; readonly tab: Tab }
  | { readonly type: 'loaded'; readonly tab: Tab; readonly loaded: Loaded }
  | { readonly type: 'diff'; readonly diff: Omit<DiffState, 'folded' | 'cursor' | 'top' | 'left'> }
  | { readonly type: 'message'; readonly message: Message | null }
  | { readonly type: 'page'; readonly lines: readonly string[] | null };

export const NO_DIFF: DiffState = {
  about: '',
  title: '',
  status: 'ready',
  heading: [],
  files: [],
  folded: new Set(),
  cursor: 0,
  top: 0,
  left: 0,
};

const SIDEWAYS_COLUMNS = 8;
const MOST_LETTERS = 500;

export function reduce(state: State, action: Action): State {
  return withListInView(withDiffInView(changed(state, action)));
}

function changed(state: State, action: Action): State {
  const { diff, typed } = state;
  switch (action.type) {
    case 'move':
      return state.focus === 'diff' ? movedInDiff(state, action.by) : movedInList(state, action.by);
    case 'scroll-diff':
      return scrolled(state, action.by);
    case 'sideways':
      return withDiff(state, { left: Math.max(0, diff.left + action.by * SIDEWAYS_COLUMNS) });
    case 'jump':
      return jumped(state, action);
    case 'fold':
      return folded(state);
    case 'fold-all':
      return allFolded(state);
    case 'mark':
      return marked(state);
    case 'switch':
      return { ...state, focus: state.focus === 'list' ? 'diff' : 'list' };
    case 'focus':
      return { ...state, focus: action.on };
    case 'back':
      return wentBack(state);
    case 'tab':
      return { ...state, tab: action.tab, focus: 'list', top: 0 };
    case 'ask':
      return { ...state, typed: { purpose: action.purpose, text: action.purpose === 'filter' ? state.filter : '' } };
    case 'type':
      return typed === null ? state : withTyped(state, (typed.text + action.text).slice(0, MOST_LETTERS));
    case 'erase':
      return typed === null ? state : withTyped(state, [...typed.text].slice(0, -1).join(''));
    case 'end-typing':
      return { ...state, typed: null };
    case 'cancel-typing':
      return { ...state, typed: null, filter: typed?.purpose === 'filter' ? '' : state.filter };
    case 'resized':
      return { ...state, size: action.size };
    case 'loading':
      return withList(state, action.tab, { ...state.lists[action.tab], isLoading: true });
    case 'loaded':
      return withSomeRows(withFirstChosen(withList(state, action.tab, action.loaded), action.tab));
    case 'diff':
      return withNewDiff(state, action.diff);
    case 'message':
      return { ...state, message: action.message };
    case 'page':
      return { ...state, page: action.lines };
  }
}

function withDiff(state: State, part: Partial<DiffState>): State {
  return { ...state, diff: { ...state.diff, ...part } };
}

function withList(state: State, tab: Tab, loaded: Loaded): State {
  return { ...state, lists: { ...state.lists, [tab]: loaded } };
}

/** From now on a row stays chosen, whatever is added above it. */
function withFirstChosen(state: State, tab: Tab): State {
  const { rows, next } = state.lists[tab];
  const key = state.chosen[tab];
  const first = rows[0]?.kind === 'now' ? (rows[1] ?? rows[0]) : rows[0];
  const row = key === null ? first : key === LAST_ROW && next === null ? rows.at(-1) : undefined;
  return row === undefined ? state : { ...state, chosen: { ...state.chosen, [tab]: rowKey(row) } };
}

/** Without any turn, the browser begins with checkpoints. */
function withSomeRows(state: State): State {
  const { rows, next } = state.lists.turns;
  const isWithout = state.tab === 'turns' && next === null && !rows.some(({ kind }) => kind === 'turn');
  return isWithout && state.lists.checkpoints.next === 'first' ? { ...state, tab: 'checkpoints' } : state;
}

/** The filter applies while it is typed. */
function withTyped(state: State, text: string): State {
  if (state.typed === null) return state;
  return { ...state, typed: { ...state.typed, text }, filter: state.typed.purpose === 'filter' ? text : state.filter };
}

/** A new comparison of the same states keeps the place. */
function withNewDiff(state: State, diff: Extract<Action, { type: 'diff' }>['diff']): State {
  const isSame = diff.about === state.diff.about;
  const place = isSame ? state.diff : NO_DIFF;
  return { ...state, diff: { ...place, ...diff } };
}

function movedInList(state: State, by: Extract<Action, { type: 'move' }>['by']): State {
  const rows = visibleRows(state);
  if (by === 'last' && state.lists[state.tab].next !== null) {
    return { ...state, chosen: { ...state.chosen, [state.tab]: LAST_ROW } };
  }
  const to = target(chosenIndex(state), by, rows.length, layoutOf(state.size).list.rows);
  const row = rows[to];
  return row === undefined ? state : { ...state, chosen: { ...state.chosen, [state.tab]: rowKey(row) } };
}

function movedInDiff(state: State, by: Extract<Action, { type: 'move' }>['by']): State {
  const { cursor } = state.diff;
  return withDiff(state, {
    cursor: target(cursor, by, diffLines(state.diff).length, layoutOf(state.size).diff.rows),
  });
}

/** The file or hunk is at the top then. */
function jumped(state: State, action: Extract<Action, { type: 'jump' }>): State {
  const { cursor } = state.diff;
  const to = jump(diffLines(state.diff), cursor, action);
  return to === cursor ? state : withDiff(state, { cursor: to, top: to });
}

/** Moves the whole view, for users who stay in the list. */
function scrolled(state: State, by: number): State {
  const { top } = state.diff;
  const last = Math.max(0, diffLines(state.diff).length - layoutOf(state.size).diff.rows);
  const to = Math.max(0, Math.min(last, top + by));
  return withDiff(state, { top: to, cursor: to });
}

function target(at: number, by: Extract<Action, { type: 'move' }>['by'], count: number, height: number): number {
  const half = Math.max(1, Math.floor(height / 2));
  const steps = {
    'half-up': -half,
    'half-down': half,
    'page-up': -height,
    'page-down': height,
    first: Number.NEGATIVE_INFINITY,
    last: Number.POSITIVE_INFINITY,
  };
  const step = typeof by === 'number' ? by : steps[by];
  return Math.max(0, Math.min(count - 1, at + step));
}

function folded(state: State): State {
  const lines = diffLines(state.diff);
  const file = fileAt(lines, state.diff.cursor);
  if (file === null) return state;
  const now = new Set(state.diff.folded);
  if (!now.delete(file.path)) now.add(file.path);
  return withCursorAt({ ...state, diff: { ...state.diff, folded: now } }, file.path);
}

/** Unfolds everything if everything is folded. */
function allFolded(state: State): State {
  const { files, folded: before, cursor } = state.diff;
  const file = fileAt(diffLines(state.diff), cursor);
  const now = new Set(files.every(({ path }) => before.has(path)) ? [] : files.map(({ path }) => path));
  const next = { ...state, diff: { ...state.diff, folded: now } };
  return file === null ? next : withCursorAt(next, file.path);
}

function withCursorAt(state: State, path: string): State {
  const at = diffLines(state.diff).findIndex((line) => line.kind === 'file' && line.file.path === path);
  return withDiff(state, { cursor: Math.max(0, at) });
}

/** A third mark replaces the older of two. */
function marked(state: State): State {
  const row = chosenRow(state);
  if (row === undefined) return state;
  const key = rowKey(row);
  const { marks } = state;
  return { ...state, marks: marks.includes(key) ? marks.filter((one) => one !== key) : [...marks, key].slice(-2) };
}

/** One step at a time: out of the diff, then the filter, then the marks. */
function wentBack(state: State): State {
  if (state.focus === 'diff') return { ...state, focus: 'list' };
  if (state.filter !== '') return { ...state, filter: '' };
  return { ...state, marks: [] };
}

function withListInView(state: State): State {
  const { rows } = layoutOf(state.size).list;
  const at = chosenIndex(state);
  const last = Math.max(0, visibleRows(state).length - rows);
  const top = Math.min(last, Math.max(Math.min(state.top, at), at - rows + 1));
  return top === state.top ? state : { ...state, top };
}

function withDiffInView(state: State): State {
  const { diff } = state;
  const { rows } = layoutOf(state.size).diff;
  const count = diffLines(diff).length;
  const cursor = Math.max(0, Math.min(count - 1, diff.cursor));
  const last = Math.max(0, count - rows);
  const top = Math.min(last, Math.max(Math.min(diff.top, cursor), cursor - rows + 1));
  return top === diff.top && cursor === diff.cursor ? state : withDiff(state, { top, cursor });
}
