import { describe, expect, it } from 'vitest';
import { diffLines } from '../../src/browser/diff/diff-lines.ts';
import type { PatchFile } from '../../src/browser/diff/patch-file.ts';
import { meaningOf } from '../../src/browser/keys.ts';
import { chosenIndex, EMPTY, visibleRows } from '../../src/browser/list/rows.ts';
import { type Row, rowKey, type State } from '../../src/browser/model.ts';
import { type Action, NO_DIFF, reduce } from '../../src/browser/reduce.ts';

const damaged = (number: number): Row => ({ kind: 'damaged', id: `cp_${number}`, message: `number ${number}` });

const START: State = {
  size: { columns: 80, rows: 24 },
  workspace: 'shop',
  tab: 'all',
  lists: { turns: EMPTY, checkpoints: EMPTY, all: EMPTY, manual: EMPTY },
  chosen: { turns: null, checkpoints: null, all: null, manual: null },
  top: 0,
  filter: '',
  focus: 'list',
  marks: [],
  diff: NO_DIFF,
  typed: null,
  message: null,
  page: null,
};

const after = (state: State, ...actions: readonly Action[]): State => actions.reduce(reduce, state);

function loaded(state: State, numbers: readonly number[], next: string | null = null): State {
  const rows: readonly Row[] = [{ kind: 'now' }, ...numbers.map(damaged)];
  return reduce(state, { type: 'loaded', tab: 'all', loaded: { rows, next, isLoading: false, notes: [] } });
}

const chosen = (state: State): string => rowKey(visibleRows(state)[chosenIndex(state)] as Row);

const file = (path: string, lines: number): PatchFile => ({
  path,
  title: path,
  word: 'changed',
  added: lines,
  removed: 0,
  lines: [
    { kind: 'hunk', text: '@@' },
    ...Array.from({ length: lines }, (_, number) => ({ kind: 'added', text: 'x', number }) as const),
  ],
});

const shown = (state: State, ...files: readonly PatchFile[]): State =>
  reduce(state, { type: 'diff', diff: { about: 'a', title: 'a', status: 'ready', heading: ['head'], files } });

describe('the list', () => {
  it('chooses the newest checkpoint, and keeps what is chosen when others are added above it', () => {
    const first = loaded(START, [3, 2, 1]);
    expect(chosen(first)).toBe('cp_3');
    const moved = after(first, { type: 'move', by: 1 });
    expect(chosen(loaded(moved, [5, 4, 3, 2, 1]))).toBe('cp_2');
    expect(chosen(loaded(first, [5, 4, 3, 2, 1]))).toBe('cp_3');
  });

  it('stays within the rows, and scrolls only as far as needed', () => {
    const numbers = Array.from({ length: 100 }, (_, index) => 100 - index);
    const state = loaded(START, numbers);
    expect(chosen(after(state, { type: 'move', by: -10 }))).toBe('now');
    const down = after(state, { type: 'move', by: 'page-down' });
    expect(down.top).toBeGreaterThan(0);
    expect(chosen(after(down, { type: 'move', by: 'first' }))).toBe('now');
    expect(after(down, { type: 'move', by: 'first' }).top).toBe(0);
    expect(chosen(after(state, { type: 'move', by: 'last' }))).toBe('cp_1');
  });

  it('goes to the end of a list that is still loading', () => {
    const last = after(loaded(START, [9, 8], 'cp_8'), { type: 'move', by: 'last' });
    expect(chosen(last)).toBe('cp_8');
    expect(chosen(loaded(last, [9, 8, 7, 6], 'cp_6'))).toBe('cp_6');
    const end = loaded(last, [9, 8, 7, 6, 5]);
    expect(chosen(end)).toBe('cp_5');
    expect(chosen(loaded(end, [10, 9, 8, 7, 6, 5, 4]))).toBe('cp_5');
  });

  it('filters while a text is typed, and Esc brings everything back', () => {
    const typing = after(loaded(START, [30, 21, 3]), { type: 'ask', purpose: 'filter' }, { type: 'type', text: '3' });
    expect(visibleRows(typing).map(rowKey)).toEqual(['cp_30', 'cp_3']);
    expect(visibleRows(after(typing, { type: 'type', text: ' 30' })).map(rowKey)).toEqual(['cp_30']);
    expect(visibleRows(after(typing, { type: 'cancel-typing' }))).toHaveLength(4);
    const kept = after(typing, { type: 'end-typing' });
    expect(visibleRows(kept)).toHaveLength(2);
    expect(visibleRows(after(kept, { type: 'back' }))).toHaveLength(4);
  });

  it('marks at most two rows', () => {
    const mark: Action = { type: 'mark' };
    const down: Action = { type: 'move', by: 1 };
    const state = after(loaded(START, [3, 2, 1]), mark, down, mark, down, mark);
    expect(state.marks).toEqual(['cp_2', 'cp_1']);
    expect(after(state, mark).marks).toEqual(['cp_2']);
    expect(after(state, { type: 'back' }).marks).toEqual([]);
  });
});

describe('the diff', () => {
  const DIFF = after(shown(loaded(START, [1]), file('a', 30), file('b', 2)), { type: 'focus', on: 'diff' });
  const at = (state: State) => diffLines(state.diff)[state.diff.cursor];

  it('jumps from file to file and from hunk to hunk, and shows them at the top', () => {
    const next = after(DIFF, { type: 'jump', to: 'file', by: 1 });
    expect(at(next)).toMatchObject({ kind: 'file', file: { path: 'a' } });
    expect(next.diff.top).toBe(next.diff.cursor);
    const hunk = after(next, { type: 'jump', to: 'hunk', by: 1 }, { type: 'jump', to: 'hunk', by: 1 });
    expect(at(hunk)).toMatchObject({ kind: 'line', file: { path: 'b' } });
    expect(at(after(hunk, { type: 'jump', to: 'file', by: 1 }))).toEqual(at(hunk));
    expect(at(after(hunk, { type: 'jump', to: 'file', by: -1 }))).toMatchObject({ kind: 'file', file: { path: 'b' } });
  });

  it('folds the file of the line, and all files', () => {
    const inside = after(DIFF, { type: 'move', by: 10 }, { type: 'fold' });
    expect(at(inside)).toMatchObject({ kind: 'file', file: { path: 'a' }, isFolded: true });
    expect(diffLines(inside.diff)).toHaveLength(diffLines(DIFF.diff).length - 31);
    const all = after(inside, { type: 'fold-all' });
    expect(diffLines(all.diff).filter(({ kind }) => kind === 'line')).toEqual([]);
    expect(diffLines(after(all, { type: 'fold-all' }).diff)).toHaveLength(diffLines(DIFF.diff).length);
  });

  it('keeps its place when the same states are compared again, and begins anew for others', () => {
    const moved = after(DIFF, { type: 'move', by: 'last' });
    expect(shown(moved, file('a', 30), file('b', 3)).diff.cursor).toBe(moved.diff.cursor);
    expect(shown(moved, file('a', 1)).diff.cursor).toBeLessThan(5);
    const diff = { about: 'other', title: '', status: 'ready', heading: [], files: [file('a', 90)] } as const;
    expect(reduce(moved, { type: 'diff', diff }).diff.cursor).toBe(0);
  });
});

describe('keys', () => {
  it('type into a text while one is asked for, and mean something else otherwise', () => {
    const typing = after(START, { type: 'ask', purpose: 'checkpoint' });
    expect(meaningOf({ text: 'q' }, START)).toEqual({ command: 'quit' });
    expect(meaningOf({ text: 'q' }, typing)).toEqual({ action: { type: 'type', text: 'q' } });
    expect(meaningOf('enter', typing)).toEqual({ command: 'create' });
    expect(meaningOf('ctrl-c', typing)).toEqual({ command: 'quit' });
    expect(meaningOf('enter', START)).toEqual({ action: { type: 'focus', on: 'diff' } });
    expect(meaningOf({ text: '€' }, START)).toBeNull();
  });
});
